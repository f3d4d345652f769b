import { RESPONSE_CODE, type Envelope, type ApiErrorData } from '@oms/contract/core/envelope.ts'
import { readCredentials } from '#core/auth/credentials.ts'
import { handlePermissionVersion } from '#core/auth/permission-version.ts'
import { ApiError } from './api-error.ts'
import { requestRelogin } from '#core/auth/relogin.ts'
import { getSession } from '#core/auth/session.tsx'
import { QUIET_HTTP_SECONDS, QUIET_SECONDS, showToastOnce } from '#core/loading/toast.ts'
import { type ApiResponse, NoResponseError } from './transport.ts'

export interface WithMessage<Data> {
  readonly data: Data
  readonly msg: string
}

const EXPIRED_TEXT = '登录状态已过期，您可以继续留在该页面，或者重新登录'
const MOVED_TEXT = '此浏览器已切换到另一个客户，请重新加载页面'
export const LOGGED_OUT_TEXT = '你已被登出，请重新登录'

/** Returns whether this browser switched to another tenant after the page was loaded. */
function hasMoved() {
  const page = getSession()
  if (!page) return false
  const browser = readCredentials()
  return browser?.token === page.token && browser.ownerId !== page.ownerId
}

/** Shows the network error and throws the API error. */
export function handleResponse(error: unknown, quiet: boolean): never {
  const reason = error instanceof NoResponseError ? error.reason : 'network'
  if (reason === 'aborted') throw new ApiError(0, '已取消')
  const text = reason === 'timeout' ? '网络异常：请求超过 60 秒没有完成，请重试' : '网络异常'
  if (!quiet) showToastOnce('error', text, QUIET_HTTP_SECONDS)
  throw new ApiError(0, text)
}

/** Implements the error table of the specification: returns the data of a success; shows and throws all errors. */
export function handleEnvelope<Data>(response: ApiResponse, quiet: boolean): WithMessage<Data> {
  const envelope = envelopeIn(response.body)
  if (response.status >= 400) return throwStatusError(response, envelope, quiet)
  if (!envelope) return fail(new ApiError(RESPONSE_CODE.failed, '服务器出错!'), 'error', QUIET_HTTP_SECONDS, quiet)
  handlePermissionVersion(response.permVersion)
  if (envelope.code === RESPONSE_CODE.ok) return { data: envelope.data as Data, msg: envelope.msg }
  return throwCodeError(response, envelope, quiet)
}

function throwStatusError({ status, token }: ApiResponse, envelope: Envelope | undefined, quiet: boolean): never {
  const data = refusalDataOf(envelope)
  if (status === 401 || status === 403) {
    requestRelogin('ended', LOGGED_OUT_TEXT, token)
    throw new ApiError(status, LOGGED_OUT_TEXT, data)
  }
  if (status === 405) throw new ApiError(status, '请求方式不正确', data)
  const text = STATUS_TEXT[status] ?? (envelope?.msg || '服务器出错!')
  return fail(new ApiError(status, text, data), 'error', QUIET_HTTP_SECONDS, quiet)
}
const STATUS_TEXT: Readonly<Record<number, string>> = { 404: '网络请求不存在!', 500: '服务器出错!' }

function throwCodeError({ token }: ApiResponse, envelope: Envelope, quiet: boolean): never {
  const { code, msg } = envelope
  const data = refusalDataOf(envelope)
  if (code === RESPONSE_CODE.suspended && hasMoved())
    return fail(new ApiError(code, MOVED_TEXT, data), 'warning', QUIET_SECONDS, quiet)
  if (code === RESPONSE_CODE.expired || code === RESPONSE_CODE.suspended) {
    requestRelogin('expired', code === RESPONSE_CODE.expired ? EXPIRED_TEXT : msg, token)
    throw new ApiError(code, msg, data)
  }
  const text = code === RESPONSE_CODE.failed ? '服务器出错!' : msg
  return fail(
    new ApiError(code, text, data),
    code === RESPONSE_CODE.invalid ? 'warning' : 'error',
    QUIET_SECONDS,
    quiet,
  )
}

function fail(refusal: ApiError, level: 'warning' | 'error', seconds: number, quiet: boolean): never {
  if (!quiet) showToastOnce(level, refusal.message, seconds)
  throw refusal
}

function envelopeIn(body: unknown): Envelope | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined
  const { code, msg = '', data = null } = body as { code: unknown; msg?: unknown; data?: unknown }
  return { code: Number(code), msg: String(msg), data }
}

const refusalDataOf = (envelope: Envelope | undefined): ApiErrorData =>
  typeof envelope?.data === 'object' && envelope.data !== null ? (envelope.data as ApiErrorData) : {}
