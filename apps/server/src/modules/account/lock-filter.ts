import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'
import { LOCKED_OUT_CONDITION } from '#core/auth/lockout.ts'

/**
 * Names of accounts that are locked out from at least one address now. Such accounts are few, so lists query their
 * names directly.
 */
const lockedNames = sql`(select split_part(substr(lf.key, 3), '|', 1) from login_failures lf
  where ${LOCKED_OUT_CONDITION} and left(lf.key, 2) in ('a:', 'p:'))`

/** Column of a list: true when the account of the row is locked out. */
export const isAccountRowLocked = sql<boolean>`lower(${accounts.account}) in ${lockedNames}`

/** Returns the list condition: only locked accounts, only others, or undefined for all. */
export function buildLockedFilter(locked: 0 | 1 | undefined): SQL | undefined {
  if (locked === undefined) return undefined
  return locked === 1 ? isAccountRowLocked : sql`not (${isAccountRowLocked})`
}
