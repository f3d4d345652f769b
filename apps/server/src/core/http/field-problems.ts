import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { ApiError } from './api-error.ts'

/** Maximum number of problems in a response. */
const MAX_PROBLEMS = 50

/** Collects the problems of several fields, so that one response names all of them. */
export class FieldProblems {
  readonly #msgs = new Map<string, string>()

  /** Adds the problem of a field. Only the first problem of a field is kept. */
  add(field: string, msg: string) {
    if (!this.#msgs.has(field) && this.#msgs.size < MAX_PROBLEMS) this.#msgs.set(field, msg)
  }

  /**
   * Returns the result of a check. When the check refuses a field, its problem is kept and undefined is returned. Other
   * errors are thrown at once. Writes of a check are rolled back with the transaction of the call.
   */
  async collect<T>(check: () => T): Promise<Awaited<T> | undefined> {
    try {
      return await check()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== RESPONSE_CODE.invalid || !error.data?.field) throw error
      for (const { field, msg } of error.data.fields ?? [{ field: error.data.field, msg: error.message }])
        this.add(field, msg)
      return undefined
    }
  }

  /** Returns one error with all problems. Its message is that of the first problem. */
  toError(): ApiError | undefined {
    const fields = [...this.#msgs].map(([field, msg]) => ({ field, msg }))
    const [first] = fields
    if (!first) return undefined
    return new ApiError(RESPONSE_CODE.invalid, first.msg, {
      field: first.field,
      ...(fields.length > 1 && { fields }),
    })
  }

  throwIfAny() {
    const error = this.toError()
    if (error) throw error
  }
}

/** Runs all checks, and throws one error with the problems of all of them. */
export async function assertAll(...checks: readonly (() => unknown)[]) {
  const problems = new FieldProblems()
  for (const check of checks) {
    // oxlint-disable-next-line no-await-in-loop -- the checks use one connection, and their order decides the message
    await problems.collect(check)
  }
  problems.throwIfAny()
}
