import { tooMany } from '#core/http/api-error.ts'

const MAX_KEYS = 50_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Limits calls per minute by key with a token bucket: a burst of one minute's calls is allowed, the refill is even.
 * Counters belong to this process; with several processes the effective limit is multiplied by their number.
 */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  /** Uses a monotonic clock. If the system clock were set back by a day, all callers would be blocked for a day. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes one call of `key`, or throws HTTP 429 with the seconds to wait. */
  take(key: string, perMinute: number) {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    if (bucket.tokens < 1) throw tooMany(Math.ceil(((1 - bucket.tokens) * 60) / perMinute))
    bucket.tokens -= 1
    if (!this.#buckets.has(key)) this.#make(key, bucket)
  }

  /** Takes one call of `key` and returns true. Returns false when no call is left. */
  tryTake(key: string, perMinute: number): boolean {
    try {
      this.take(key, perMinute)
      return true
    } catch {
      return false
    }
  }

  /** Returns one call of `key` to its bucket, for a call that turned out not to count. */
  giveBack(key: string, perMinute: number) {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.tokens = Math.min(perMinute, bucket.tokens + 1)
  }

  #make(key: string, bucket: Bucket) {
    // The oldest buckets are full again, so removing one changes no limit.
    if (this.#buckets.size >= MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value as string)
    this.#buckets.set(key, bucket)
  }
}
