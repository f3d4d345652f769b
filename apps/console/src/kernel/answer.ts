import { CODE, type Envelope, type RefusalData } from '@oms/contract/kernel/envelope.ts'
import { heedPermVersion } from './perm-version.ts'
import { Refusal } from './refusal.ts'
import { askRelogin } from './relogin.ts'
import { QUIET_HTTP_SECONDS, QUIET_SECONDS, toastOnce } from './toast.ts'
import { type Answer, NoAnswer } from './transport.ts'

export interface Heeded<Data> {
  readonly data: Data
  readonly msg: string
}

const EXPIRED_TEXT = '登录状态已过期，您可以继续留在该页面，或者重新登录'
export const LOGGED_OUT_TEXT = '你已被登出，请重新登录'

/** Tells the person that no answer came, and throws what the caller sees. */
export function heedAnswer(error: unknown, quiet: boolean): never {
  const reason = error instanceof NoAnswer ? error.reason : 'network'
  if (reason === 'aborted') throw new Refusal(0, '已取消')
  const text = reason === 'timeout' ? '网络异常：请求超过60秒没有完成，请重试' : '网络异常'
  if (!quiet) toastOnce('error', text, QUIET_HTTP_SECONDS)
  throw new Refusal(0, text)
}

/** The error catalogue of the specification: returns the data of a success, tells and throws everything else. */
export function heedEnvelope<Data>(answer: Answer, quiet: boolean): Heeded<Data> {
  const envelope = envelopeIn(answer.body)
  if (answer.status >= 400) return heedStatus(answer, envelope, quiet)
  if (!envelope) return fail(new Refusal(CODE.failed, '服务器出错!'), 'error', QUIET_HTTP_SECONDS, quiet)
  heedPermVersion(answer.permVersion)
  if (envelope.code === CODE.ok) return { data: envelope.data as Data, msg: envelope.msg }
  return heedCode(answer, envelope, quiet)
}

function heedStatus({ status, token }: Answer, envelope: Envelope | undefined, quiet: boolean): never {
  const data = refusalDataOf(envelope)
  if (status === 401 || status === 403) {
    askRelogin('ended', LOGGED_OUT_TEXT, token)
    throw new Refusal(status, LOGGED_OUT_TEXT, data)
  }
  if (status === 405) throw new Refusal(status, '请求方式不正确', data)
  const text = STATUS_TEXT[status] ?? (envelope?.msg || '服务器出错!')
  return fail(new Refusal(status, text, data), 'error', QUIET_HTTP_SECONDS, quiet)
}
const STATUS_TEXT: Readonly<Record<number, string>> = { 404: '网络请求不存在!', 500: '服务器出错!' }

function heedCode({ token }: Answer, envelope: Envelope, quiet: boolean): never {
  const { code, msg } = envelope
  const data = refusalDataOf(envelope)
  if (code === CODE.expired || code === CODE.barred) {
    askRelogin('expired', code === CODE.expired ? EXPIRED_TEXT : msg, token)
    throw new Refusal(code, msg, data)
  }
  const text = code === CODE.failed ? '服务器出错!' : msg
  return fail(new Refusal(code, text, data), code === CODE.invalid ? 'warning' : 'error', QUIET_SECONDS, quiet)
}

function fail(refusal: Refusal, level: 'warning' | 'error', seconds: number, quiet: boolean): never {
  if (!quiet) toastOnce(level, refusal.message, seconds)
  throw refusal
}

function envelopeIn(body: unknown): Envelope | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined
  const { code, msg = '', data = null } = body as { code: unknown; msg?: unknown; data?: unknown }
  return { code: Number(code), msg: String(msg), data }
}

const refusalDataOf = (envelope: Envelope | undefined): RefusalData =>
  typeof envelope?.data === 'object' && envelope.data !== null ? (envelope.data as RefusalData) : {}
