import { and, eq, exists, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#schema/account.ts'
import { selectMenusOfTenant, SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

const MAX_HOLDERS = 500

/**
 * Returns the enabled accounts of a tenant that hold a permission now. Callers send these accounts messages about work
 * that needs the permission.
 */
export async function listAccountsWithPermission(db: Db, tenantId: number, permission: string): Promise<number[]> {
  const offered =
    tenantId === PLATFORM_TENANT_ID
      ? sql``
      : sql`and m.id in (select menu_id from ${selectMenusOfTenant(tenantId)} as o)`
  const byMenu = exists(sql`(select from account_roles ar
    join roles r on r.id = ar.role_id and r.status = 1 and r.deleted_at is null and r.tenant_id = ${tenantId}
    join role_menus rm on rm.role_id = r.id
    join menus m on m.id = rm.menu_id and m.status = 1 and m.deleted_at is null and m.perms = ${permission} ${offered}
    where ar.uid = ${accounts.uid})`)
  return uidsOf(
    db,
    and(eq(accounts.tenantId, tenantId), tenantId === PLATFORM_TENANT_ID ? or(byMenu, isSuper) : byMenu),
  )
}

const isSuper = exists(
  sql`(select from account_roles ar where ar.uid = ${accounts.uid} and ar.role_id = ${SUPER_ROLE_ID})`,
)

async function uidsOf(db: Db, which: SQL | undefined) {
  const rows = await db
    .select({ uid: accounts.uid })
    .from(accounts)
    .where(and(which, eq(accounts.status, 1), notDeleted(accounts)))
    .orderBy(accounts.uid)
    .limit(MAX_HOLDERS)
  return rows.map(({ uid }) => uid)
}
