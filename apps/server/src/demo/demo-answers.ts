interface Message {
  readonly role: string
  readonly content: string
}

const JOKES = [
  '为什么程序员总分不清万圣节和圣诞节？因为 Oct 31 等于 Dec 25。',
  '有一天，数字 0 遇见数字 8，惊讶地说：哥们儿，腰带系得真紧！',
  '小明问机器人：你会游泳吗？机器人说：会呀，我有“海量”数据。',
]

/** Rules in order. The first rule whose words occur in the question gives the answer. */
const RULES: readonly (readonly [words: readonly string[], answer: (question: string, name: string) => string])[] = [
  [
    ['你是谁', '叫什么', '介绍一下'],
    (_, name) => `我是${name}，很高兴认识你！你可以和我聊天，也可以让我讲故事、查天气。`,
  ],
  [['你好', '您好', 'hello', 'hi'], (_, name) => `你好呀，我是${name}，今天想聊点什么？`],
  [
    ['天气', '出门', '下雨'],
    () => '今天多云转晴，18 到 26 度，微风，很适合出门走走，早晚记得加件外套。（演示数据，不是真实天气）',
  ],
  [['笑话', '好笑', '逗'], (question) => JOKES[question.length % JOKES.length]!],
  [
    ['故事'],
    () => '从前，山脚下住着一盏小路灯。每天晚上，它都为晚归的人照亮回家的路。有一天，星星对它说：你也是一颗星。',
  ],
  [['再见', '拜拜', '晚安'], () => '好的，那我们下次再聊，再见！'],
  [['谢谢', '感谢'], () => '不客气，能帮到你我很开心。'],
]

const NAME_PARTS = 4
const NAMED = /(?:你是|你叫|我是|我叫)(?:一个|一位|一名)?([^，。,.！!、；;\n{]{1,40})/

/** Returns the name that a prompt gives: `你是小智`, `你叫小智` or, with several parts, `你是海川 小管家`. */
function nameIn(prompt: string): string {
  const words = NAMED.exec(prompt)?.[1]?.trim() ?? ''
  return words === '' ? '演示助手' : words.split(/\s+/).slice(0, NAME_PARTS).join(' ')
}

/** Returns the answer of the demo model. The model follows rules, so the same conversation has the same answer. */
export function createDemoAnswer(messages: readonly Message[]): string {
  const prompt = messages.find(({ role }) => role === 'system')?.content ?? ''
  const question = messages.findLast(({ role }) => role === 'user')?.content.slice(0, 1000) ?? ''
  const lower = question.toLowerCase()
  if (/记得|记住|知道我/.test(lower)) {
    const [, memory] = /<memory>\n([^<]{1,400})/.exec(prompt) ?? []
    return memory ? `我记得：${memory.trim()}` : '我还没有关于你的记忆，多和我聊聊吧。'
  }
  const rule = RULES.find(([words]) => words.some((word) => lower.includes(word)))
  if (rule) return rule[1](question, nameIn(prompt))
  const earlier = messages.filter(({ role }) => role === 'user').length - 1
  const turn = earlier > 0 ? `（这是我们的第 ${earlier + 1} 轮对话）` : ''
  return `你说的是“${question.slice(0, 60)}”。我是内置的演示模型，只按固定规则回答；换成真实的大语言模型后，就能听到完整的回答${turn}。`
}
