import type { User } from '#core/http/context.ts'
import { HttpError, tooMany } from '#core/http/api-error.ts'

/** Limit per session. Each open console page holds one stream. */
const STREAMS_PER_SESSION = 10
const STREAMS_PER_ACCOUNT = 30
const RETRY_SECONDS = 30
const TOO_MANY = '同时打开的页面过多，请关闭不用的页面'

/**
 * Counts the open event streams of this process. A session, an account and all accounts together each have a limit. The
 * total limit is half of the connections, so that the other half remains for calls.
 */
export class StreamLimits {
  readonly #most: number
  readonly #open = new Map<string, number>()
  #total = 0

  constructor(maxConnections: number) {
    this.#most = Math.max(1, Math.floor(maxConnections / 2))
  }

  get total() {
    return this.#total
  }

  /**
   * Counts a new stream of this session, or throws when a limit is reached. Returns the function that releases the
   * stream.
   */
  open({ sessionId, uid }: Pick<User, 'sessionId' | 'uid'>): () => void {
    const session = `s:${sessionId}`
    const account = `a:${uid}`
    if (this.#of(session) >= STREAMS_PER_SESSION || this.#of(account) >= STREAMS_PER_ACCOUNT)
      throw tooMany(RETRY_SECONDS, TOO_MANY)
    if (this.#total >= this.#most) throw new HttpError(503, '服务暂时不可用，请稍后再试', RETRY_SECONDS)
    this.#add(session, 1)
    this.#add(account, 1)
    this.#total += 1
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#add(session, -1)
      this.#add(account, -1)
      this.#total -= 1
    }
  }

  #of(key: string) {
    return this.#open.get(key) ?? 0
  }

  #add(key: string, change: number) {
    const count = this.#of(key) + change
    if (count > 0) this.#open.set(key, count)
    else this.#open.delete(key)
  }
}
