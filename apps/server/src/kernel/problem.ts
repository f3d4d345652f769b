import { CODE, MESSAGES, type RefusalData } from '@oms/contract/kernel/envelope.ts'

type BodyCode = 400 | 401 | 403 | 501

/** What the caller did wrong, in words fit for a toast. Anything else thrown is our fault and becomes a 500. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: BodyCode
  readonly data: RefusalData | null

  constructor(code: BodyCode, msg: string, data: RefusalData | null = null) {
    super(msg)
    this.code = code
    this.data = data
  }
}

/** A refusal that belongs to the transport: the HTTP status carries it, and the body repeats it. */
export class TransportProblem extends Error {
  override readonly name = 'TransportProblem'
  readonly status: 401 | 404 | 405 | 408 | 413 | 415 | 429 | 503
  readonly retryAfter: number | undefined

  constructor(status: TransportProblem['status'], msg: string, retryAfter?: number) {
    super(msg)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const invalid = (msg: string, field?: string) => new Problem(CODE.invalid, msg, field ? { field } : null)
export const conflict = invalid
export const notFound = (what: string) => new Problem(CODE.invalid, `${what}不存在或已被删除`)
export const forbidden = () => new Problem(CODE.refused, MESSAGES.forbidden)
export const refused = (msg: string, data: RefusalData | null = null) => new Problem(CODE.refused, msg, data)
export const expired = (msg: string = MESSAGES.expired) => new Problem(CODE.expired, msg)
export const barred = (msg: string) => new Problem(CODE.barred, msg)
export const tooMany = (seconds: number, msg: string = MESSAGES.tooMany) => new TransportProblem(429, msg, seconds)

/** Somebody saved first: names who and when, and the revision now stored, so that the form can go on. */
export const stale = (by: string, at: string, rev: number) =>
  new Problem(CODE.invalid, `该数据已被${by || '他人'}于 ${at} 修改，请核对后再保存`, { conflict: { by, at, rev } })
