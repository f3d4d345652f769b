import { OutboundError } from '#core/outbound/outbound.ts'

/** Kinds of failures of a model endpoint. The kind decides what a person has to change. */
type LlmFailure =
  | 'address'
  | 'key'
  | 'model'
  | 'quota'
  | 'time'
  | 'request'
  | 'vendor'
  | 'connection'
  | 'answer'
  | 'cancelled'

const WORDS: Readonly<Record<LlmFailure, string>> = {
  address: '模型地址不可用',
  key: '模型服务拒绝了密钥',
  model: '模型不存在或没有权限使用',
  quota: '模型服务的额度或频率已用尽',
  time: '模型服务超时',
  request: '模型服务拒绝了请求',
  vendor: '模型服务出错',
  connection: '模型服务中断了连接',
  answer: '模型服务返回了无法识别的内容',
  cancelled: '已停止',
}
/** Returns the Chinese cause of a failure, without text of the vendor. */
export const describeLlmFailure = ({ kind }: LlmError) => WORDS[kind]

const MAX_VENDOR_WORDS = 300

/** Failure of a model endpoint. The message is Chinese and contains no key. */
export class LlmError extends Error {
  override readonly name = 'LlmError'
  readonly kind: LlmFailure
  readonly status: number | undefined

  constructor(kind: LlmFailure, detail = '', status?: number) {
    super(detail ? `${WORDS[kind]}：${detail}` : WORDS[kind])
    this.kind = kind
    this.status = status
  }
}

/** Returns the failure of a request that got no complete response. */
export function toLlmError(error: unknown): LlmError {
  if (error instanceof LlmError) return error
  if (!(error instanceof OutboundError)) return new LlmError('answer')
  if (error.kind === 'time' || error.kind === 'cancelled')
    return new LlmError(error.kind, error.kind === 'time' ? error.message : '')
  return new LlmError(error.kind === 'size' ? 'answer' : error.kind, error.message)
}

/**
 * Returns the failure that a vendor reports by status and body, or in an error object inside a successful response.
 * Vendors use different statuses for one cause, so the error code and the message take precedence over the status.
 */
export function parseVendorError(status: number, body: unknown, apiKey: string): LlmError {
  const { code, message } = errorFieldsOf(body)
  const kind = kindOfWords(`${code} ${message}`.toLowerCase()) ?? kindOfStatus(status)
  return new LlmError(kind, redactKeys(message || code || (status >= 300 ? `HTTP ${status}` : ''), apiKey), status)
}

function errorFieldsOf(body: unknown): { code: string; message: string } {
  if (typeof body === 'string') return { code: '', message: body.trim() }
  if (typeof body !== 'object' || body === null) return { code: '', message: '' }
  const { error, code, type, message, msg, detail } = body as Record<string, unknown>
  if (error !== undefined && error !== null) return errorFieldsOf(error)
  const text = [message, msg, detail].find((each) => typeof each === 'string')
  return { code: [code, type].filter((each) => each !== undefined && each !== null).join(' '), message: text ?? '' }
}

const KINDS_BY_WORDS: readonly (readonly [LlmFailure, readonly string[]])[] = [
  ['quota', ['quota', 'rate limit', 'rate_limit', 'ratelimit', 'throttl', 'insufficient', 'balance', 'arrear', '429']],
  ['quota', ['too many requests', '余额', '欠费', '频率', '额度', '限流']],
  ['key', ['api key', 'api_key', 'apikey', 'unauthorized', 'authentication', 'access token', '401', '密钥', '鉴权']],
  ['model', ['model_not_found', 'model not', 'no such model', 'modelnotopen', '模型不存在', 'unknown model']],
]

function kindOfWords(text: string): LlmFailure | undefined {
  const found = KINDS_BY_WORDS.find(([, words]) => words.some((word) => text.includes(word)))
  if (found) return found[0]
  const isMissing = ['not exist', 'not found', 'not supported', '不存在'].some((word) => text.includes(word))
  return isMissing && text.includes('model') ? 'model' : undefined
}

function kindOfStatus(status: number): LlmFailure {
  if (status === 401 || status === 403) return 'key'
  if (status === 402 || status === 429) return 'quota'
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return 'address'
  if (status === 408 || status === 504) return 'time'
  return status >= 400 && status < 500 ? 'request' : 'vendor'
}

/** Removes keys from a vendor's text and limits its length. */
function redactKeys(text: string, apiKey: string): string {
  const withoutKey = apiKey.length >= 4 ? text.slice(0, 4 * MAX_VENDOR_WORDS).replaceAll(apiKey, '***') : text
  return [
    ...withoutKey
      .slice(0, 4 * MAX_VENDOR_WORDS)
      .replaceAll(/\b(?:sk|ak|pk|key)-[\w*.-]{4,200}/gi, '***')
      .replaceAll(/\bbearer +[\w.~+/=-]{4,400}/gi, 'Bearer ***'),
  ]
    .slice(0, MAX_VENDOR_WORDS)
    .join('')
}
