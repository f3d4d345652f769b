import type { RateLimit } from '#core/http/limits/call-limits.ts'

const MAX_ACCOUNTS = 10_000

/** Limits how many rows of refused or failed writes one account can cause in the operation log. */
export class RefusalQuota {
  readonly #rate: RateLimit
  readonly #perMinute: number
  readonly #leftOut = new Map<number, number>()

  constructor(rate: RateLimit, perMinute: number) {
    this.#rate = rate
    this.#perMinute = perMinute
  }

  /**
   * Returns the number of rows omitted since the account's last row. Returns undefined when this row must be omitted
   * too.
   */
  tryTake(uid: number): number | undefined {
    const leftOut = this.#leftOut.get(uid) ?? 0
    if (this.#rate.tryTake(`refused:${uid}`, this.#perMinute)) {
      this.#leftOut.delete(uid)
      return leftOut
    }
    if (this.#leftOut.size >= MAX_ACCOUNTS) this.#leftOut.clear()
    this.#leftOut.set(uid, leftOut + 1)
    return undefined
  }
}
