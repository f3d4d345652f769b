import { and, eq, exists, or, type SQL, sql } from 'drizzle-orm'
import { DATA_SCOPE_CODE, selectMenusOfTenant, SUPER_ROLE_ID } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

const MAX_HOLDERS = 500

/**
 * Returns the enabled accounts of a tenant that hold a permission now. Callers send these accounts messages about work
 * that needs the permission. Use `listPlatformStaff` for a message to the platform that names data of other tenants.
 */
export const listAccountsWithPermission = (db: Db, tenantId: number, permission: string): Promise<number[]> =>
  uidsOf(db, buildHolderCondition(tenantId, permission))

/**
 * Returns the enabled accounts of the platform that hold a permission now. Their data scope contains all tenants that a
 * message names.
 */
export const listPlatformStaff = (
  db: Db,
  permission: string,
  concerned: readonly number[] | 'all',
): Promise<number[]> =>
  uidsOf(db, and(buildHolderCondition(PLATFORM_TENANT_ID, permission), isScopeContaining(concerned)))

/** A record that a message asks accounts to change. */
interface NotifiedRecord {
  readonly tenantId: number
  readonly createBy: number | null
  /** Tenants that a change of the record affects, for a record of the platform. */
  readonly reached: readonly number[] | 'all'
}

/**
 * Returns the enabled accounts of the record's tenant that hold a permission and may change the record now: their data
 * scope contains all affected tenants, and accounts limited to their own records receive only these.
 */
export const listAccountsForRecord = (
  db: Db,
  permission: string,
  { tenantId, createBy, reached }: NotifiedRecord,
): Promise<number[]> =>
  uidsOf(
    db,
    and(
      buildHolderCondition(tenantId, permission),
      tenantId === PLATFORM_TENANT_ID ? isScopeContaining(reached) : undefined,
      or(isSuper, seesRecordsOfOthers, eq(accounts.uid, createBy ?? 0)),
    ),
  )

/** Returns the condition on `accounts` for the accounts of a tenant that hold a permission now. */
export function buildHolderCondition(tenantId: number, permission: string) {
  const offered =
    tenantId === PLATFORM_TENANT_ID
      ? sql``
      : sql`and m.id in (select menu_id from ${selectMenusOfTenant(tenantId)} as o)`
  const byMenu = exists(sql`(select from account_roles ar
    join roles r on r.id = ar.role_id and r.status = 1 and r.deleted_at is null and r.tenant_id = ${tenantId}
    join role_menus rm on rm.role_id = r.id
    join menus m on m.id = rm.menu_id and m.status = 1 and m.deleted_at is null and m.perms = ${permission} ${offered}
    where ar.uid = ${accounts.uid})`)
  return and(eq(accounts.tenantId, tenantId), tenantId === PLATFORM_TENANT_ID ? or(byMenu, isSuper) : byMenu)
}

const rolesOfStaff = sql`account_roles ar join roles r on r.id = ar.role_id and r.status = 1 and r.deleted_at is null
  and r.tenant_id = ${PLATFORM_TENANT_ID} where ar.uid = ${accounts.uid}`

/**
 * Returns the SQL condition that the data scope of a platform account contains the given tenants. Follows the rules of
 * `loadRights`.
 */
function isScopeContaining(concerned: readonly number[] | 'all') {
  const seesAll = or(isSuper, sql`exists (select from ${rolesOfStaff} and r.data_scope = ${DATA_SCOPE_CODE.all})`)
  if (concerned === 'all') return seesAll
  return or(
    seesAll,
    sql`not exists (select from unnest(${sql.param([...concerned])}::int[]) c(id) where c.id <> ${PLATFORM_TENANT_ID}
      and not exists (select from ${rolesOfStaff} and r.data_scope = ${DATA_SCOPE_CODE.chosen}
        and (c.id = any(r.scope_ids) or exists (select from tenants t
          where t.id = c.id and t.create_by = ${accounts.uid} and t.deleted_at is null))))`,
  )
}

/**
 * SQL condition that an account sees records of other accounts. Equal to `ownOnly` being false in the data scope that
 * `loadRights` computes.
 */
const seesRecordsOfOthers = sql`exists (select from account_roles ar join roles r on r.id = ar.role_id and r.status = 1
  and r.deleted_at is null and r.tenant_id = ${accounts.tenantId} and r.data_scope <> ${DATA_SCOPE_CODE.mine}
  where ar.uid = ${accounts.uid})`

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
