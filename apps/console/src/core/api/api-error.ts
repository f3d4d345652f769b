import type { ApiErrorData } from '@oms/contract/core/envelope.ts'

/**
 * Error of a failed call. `message` is for the user; `field` is the form field of the error. `code` is the body code,
 * or the HTTP status when the response has no envelope, or 0 without a response.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly data: ApiErrorData

  constructor(code: number, message: string, data: ApiErrorData = {}) {
    super(message)
    this.code = code
    this.data = data
  }

  get field() {
    return this.data.field
  }

  /** Returns the problems of all fields. */
  get fields(): readonly { readonly field: string; readonly msg: string }[] {
    const { field, fields } = this.data
    return fields ?? (field ? [{ field, msg: this.message }] : [])
  }

  /** Returns whether the error is an optimistic lock conflict. */
  get conflict() {
    return this.data.conflict
  }

  /** Returns whether the request may be repeated: no response was received, or the server failed. */
  get worthRetrying() {
    return this.code === 0 || this.code >= 500
  }
}

/** Returns the message of a refusal; `other` for errors of the browser and of libraries, which are in English. */
export const findRefusalMessage = (error: unknown, other: string): string =>
  error instanceof ApiError ? error.message : other

export const isApiError = (error: unknown): error is ApiError => error instanceof ApiError
