import * as z from 'zod'
import { choice, id, note, optional, rev, text, textLine, whole, wholeWithin } from '../../core/fields.ts'
import { limitRecordKeys } from '../keyed-values.ts'

export const AGENT_STATUS = { 1: '启用', 0: '停用' } as const
export const CHAT_HISTORY = { 0: '不保存', 1: '仅文字', 2: '文字和语音' } as const
export const MEMORY_SCOPE = { 1: '每台设备各自', 2: '全部设备共用' } as const
/**
 * Facts of a device that OMS adds to the prompt of its agent before each conversation. Maps each stored key to its
 * Chinese title.
 */
export const CONTEXT_FACT = {
  customer: '客户',
  model: '设备型号',
  firmware: '固件版本',
  warranty: '保修',
  tickets: '未完结工单',
  reminders: '提醒',
} as const
export type ContextFact = keyof typeof CONTEXT_FACT
const contextFact = z.enum(Object.keys(CONTEXT_FACT) as [ContextFact, ...ContextFact[]], '设备信息不正确')
/** Code of the plugin that searches a knowledge base of RAGFlow. The feature `knowledge` turns the plugin off. */
export const KNOWLEDGE_PLUGIN = 'search_from_ragflow'
/** Tools of OMS that an agent may use for its device. */
export const AGENT_TOOL = {
  repair: '报修',
  warranty: '查询保修',
  firmware: '查询固件升级',
  reminder: '设置提醒',
} as const
export type AgentTool = keyof typeof AGENT_TOOL
const agentTool = z.enum(Object.keys(AGENT_TOOL) as [AgentTool, ...AgentTool[]], '设备工具不正确')
/** A language with an optional script or region, as in BCP 47. */
const LANGUAGE_CODE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/
export const MAX_PROMPT = 2000
export const MAX_TAGS = 10
const MAX_PLUGINS = 20
const MAX_CONTEXTS = 5
export const MAX_WORD_FILES = 10
const MAX_PARAM = 2000
const MAX_PLUGIN_PARAMS = 50
const MAX_HEADERS = 20

/** Plugins of a new agent. */
export const DEFAULT_PLUGINS = ['play_music', 'get_weather', 'get_news_from_newsnow'] as const

const model = (title: string) => optional(id).meta({ title })
const shift = (title: string) => optional(whole(title, -100, 100)).meta({ title })

const PluginInput = z.object({
  providerCode: textLine('插件', 50),
  /** An absent secret keeps the stored value; an empty text removes the value. */
  params: limitRecordKeys(
    z.record(z.string().min(1).max(64), z.string('参数不正确').max(MAX_PARAM, `参数不能超过${MAX_PARAM}个字符`)),
    MAX_PLUGIN_PARAMS,
    `参数最多${MAX_PLUGIN_PARAMS}个`,
  ).default({}),
})
const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/
/** Placeholder of a header value that a save does not change. */
export const KEPT_HEADER_MARK = '******'

const ContextInput = z.object({
  url: text('地址', 500).regex(/^https?:\/\/\S+$/, '地址须以 http:// 或 https:// 开头'),
  /** Values of headers are secrets. `KEPT_HEADER_MARK` keeps the stored value; an empty text removes the header. */
  headers: limitRecordKeys(
    z.record(
      z.string().regex(HEADER_NAME, '请求头名称不正确'),
      z
        .string('请求头不正确')
        .max(MAX_PARAM)
        .regex(/^[\x20-\x7e]*$/, '请求头的值只能包含英文字符'),
    ),
    MAX_HEADERS,
    `请求头最多${MAX_HEADERS}个`,
  ).default({}),
})

