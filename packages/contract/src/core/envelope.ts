/**
 * Response body of every call. `code` is the business result (see `RESPONSE_CODE`); `msg` is a message for the user.
 */
export interface Envelope<Data = unknown> {
  readonly code: number
  readonly msg: string
  readonly data: Data
}

/** Result codes of the specification. The HTTP status describes only the transport. */
export const RESPONSE_CODE = {
  ok: 200,
  /** Invalid input, missing record or conflict; `data.field` names the field, `data.fields` all fields. */
  invalid: 400,
  /** No session, or the session has expired. */
  expired: 401,
  /** The account or its tenant is disabled, expired or not allowed here. */
  suspended: 403,
  failed: 500,
  /** Error with a message for the user, usually a missing permission. */
  refused: 501,
} as const

/** `data` of an error response. */
export interface ApiErrorData {
  readonly field?: string | undefined
  /** The problems of all fields, when there are several. The first is `field` with `msg` of the response. */
  readonly fields?: readonly { readonly field: string; readonly msg: string }[]
  /** The next login attempt requires a captcha. */
  readonly captcha?: boolean
  /** The login requires a one-time password. */
  readonly totp?: boolean
  /**
   * Optimistic lock conflict: who saved the record (empty: a job), whether it was the caller, when, and the stored
   * revision. The account number of another person is not part of the response.
   */
  readonly conflict?: { readonly by: string; readonly isOwn: boolean; readonly at: string; readonly rev: number }
  /** Seconds until the next attempt is allowed. */
  readonly retryAfter?: number
  /** Request id for support; the server's log contains the cause under the same id. */
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
