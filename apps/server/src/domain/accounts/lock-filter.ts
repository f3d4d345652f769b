import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '#schema/account.ts'
import { LOCKED } from '#core/auth/lockout.ts'

/**
 * Names of accounts that are locked out from at least one address now. Such accounts are few, so lists query their
 * names directly.
 */
const lockedNames = sql`(select split_part(substr(lf.key, 3), '|', 1) from login_failures lf
  where ${LOCKED} and left(lf.key, 2) in ('a:', 'p:'))`

/** Column of a list: true when the account of the row is locked out. */
export const isLocked = sql<boolean>`lower(${accounts.account}) in ${lockedNames}`

/** Returns the list condition: only locked accounts, only others, or undefined for all. */
export function lockedIs(locked: 0 | 1 | undefined): SQL | undefined {
  if (locked === undefined) return undefined
  return locked === 1 ? isLocked : sql`not (${isLocked})`
}
