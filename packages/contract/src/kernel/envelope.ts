/** The answer of every call. `code` is the business outcome (see `CODE`), `msg` a sentence for the person. */
export interface Envelope<Data = unknown> {
  readonly code: number
  readonly msg: string
  readonly data: Data
}

/** Body codes of the specification. HTTP statuses speak of the transport alone. */
export const CODE = {
  ok: 200,
  /** Invalid input, missing record, conflict; `data.field` names the field. */
  invalid: 400,
  /** No session, or it has expired. */
  expired: 401,
  /** This account or its tenant may not be here: disabled, expired, wrong tenant. */
  barred: 403,
  failed: 500,
  /** A refusal with a message, above all a missing permission. */
  refused: 501,
} as const

/** `data` of a refusal. */
export interface RefusalData {
  readonly field?: string | undefined
  /** The login wants a captcha with the next attempt. */
  readonly captcha?: boolean
  /** The login wants a one-time password. */
  readonly totp?: boolean
  /** Somebody saved the record first: who, when, and the revision now stored. */
  readonly conflict?: { readonly by: string; readonly at: string; readonly rev: number }
  /** Seconds to wait before another attempt. */
  readonly retryAfter?: number
  /** Quote it to the operator; the server's log has the cause under it. */
  readonly requestId?: string
}

export const MESSAGES = {
  expired: '登录状态已过期，请重新登录',
  forbidden: '您没有权限！',
  failed: '服务器出错!',
  tooMany: '操作过于频繁，请稍后再试',
  full: '服务器存储空间不足，暂时无法保存，请联系管理员',
  unavailable: '服务暂时不可用，请稍后再试',
} as const
