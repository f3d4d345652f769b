/** Type, models with their boards, agents and conversations of the demo's voice devices. */

export const VOICE_TYPE = ['语音设备', 'voice'] as const
/** Name, code and board of each model. */
export const VOICE_MODELS = [
  ['小智面包板', 'XZ-BREAD', 'bread-compact-wifi'],
  ['小智桌面机器人', 'XZ-BOX3', 'esp-box-3'],
  ['小智口袋版', 'XZ-C3', 'xmini-c3'],
] as const

/** Prices in fen of the models that the agents use, so that the demo shows costs. Units: `PRICE_UNITS`. */
export const MODEL_PRICES = {
  LLM_ChatGLMLLM: { priceIn: 80, priceOut: 200 },
  ASR_FunASR: { priceIn: 120, priceOut: 0 },
  TTS_EdgeTTS: { priceIn: 0, priceOut: 200 },
} as const

interface DemoAgent {
  readonly name: string
  readonly template: string
  /** Index of the owner among the tenants by id. 0 is the platform. */
  readonly owner: number
  readonly devices: number
  readonly tags: readonly string[]
  /** 1 per device, 2 per agent. */
  readonly memoryScope: 1 | 2
  readonly memory: string
}
export const DEMO_AGENTS: readonly DemoAgent[] = [
  {
    name: '展厅讲解员',
    template: '湾湾小何',
    owner: 0,
    devices: 8,
    tags: ['展厅'],
    memoryScope: 2,
    memory: '展厅每周一闭馆；访客常问新款音箱的价格。',
  },
  {
    name: '海川小管家',
    template: '星际游子',
    owner: 1,
    devices: 20,
    tags: ['家居', '量产'],
    memoryScope: 1,
    memory: '',
  },
  { name: '云栖英语伙伴', template: '英语老师', owner: 2, devices: 12, tags: ['教育'], memoryScope: 1, memory: '' },
]

/** Names of voice devices. A number is appended to each name. */
export const DEMO_DEVICE_NAMES = ['客厅', '书房', '儿童房', '展台', '前台'] as const

/** Memories of the demo devices. */
export const DEMO_MEMORIES = [
  '主人喜欢爵士乐，晚上十点后说话小声一点。',
  '家里有一只叫年糕的猫；女儿叫朵朵，上二年级。',
  '用户住在杭州滨江，每天七点半出门。',
  '正在准备英语六级，每天背二十个单词。',
] as const

/** Conversations: the title, then questions and answers alternately. */
export const DEMO_CONVERSATIONS: readonly (readonly [title: string, ...words: string[]])[] = [
  [
    '询问杭州天气',
    '今天天气怎么样',
    '杭州今天多云，二十六度，傍晚可能有小雨，出门带把伞吧。',
    '明天呢',
    '明天转晴，最高三十度，适合出去走走。',
  ],
  [
    '睡前故事',
    '给我讲个故事',
    '从前有只小狐狸，每天晚上都要数完星星才肯睡。',
    '它数了几颗',
    '数到第九十九颗，它就睡着了，剩下那颗留给你。',
  ],
  ['设置起床闹钟', '明早七点叫我起床', '好的，明早七点叫你，周末也要叫吗？', '周末不用', '记住了，只在工作日叫你。'],
  [
    '练习英语点餐',
    '我想练习点餐',
    'Sure! Welcome to our cafe. What would you like to drink?',
    'I want a cup of latte',
    'Great choice! Hot or iced?',
  ],
  ['播放轻音乐', '放点轻松的音乐', '好，给你放一首钢琴曲。', '声音小一点', '已经调小了。'],
  [
    '询问保修期限',
    '这台设备保修多久',
    '整机保修两年，从激活那天算起。',
    '坏了找谁',
    '可以在App里报修，或者直接告诉我，我帮你登记。',
  ],
  [
    '数学作业辅导',
    '七乘八等于多少',
    '七八五十六。你是怎么记乘法口诀的呀？',
    '背下来的',
    '很棒，那九乘六呢，你来答我。',
  ],
  [
    '聊聊宇宙',
    '黑洞是什么',
    '黑洞是引力大到连光都跑不掉的地方。',
    '掉进去会怎样',
    '我猜会被拉成长长的面条，还好离我们很远。',
  ],
]

/** Names in address books, and speakers with their introduction. */
export const DEMO_CONTACT_NAMES = ['奶奶家', '工作室', '隔壁小明'] as const
export const DEMO_SPEAKERS = [
  ['妈妈', '家里的女主人，喜欢听新闻'],
  ['朵朵', '女儿，二年级'],
  ['爷爷', '喜欢听戏，说话慢'],
] as const
