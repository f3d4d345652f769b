import type { ApiErrorData } from '@oms/contract/core/envelope.ts'
import type { LoginResponse } from '#core/auth/credentials.ts'

export interface LoginRefusal {
  readonly code: 0 | 400
  readonly msg: string
  readonly data: ApiErrorData
}
type LoginResult = { readonly code: 200; readonly data: LoginResponse } | LoginRefusal

const TIMEOUT_MS = 60_000
const STATUS_TEXT: Readonly<Record<number, string>> = { 404: '网络请求不存在!', 500: '服务器出错!' }

/** The login call, with the error texts of the specification. */
export async function requestLogin(fields: Record<string, string>): Promise<LoginResult> {
  const refuse = (msg: string, data: ApiErrorData = {}): LoginRefusal => ({ code: 400, msg, data })
  let response: Response
  try {
    response = await fetch('/api/v1/account/login', {
      method: 'POST',
      headers: { 'x-client': 'console' },
      body: new URLSearchParams(fields),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    return refuse('网络异常')
  }
  const body = await response.json().catch(() => undefined)
  if (!response.ok || !body)
    return refuse(STATUS_TEXT[response.status] ?? (body?.msg || '服务器出错!'), body?.data ?? {})
  if (body.code === 200) return { code: 200, data: body.data }
  return refuse(body.code === 500 ? '服务器出错!' : body.msg, body.data ?? {})
}
