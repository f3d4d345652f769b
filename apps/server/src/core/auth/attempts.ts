import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '#core/database/client.ts'
import { loginFailures } from '#core/schema/account.ts'
import { ApiError } from '#core/http/api-error.ts'

/** Maximum number of waiting attempts of one account in this process. Further attempts are refused. */
const MAX_WAITING = 50
/** Expiry of a claim whose process was killed. The value must stay below the shortest lock-out (see `LOCKED`). */
const CLAIM_SECONDS = 9
const CLAIM_WITHIN_MS = 5_000
const POLL_MS = 30

/**
 * Runs attempts to prove an account's password or code one at a time. A queue orders the attempts of this process, and
 * a claim in the database those of all processes. An attempt therefore sees every earlier failure before its own hash
 * is computed.
 */
export class CredentialAttempts {
  readonly #database: Pick<Database, 'db'>
  readonly #last = new Map<string, { readonly done: Promise<unknown>; waiting: number }>()

  constructor(database: Pick<Database, 'db'>) {
    this.#database = database
  }

  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    const name = account.toLowerCase().slice(0, 64)
    const before = this.#last.get(name)
    if (before && before.waiting >= MAX_WAITING) throw tooMany()
    const running = (before?.done ?? Promise.resolve()).then(() => this.#claimed(name, work))
    const entry = { done: running.catch(() => {}), waiting: (before?.waiting ?? 0) + 1 }
    this.#last.set(name, entry)
    void entry.done.then(() => {
      const latest = this.#last.get(name)
      if (latest === entry) this.#last.delete(name)
      else if (latest) latest.waiting -= 1
    })
    return running
  }

  async #claimed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { db } = this.#database
    const key = `c:${name}`
    const holder = randomInt(1, 2 ** 31 - 1)
    await this.#claim(key, holder)
    try {
      return await work()
    } finally {
      await db.delete(loginFailures).where(and(eq(loginFailures.key, key), eq(loginFailures.count, holder)))
    }
  }

  async #claim(key: string, holder: number) {
    const until = performance.now() + CLAIM_WITHIN_MS
    for (;;) {
      const { rowCount } = await this.#database.db.execute(sql`
        insert into login_failures as f (key, count, last_time, lock_until)
        values (${key}, ${holder}, now(), now() + make_interval(secs => ${CLAIM_SECONDS}))
        on conflict (key) do update set count = excluded.count, last_time = excluded.last_time,
          lock_until = excluded.lock_until
        where f.lock_until < now() or f.last_time > now() + interval '1 minute'`)
      if (rowCount) return
      if (performance.now() > until) throw tooMany()
      await sleep(POLL_MS)
    }
  }
}

const tooMany = () => new ApiError(400, '登录过于频繁，请稍后再试', { retryAfter: 5 })