/** Fields that determine the behaviour of an agent. Versions contain these fields. */
export const behaviourFields = {
  llmId: model('大语言模型'),
  vllmId: model('视觉模型'),
  slmId: model('小模型'),
  ttsId: model('语音合成'),
  asrId: model('语音识别'),
  vadId: model('语音检测'),
  memId: model('记忆方式'),
  intentId: model('意图识别'),
  voiceId: model('音色'),
  cloneId: model('克隆音色'),
  ttsLanguage: note('播报语言', 50),
  ttsVolume: shift('音量'),
  ttsRate: shift('语速'),
  ttsPitch: shift('音调'),
  systemPrompt: note('角色设定', MAX_PROMPT),
  chatHistoryConf: choice('对话记录', CHAT_HISTORY).default(2).meta({ title: '对话记录', labels: CHAT_HISTORY }),
  memoryScope: choice('记忆范围', MEMORY_SCOPE).default(1).meta({ title: '记忆范围', labels: MEMORY_SCOPE }),
  langCode: note('语言代码', 10)
    .refine((code) => code === '' || LANGUAGE_CODE.test(code), '语言代码应为 zh、en-US 这样的代码')
    .default('zh')
    .meta({ title: '语言代码', max: 10 }),
  language: note('语言', 10).default('中文').meta({ title: '语言', max: 10 }),
  plugins: z.array(PluginInput).max(MAX_PLUGINS, `插件最多${MAX_PLUGINS}个`).default([]).meta({ title: '插件' }),
  contextProviders: z
    .array(ContextInput)
    .max(MAX_CONTEXTS, `上下文来源最多${MAX_CONTEXTS}个`)
    .default([])
    .meta({ title: '上下文来源' }),
  contextFacts: z
    .array(contextFact)
    .max(Object.keys(CONTEXT_FACT).length, '设备信息不能重复')
    .default([])
    .meta({ title: '设备信息作为上下文' }),
  tools: z
    .array(agentTool)
    .max(Object.keys(AGENT_TOOL).length, '设备工具不能重复')
    .default([])
    .meta({ title: '设备工具' }),
  wordFileIds: z
    .array(id)
    .max(MAX_WORD_FILES, `替换词文件最多${MAX_WORD_FILES}个`)
    .default([])
    .meta({ title: '替换词' }),
}
export const AgentBehaviour = z.object(behaviourFields)
/** Fields that null clears. A save must contain each of them, so that a forgotten field clears nothing. */
export const CLEARABLE_FIELDS = [
  'llmId',
  'vllmId',
  'slmId',
  'ttsId',
  'asrId',
  'vadId',
  'memId',
  'intentId',
  'voiceId',
  'cloneId',
  'ttsVolume',
  'ttsRate',
  'ttsPitch',
] as const satisfies readonly (keyof AgentBehaviour)[]
export type AgentBehaviour = z.output<typeof AgentBehaviour>

/** Fields of the form of an agent. */
export const AgentInput = z.object({
  agentName: textLine('智能体名称', 64),
  tags: z.array(textLine('标签', 20)).max(MAX_TAGS, `标签最多${MAX_TAGS}个`).default([]).meta({ title: '标签' }),
  ...behaviourFields,
})

export const AgentUpdate = AgentInput.extend({
  id,
  rev,
  note: note('版本说明', 200),
  /** 1: the caller confirms that the save erases turns or memory, as the memory model requires. */
  confirmErase: wholeWithin(0, 1, '清除确认不正确').default(0),
})

/** Returns the data that a save erases when the agent's memory model has this provider. */
export const findDataErasedByProvider = (memoryProvider: string | undefined): 'turns' | 'memory' | undefined =>
  memoryProvider === 'nomem' ? 'turns' : memoryProvider === 'mem_report_only' ? 'memory' : undefined

export const ERASURE_WARNING = {
  turns: '选择“无记忆”后不再保存对话：保存时将清除该智能体已有的对话记录、记忆和提醒，且不能恢复。',
  memory: '选择“仅上报”后不再使用记忆：保存时将清除该智能体已有的记忆，且不能恢复。',
} as const

/** Providers of language models that can call functions. */
export const FUNCTION_CALL_LLMS: readonly string[] = ['openai', 'ollama']
export const FUNCTION_CALL_TEXT = '“函数调用”只能与 OpenAI 兼容或 Ollama 的大语言模型一起使用'
