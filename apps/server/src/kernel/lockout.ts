import { inArray, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { loginFailures } from '#db/schema/account.ts'

/** Failures older than this are forgotten. */
const MEMORY = '12 hours'
/** Failures that count: not those forgotten, nor those written while the clock ran ahead, whose locks would last for months. */
const counts = (row: string) =>
  sql.raw(`${row}.last_time between now() - interval '${MEMORY}' and now() + interval '1 minute'`)

export interface Guess {
  readonly account: string
  readonly ip: string
}
export interface Standing {
  /** Seconds until the next attempt is looked at; 0 now. */
  readonly waitSeconds: number
  /** Waiting for a lock of minutes, however much of it is left, not for the seconds that slow guesses down. */
  readonly isLocked: boolean
  readonly failures: number
}
interface Limits {
  readonly captchaAfter: number
  readonly lockAfter: number
  readonly lockMinutes: number
}

/** Failures are counted for the account from this address, for the account from anywhere, and for the address. */
export const failureKeys = ({ account, ip }: Guess) => {
  const name = account.toLowerCase().slice(0, 64)
  return { pair: `p:${name}|${ip}`, account: `a:${name}`, address: `i:${ip}` }
}

/** An account locked from one address stays open from others: nobody can lock a colleague out from afar, but for this many times the limit. */
const FROM_ANYWHERE = 10
const FROM_ONE_ADDRESS = 20
/** From this failure on one account and address, attempts wait; an office behind one address must not slow each other. */
const SLOW_AFTER = 3
/** Seconds an attempt waits at most before the account is locked. */
const LONGEST_DELAY = 8

/** SQL condition on a row `lf` of login_failures: a lock under way. Delays before the lock are seconds, locks minutes. */
export const LOCKED = sql.raw(
  `lf.lock_until > now() and lf.lock_until > lf.last_time + interval '${LONGEST_DELAY + 2} seconds'
   and lf.last_time < now() + interval '1 minute'`,
)

/** Where this guess stands before its password is looked at. */
export async function standingOf(db: Db, guess: Guess): Promise<Standing> {
  const keys = failureKeys(guess)
  const { rows } = await db.execute<{ key: string; count: number; wait: number; locked: boolean }>(sql`
    select key, count, greatest(0, ceil(extract(epoch from lock_until - now())))::int as wait,
      coalesce(${LOCKED}, false) as locked from login_failures lf
    where key in ${Object.values(keys)} and ${counts('lf')}`)
  return {
    waitSeconds: Math.max(0, ...rows.map(({ wait }) => wait ?? 0)),
    isLocked: rows.some(({ locked }) => locked),
    failures: rows.find(({ key }) => key === keys.pair)?.count ?? 0,
  }
}

/**
 * Counts one failure and answers how long the next attempt has to wait: after `lockAfter` for the lock's minutes, and
 * before that a delay that doubles from one second.
 */
export async function recordFailure(db: Db, guess: Guess, limits: Limits): Promise<Standing> {
  const keys = failureKeys(guess)
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
): Promise<Standing> {
  // The first failure is written by the insert, which counts like the rest: a limit of one is reached by it.
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

/** Forgets the failures of an account that has just shown its password; the address keeps its count. */
export async function forgive(db: Db, guess: Guess) {
  const keys = failureKeys(guess)
  await db.delete(loginFailures).where(inArray(loginFailures.key, [keys.pair, keys.account]))
}

/** Lifts every lock of an account, from all addresses: the administrator's unlock. */
export async function unlock(db: Db, account: string) {
  const name = account.toLowerCase()
  await db.execute(sql`delete from login_failures where key = ${`a:${name}`} or starts_with(key, ${`p:${name}|`})`)
}

/** SQL condition: is an account of this name (lower case) locked from some address now? */
export const lockedAccount = (name: unknown) => sql<boolean>`exists (select from login_failures lf
  where ${LOCKED} and (lf.key = 'a:' || lower(${name}) or starts_with(lf.key, 'p:' || lower(${name}) || '|')))`
