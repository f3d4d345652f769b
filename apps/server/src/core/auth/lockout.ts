import { eq, inArray, sql, and } from 'drizzle-orm'
import type { Db, Database } from '#core/database/client.ts'
import { loginFailures } from '#core/schema/account.ts'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '#core/http/api-error.ts'

/** Age after which failures no longer count. */
const MEMORY = '12 hours'
/**
 * SQL condition: the failure counts. Expired failures do not count. Failures dated in the future, written while the
 * clock was wrong, do not count either; their locks would last for months.
 */
const counts = (row: string) =>
  sql.raw(`${row}.last_time between now() - interval '${MEMORY}' and now() + interval '1 minute'`)

interface LoginAttempt {
  readonly account: string
  readonly ip: string
}
export interface LockState {
  /** Seconds until the next attempt is accepted; 0 means now. */
  readonly waitSeconds: number
  /** True while the account is locked out, false during the short delay after a failure. */
  readonly isLocked: boolean
  readonly failures: number
}
interface Limits {
  readonly captchaAfter: number
  readonly lockAfter: number
  readonly lockMinutes: number
}

/** Returns the counter keys of a failure: account and address, account from any address, and address. */
const buildFailureKeys = ({ account, ip }: LoginAttempt) => {
  const name = account.toLowerCase().slice(0, 64)
  return { pair: `p:${name}|${ip}`, account: `a:${name}`, address: `i:${ip}` }
}

/**
 * Factor of the limit for failures of an account from all addresses together. A lock from one address leaves other
 * addresses open, so that nobody can easily lock out a colleague from elsewhere.
 */
const FROM_ANYWHERE = 10
const FROM_ONE_ADDRESS = 20
/**
 * Number of failures of one account from one address after which attempts are delayed. Failures of an address alone
 * cause no delay, because an office shares one address.
 */
const SLOW_AFTER = 3
/** Longest delay in seconds before the account is locked. */
const LONGEST_DELAY = 8

/** SQL condition on a row `lf` of login_failures: a lock is active. Delays last seconds, locks last minutes. */
export const LOCKED_OUT_CONDITION = sql.raw(
  `lf.lock_until > now() and lf.lock_until > lf.last_time + interval '${LONGEST_DELAY + 2} seconds'
   and lf.last_time < now() + interval '1 minute'`,
)

/** Returns the delay or lock that applies to this attempt before its password is checked. */
export async function readLockState(db: Db, guess: LoginAttempt): Promise<LockState> {
  const keys = buildFailureKeys(guess)
  const { rows } = await db.execute<{ key: string; count: number; wait: number; locked: boolean }>(sql`
    select key, count, greatest(0, ceil(extract(epoch from lock_until - now())))::int as wait,
      coalesce(${LOCKED_OUT_CONDITION}, false) as locked from login_failures lf
    where key in ${Object.values(keys)} and ${counts('lf')}`)
  return {
    waitSeconds: Math.max(0, ...rows.map(({ wait }) => wait ?? 0)),
    isLocked: rows.some(({ locked }) => locked),
    failures: rows.find(({ key }) => key === keys.pair)?.count ?? 0,
  }
}

/**
 * Counts one failure and returns the waiting time before the next attempt. After `lockAfter` failures, the waiting time
 * is the lock's minutes. Before, the delay starts at one second and doubles.
 */
export async function recordFailure(db: Db, guess: LoginAttempt, limits: Limits): Promise<LockState> {
  const keys = buildFailureKeys(guess)
  const pair = await count(db, keys.pair, limits.lockAfter, limits.lockMinutes, SLOW_AFTER)
  await count(db, keys.account, limits.lockAfter * FROM_ANYWHERE, limits.lockMinutes)
  await count(db, keys.address, limits.lockAfter * FROM_ONE_ADDRESS, limits.lockMinutes)
  return pair
}

async function count(
  db: Db,
  key: string,
  lockAfter: number,
  lockMinutes: number,
  slowAfter = lockAfter,
): Promise<LockState> {
  // The insert already counts the first failure, so that a limit of one takes effect.
  const { rows } = await db.execute<{ count: number; wait: number; locked: boolean }>(sql`
    insert into login_failures as f (key, count, last_time, lock_until)
    values (${key}, 1, now(), case when ${lockAfter}::int <= 1 then now() + make_interval(mins => ${lockMinutes}) end)
    on conflict (key) do update set (count, last_time, lock_until) = (
      select n, now(), case
        when n >= ${lockAfter} then now() + make_interval(mins => ${lockMinutes})
        when n >= ${slowAfter} then now() + make_interval(secs => least(${sql.raw(String(LONGEST_DELAY))}, power(2, n - 3)))
        end
      from (select case when not (${counts('f')}) or f.lock_until < now() and f.count >= ${lockAfter} then 1
        else f.count + 1 end as n) next)
    returning count, count >= ${lockAfter} as locked,
      greatest(0, ceil(extract(epoch from lock_until - now())))::int as wait`)
  return { failures: rows[0]?.count ?? 1, waitSeconds: rows[0]?.wait ?? 0, isLocked: rows[0]?.locked ?? false }
}

/**
 * Deletes the failures of an account whose password was correct. Subtracts the account's failures at this address from
 * the count of the address, at least one failure. Typing errors of an office therefore do not lock its address.
 */
export async function clearFailures(db: Db, guess: LoginAttempt) {
  const keys = buildFailureKeys(guess)
  const forgotten = await db
    .delete(loginFailures)
    .where(inArray(loginFailures.key, [keys.pair, keys.account]))
    .returning({ key: loginFailures.key, count: loginFailures.count })
  const own = forgotten.find(({ key }) => key === keys.pair)?.count ?? 0
  await db
    .update(loginFailures)
    .set({ count: sql`greatest(0, ${loginFailures.count} - ${Math.max(1, own)}::int)` })
    .where(eq(loginFailures.key, keys.address))
}

/** Removes every lock of an account for all addresses. Administrators use this function. */
export async function unlockAccount(db: Db, account: string) {
  const name = account.toLowerCase()
  await db.execute(sql`delete from login_failures where key = ${`a:${name}`} or starts_with(key, ${`p:${name}|`})`)
}

/** SQL condition: an account of this name (lower case) is locked from at least one address now. */
export const isAccountLocked = (name: unknown) => sql<boolean>`exists (select from login_failures lf
  where ${LOCKED_OUT_CONDITION} and (lf.key = 'a:' || lower(${name}) or starts_with(lf.key, 'p:' || lower(${name}) || '|')))`

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
