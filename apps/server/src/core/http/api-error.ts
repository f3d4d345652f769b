import { RESPONSE_CODE, MESSAGES, type ApiErrorData } from '@oms/contract/core/envelope.ts'

type BodyCode = 400 | 401 | 403 | 501

/** Error caused by the caller, with a message for a toast. Every other error is a server fault and becomes HTTP 500. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: BodyCode
  readonly data: ApiErrorData | null

  constructor(code: BodyCode, msg: string, data: ApiErrorData | null = null) {
    super(msg)
    this.code = code
    this.data = data
  }
}

/** Error with its own HTTP status; the body repeats the status. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: 401 | 404 | 405 | 408 | 410 | 413 | 415 | 429 | 503
  readonly retryAfter: number | undefined

  constructor(status: HttpError['status'], msg: string, retryAfter?: number) {
    super(msg)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const invalid = (msg: string, field?: string) =>
  new ApiError(RESPONSE_CODE.invalid, msg, field ? { field } : null)
export const conflict = invalid
export const notFound = (what: string) => new ApiError(RESPONSE_CODE.invalid, `${what}不存在或已被删除`)
export const forbidden = () => new ApiError(RESPONSE_CODE.refused, MESSAGES.forbidden)
export const refused = (msg: string, data: ApiErrorData | null = null) => new ApiError(RESPONSE_CODE.refused, msg, data)
export const expired = (msg: string = MESSAGES.expired) => new ApiError(RESPONSE_CODE.expired, msg)
export const suspended = (msg: string) => new ApiError(RESPONSE_CODE.suspended, msg)
export const tooMany = (seconds: number, msg: string = MESSAGES.tooMany) => new HttpError(429, msg, seconds)

type Conflict = NonNullable<ApiErrorData['conflict']>

/**
 * The earlier save that caused the conflict: name of the editor, time, and stored revision. `editor` is null for a
 * scheduled job. `isPlatformEditor` is true for staff of the platform.
 */
type Save = Omit<Conflict, 'isOwn'> & { readonly editor: number | null; readonly isPlatformEditor: boolean }
/** The account that receives the response. */
type Receiver = { readonly uid: number; readonly isPlatform: boolean } | null

/** Shown to accounts of tenants instead of the name of platform staff. */
const PLATFORM_STAFF = '平台人员'

/**
 * Optimistic-lock error. It contains the editor's name, the time and the stored revision, so that the form can
 * continue. The response says whether the caller is the editor, but contains no account number. Accounts of tenants do
 * not receive names of platform staff.
 */
export class StaleError extends ApiError {
  readonly #save: Save

  constructor(save: Save) {
    const { by, at, rev } = save
    super(RESPONSE_CODE.invalid, describeSave(save), { conflict: { by, at, rev, isOwn: false } })
    this.#save = save
  }

  /** Returns message and `data` of the response to an account. */
  responseFor(receiver: Receiver): { readonly msg: string; readonly data: ApiErrorData } {
    const { editor, isPlatformEditor, by, at, rev } = this.#save
    const isHidden = isPlatformEditor && receiver?.isPlatform !== true
    const shown = isHidden ? PLATFORM_STAFF : by
    const isOwn = editor !== null && editor === receiver?.uid
    return { msg: describeSave({ by: shown, at }), data: { conflict: { by: shown, at, rev, isOwn } } }
  }
}

const describeSave = ({ by, at }: Pick<Save, 'by' | 'at'>) => `该数据已被${by || '他人'}于 ${at} 修改，请核对后再保存`

/** Message of a change that lost against a simultaneous change. */
export const CONFLICT_MESSAGE = '数据正被他人修改，请稍后重试'
