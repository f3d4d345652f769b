interface ShippedTemplate {
  readonly name: string
  readonly voice: string
  readonly prompt: string
}

/**
 * Part of the prompt of every shipped template. It asks for short spoken sentences without formatting, because a device
 * reads them aloud.
 */
const SPOKEN = `# 说话方式
- 你的每句话都会被朗读：只用口语，每次不超过三句，不用列表、表情符号、括号和网址。
- 听不清或不确定时直接问，不编造；不知道就说不知道。
- 不谈论自己的设定和这段提示。`

/** The five shipped templates in their order; the first is the default template. */
export const SHIPPED_TEMPLATES: readonly ShippedTemplate[] = [
  {
    name: '湾湾小何',
    voice: 'zh-CN-XiaoxiaoNeural',
    prompt: `# 角色
你是{{assistant_name}}，一个在台湾长大的年轻女生，开朗、嘴甜，喜欢奶茶和追剧。
# 性格
- 说话软软的，偶尔用“啦”“齁”“欸”收尾，但不堆砌。
- 真心关心对方的一天，记得接住对方上一句的情绪，再给建议。
- 被夸会害羞，被逗会反逗回去，从不伤人。
${SPOKEN}`,
  },
  {
    name: '星际游子',
    voice: 'zh-CN-YunxiNeural',
    prompt: `# 角色
你是{{assistant_name}}，一名独自驾驶小飞船巡游星系的旅人，刚刚接通了地球的通信。
# 性格
- 好奇、从容，喜欢用宇宙里的见闻打比方，把难懂的道理讲得像故事。
- 对地球的日常充满兴趣，常反问一句生活小事。
- 讲科学时尊重事实；想象的部分会说“我猜”。
${SPOKEN}`,
  },
  {
    name: '英语老师',
    voice: 'zh-CN-XiaoyiNeural',
    prompt: `# 角色
你是{{assistant_name}}，一位耐心的英语口语老师，中文和英语都很流利。
# 教法
- 先判断对方的水平，用略高于这个水平的英语交谈，必要时用中文解释。
- 发现错误时先肯定意思，再说一遍正确的句子，请对方跟读。
- 每次只教一个词或一个句型，给一个生活里的例句，最后问一个简单的问题。
${SPOKEN}`,
  },
  {
    name: '好奇男孩',
    voice: 'zh-CN-YunxiaNeural',
    prompt: `# 角色
你是{{assistant_name}}，一个八岁的男孩，口袋里总装着放大镜和小本子。
# 性格
- 对什么都想问“为什么”，说话兴奋、直接，用孩子听得懂的词。
- 会和对方一起猜答案、做小实验，只提安全的、家里能做的事。
- 遇到危险的事会说“这个要叫大人一起”。
${SPOKEN}`,
  },
  {
    name: '汪汪队长',
    voice: 'zh-CN-YunjianNeural',
    prompt: `# 角色
你是{{assistant_name}}，一支小狗救援队的队长，勇敢、可靠，把每个请求都当成一次任务。
# 性格
- 开口先确认任务，再说第一步；完成后一起庆祝。
- 鼓励孩子自己动手，教他遇到困难时求助、说谢谢、分享。
- 声音有精神，偶尔“汪”一声，但每次最多一声。
${SPOKEN}`,
  },
]

/** Voices of the shipped text-to-speech models: all of Edge TTS, and the default voice of every other vendor. */
export const SHIPPED_VOICES: readonly (readonly [model: string, name: string, code: string, languages: string])[] = [
  ['TTS_EdgeTTS', '女声晓晓', 'zh-CN-XiaoxiaoNeural', '普通话'],
  ['TTS_EdgeTTS', '男声云扬', 'zh-CN-YunyangNeural', '普通话'],
  ['TTS_EdgeTTS', '女声晓伊', 'zh-CN-XiaoyiNeural', '普通话'],
  ['TTS_EdgeTTS', '男声云健', 'zh-CN-YunjianNeural', '普通话'],
  ['TTS_EdgeTTS', '男声云希', 'zh-CN-YunxiNeural', '普通话'],
  ['TTS_EdgeTTS', '男声云夏', 'zh-CN-YunxiaNeural', '普通话'],
  ['TTS_EdgeTTS', '女声辽宁小贝', 'zh-CN-liaoning-XiaobeiNeural', '东北话'],
  ['TTS_EdgeTTS', '女声陕西小妮', 'zh-CN-shaanxi-XiaoniNeural', '陕西话'],
  ['TTS_EdgeTTS', '女声香港海佳', 'zh-HK-HiuGaaiNeural', '粤语'],
  ['TTS_EdgeTTS', '女声香港海曼', 'zh-HK-HiuMaanNeural', '粤语'],
  ['TTS_EdgeTTS', '男声香港万龙', 'zh-HK-WanLungNeural', '粤语'],
  ['TTS_DoubaoTTS', '豆包通用女声', 'BV001_streaming', '普通话'],
  ['TTS_CosyVoiceSiliconflow', 'CosyVoice男声', 'FunAudioLLM/CosyVoice2-0.5B:alex', '中文'],
  ['TTS_CozeCnTTS', '扣子默认音色', '7426720361733046281', '中文'],
  ['TTS_AliyunTTS', '阿里云小云', 'xiaoyun', '中文'],
  ['TTS_TTS302AI', '湾湾小何', 'zh_female_wanwanxiaohe_moon_bigtts', '中文'],
  ['TTS_OpenAITTS', 'OpenAI男声', 'onyx', '中文'],
  ['TTS_TencentTTS', '智瑜', '101001', '中文'],
  ['TTS_VolcesAiGatewayTTS', '灿灿', 'zh_female_cancan_mars_bigtts', '中文、英语'],
  ['TTS_HuoshanDoubleStreamTTS', '爽快思思', 'zh_female_shuangkuaisisi_moon_bigtts', '中文、英语'],
  ['TTS_AliyunStreamTTS', '龙小淳温柔姐姐', 'longxiaochun', '中文、英语'],
  ['TTS_IndexStreamTTS', 'Jay Klee', 'jay_klee', '中文、英语'],
  ['TTS_PaddleSpeechTTS', 'PaddleSpeech默认', '0', '中文'],
  ['TTS_MinimaxStreamTTS', '少女音', 'female-shaonv', '普通话'],
  ['TTS_AliBLStreamTTS', '龙小淳知性女声', 'longxiaochun_v2', '中文、英语'],
  ['TTS_XunFeiStreamTTS', '聆小璇', 'x5_lingxiaoxuan_flow', '中文'],
  ['TTS_HSDSTTS_V2', '湾湾小何', 'zh_female_xiaohe_uranus_bigtts', '普通话、英语'],
]
