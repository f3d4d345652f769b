import * as z from 'zod'
import { type Contract, JSON_CHARACTER_BYTES } from '../../core/endpoint.ts'
import { id, optional } from '../../core/fields.ts'
import { AgentInput } from './agent-input.ts'

export const MAX_TRY_MESSAGES = 60
/** Maximum length of one message in UTF-16 code units. */
export const MAX_MESSAGE = 4000
const MAX_TRY_BODY = (MAX_TRY_MESSAGES * (MAX_MESSAGE + 50) + 10_000) * JSON_CHARACTER_BYTES

const message = z.object({
  role: z.enum(['user', 'assistant'], '消息不正确'),
  content: z
    .string('请输入内容')
    .min(1, '请输入内容')
    .max(MAX_MESSAGE, `内容不能超过${MAX_MESSAGE}个字符`)
    .meta({ title: '内容' }),
})

/** Events of a try-out in the order of a successful answer. */
export interface TryEvents {
  /** The request as sent, without the key. */
  start: { model: string; request: string; corrected: string }
  reasoning: { text: string }
  text: { text: string }
  tool: { name: string; args: string }
  done: TryFigures
  error: { kind: string; message: string }
}
export interface TryFigures {
  /** Milliseconds to the first text. */
  readonly firstMs: number
  readonly totalMs: number
  readonly input: number
  readonly output: number
  readonly cached: number
  /** True when the vendor reported no token counts. */
  readonly isEstimate: boolean
  /** Fen, with fractions. */
  readonly cost: number
}

/** Try-out of an agent: a chat with the values of the form, saved or not. */
export const tryOut = {
  ask: {
    method: 'POST',
    path: '/api/v1/agent/list/try/:id',
    access: 'agent:agent:test',
    stream: 'events',
    perMinute: 20,
    body: 'json',
    title: '试用智能体',
    kind: 'other',
    // The operation log must not contain the words of a try-out.
    log: ['id', 'deviceId'],
    maxBody: MAX_TRY_BODY,
    summary: '试用智能体：以当前表单内容（可未保存）与模型对话，返回事件流 start、reasoning、text、tool、done、error',
    input: z.object({
      id,
      agentName: AgentInput.shape.agentName,
      llmId: optional(id).meta({ title: '大语言模型' }),
      systemPrompt: AgentInput.shape.systemPrompt,
      wordFileIds: AgentInput.shape.wordFileIds,
      /** A device whose memory the agent uses. */
      deviceId: optional(id).meta({ title: '设备' }),
      messages: z
        .array(message, '请输入内容')
        .min(1, '请输入内容')
        .max(MAX_TRY_MESSAGES, `对话最多${MAX_TRY_MESSAGES}条，请开始新的对话`)
        .meta({ title: '对话' }),
    }),
    result: z.null(),
  },
} as const satisfies Contract
