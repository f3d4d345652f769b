import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import { LOCKED } from '../lockout.ts'

/** Names of accounts that are locked from some address right now: there are few at any time, so lists look them up here. */
const lockedNames = sql`(select split_part(substr(lf.key, 3), '|', 1) from login_failures lf
  where ${LOCKED} and left(lf.key, 2) in ('a:', 'p:'))`

/** Column of a list: is the account of this row locked? */
export const isLocked = sql<boolean>`lower(${accounts.account}) in ${lockedNames}`

/** Condition of a list: only locked ones, only the others, or all. */
export function lockedIs(locked: 0 | 1 | undefined): SQL | undefined {
  if (locked === undefined) return undefined
  return locked === 1 ? isLocked : sql`not (${isLocked})`
}
