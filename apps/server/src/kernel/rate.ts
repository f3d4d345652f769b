import { tooMany } from './problem.ts'

const MAX_KEYS = 50_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Calls a minute by key, as a token bucket: a burst of the whole minute is fine, the refill is even. Counts are those of
 * this process; behind several processes the limit is that many times as wide.
 */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  /** A clock that never jumps: set back by a day, the wall's would lock everybody out for a day. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes one call of `key`, or refuses with HTTP 429 and the seconds to wait. */
  take(key: string, perMinute: number) {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    if (bucket.tokens < 1) throw tooMany(Math.ceil(((1 - bucket.tokens) * 60) / perMinute))
    bucket.tokens -= 1
    if (!this.#buckets.has(key)) this.#make(key, bucket)
  }

  #make(key: string, bucket: Bucket) {
    // The oldest keys have long been refilled: forgetting one forgets nothing.
    if (this.#buckets.size >= MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value as string)
    this.#buckets.set(key, bucket)
  }
}
