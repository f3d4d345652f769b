import type { RefusalData } from '@oms/contract/kernel/envelope.ts'

/**
 * A call that did not succeed: `message` is for the person, `field` the form item it belongs to.
 * `code` is the body code, or the HTTP status when the answer had no body of ours; 0 without any answer.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number
  readonly data: RefusalData

  constructor(code: number, message: string, data: RefusalData = {}) {
    super(message)
    this.code = code
    this.data = data
  }

  get field() {
    return this.data.field
  }

  /** Somebody saved the record first. */
  get conflict() {
    return this.data.conflict
  }

  /** No answer, or a broken server: the same request may be sent again. */
  get worthRetrying() {
    return this.code === 0 || this.code >= 500
  }
}

export const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal
