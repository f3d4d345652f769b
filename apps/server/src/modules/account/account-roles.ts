import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

export interface HeldRole {
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
