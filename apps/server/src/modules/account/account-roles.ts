import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'
import { LOCKED_OUT_CONDITION } from '#core/auth/lockout.ts'
import type { Db } from '#core/database/client.ts'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

interface HeldRole {
  readonly id: number
  readonly roleName: string
  readonly roleCode: string
  readonly status: number
}

/** Returns the roles of several accounts with one query. Accounts without roles are absent from the map. */
export async function readRolesOfAccounts(db: Db, uids: readonly number[]): Promise<Map<number, HeldRole[]>> {
  const held = new Map<number, HeldRole[]>()
  if (uids.length === 0) return held
  const rows = await db
    .select({
      uid: accountRoles.uid,
      id: roles.id,
      roleName: roles.roleName,
      roleCode: roles.roleCode,
      status: roles.status,
    })
    .from(accountRoles)
    .innerJoin(accounts, eq(accounts.uid, accountRoles.uid))
    .innerJoin(roles, and(eq(roles.id, accountRoles.roleId), eq(roles.tenantId, accounts.tenantId)))
    .where(and(inArray(accountRoles.uid, [...uids]), notDeleted(roles)))
    .orderBy(asc(roles.roleSort), asc(roles.id))
  for (const { uid, ...role } of rows) held.set(uid, [...(held.get(uid) ?? []), role])
  return held
}

interface Bare {
  readonly uid: number
  readonly mobileNo: string | null
  readonly email: string | null
}

/** Adds roles to account rows and masks contact details unless `plain` is true. */
export async function addRoles<R extends Bare>(db: Db, rows: readonly R[], { plain }: { plain: boolean }) {
  const roles = await readRolesOfAccounts(
    db,
    rows.map(({ uid }) => uid),
  )
  return rows.map((row) => {
    const held = roles.get(row.uid) ?? []
    return {
      ...row,
      ...(!plain && { mobileNo: maskMobile(row.mobileNo), email: maskEmail(row.email) }),
      roleIds: held.map(({ id }) => id),
      roleNames: held.map(({ roleName }) => roleName),
    }
  })
}

/**
 * Returns the condition for accounts without a role of their tenant (1) or with such a role (0). Returns undefined
 * without a value.
 */
export function buildRolelessFilter(roleless: 0 | 1 | undefined): SQL | undefined {
  if (roleless === undefined) return undefined
  const held = sql`exists (select from account_roles ar join roles r on r.id = ar.role_id
    where ar.uid = ${accounts.uid} and r.tenant_id = ${accounts.tenantId} and r.deleted_at is null)`
  return roleless === 1 ? sql`not ${held}` : held
}

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
