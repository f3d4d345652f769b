import { type Column, and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database, Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { forbidden, refused } from '#core/http/api-error.ts'

/** Id of the platform tenant, which administers all other tenants. */
export const PLATFORM_TENANT_ID = 1

/**
 * Returns the condition that every query on tenant data needs: rows of accessible tenants, and with `ownOnly` only rows
 * that the account created. `columns` names the table's tenant column and, for `ownOnly`, its creator column.
 */
export function scoped(user: User, columns: { tenant: Column; creator?: Column }): SQL | undefined {
  const { tenants, ownOnly } = user.scope
  const own = ownOnly && columns.creator ? eq(columns.creator, user.uid) : undefined
  if (tenants === 'all') return own
  return and(inScope(columns.tenant, tenants), own)
}

const inScope = (column: Column, tenants: readonly number[]) =>
  tenants.length === 0 ? sql`false` : tenants.length === 1 ? eq(column, tenants[0]!) : inArray(column, [...tenants])

/** Returns true when the account may access rows of that tenant. */
export const isTenantInScope = (user: User, tenantId: number | null) =>
  user.scope.tenants === 'all' || (tenantId !== null && user.scope.tenants.includes(tenantId))

/**
 * Returns the tenants in the data scope of limited platform staff, as an SQL array. Returns undefined for accounts without
 * this limit: staff of all tenants, and accounts of a tenant, which row-level security limits.
 */
export const buildStaffScope = ({ scope, isPlatform }: Pick<User, 'scope' | 'isPlatform'>): SQL | undefined =>
  isPlatform && scope.tenants !== 'all' ? sql`${sql.param([...scope.tenants])}::int[]` : undefined

/** True for staff of the platform, except in a session that was switched to a tenant. */
export const worksInPlatform = ({ isPlatform, tenantId }: Pick<User, 'isPlatform' | 'tenantId'>) =>
  isPlatform && tenantId === PLATFORM_TENANT_ID

/** Returns the condition that excludes deleted rows, which remain stored but are never shown. */
export const notDeleted = (table: { deletedAt: Column }) => isNull(table.deletedAt)

/**
 * Runs `work` in one transaction. Accounts of tenants additionally run under row-level security: PostgreSQL itself
 * shows only the rows of their tenant (migration 0001).
 */
export function inTransaction<T>(database: Pick<Database, 'db'>, user: User | null, work: (db: Db) => Promise<T>) {
  return database.db.transaction(async (tx) => {
    const policy = rowSecurityStatement(user)
    if (policy) await tx.execute(policy)
    return work(tx)
  })
}

/** Returns true when the account runs under row-level security. Its reads then need a transaction too. */
export const hasRowSecurity = (user: User | null): user is User =>
  user !== null && !user.isPlatform && user.tenantId !== null

/**
 * Reads rows of all tenants with the connection of the caller's transaction, for rules that involve rows of the
 * platform. A second connection would block all callers once each of them holds the first. `work` must run its
 * statements one after the other.
 */
export async function withoutRowSecurity<T>(
  { db, user }: { readonly db: Db; readonly user: User | null },
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const policy = rowSecurityStatement(user)
  if (!policy) return work(db)
  await db.execute(sql`set local role none`)
  const restore = () => db.execute(policy)
  try {
    const result = await work(db)
    await restore()
    return result
  } catch (error) {
    // The restore fails after a database error, because the transaction then accepts no further statement.
    await restore().catch(() => {})
    throw error
  }
}

const rowSecurityStatement = (user: User | null) => (hasRowSecurity(user) ? limitTo(Number(user.tenantId)) : undefined)

const limitTo = (tenantId: number) => sql.raw(`set local role oms_tenant; set local oms.tenant = '${tenantId}'`)

/** Runs `work` in one transaction under row-level security, for callers without an account, such as users of Apps. */
export const runInTenant = <T>(database: Pick<Database, 'db'>, tenantId: number, work: (db: Db) => Promise<T>) =>
  database.db.transaction(async (tx) => {
    await tx.execute(limitTo(tenantId))
    return work(tx)
  })

/** Runs `work` in a transaction, for handlers that run outside one (see `ModuleOptions.outsideTransaction`). */
export const transact = <T>(
  { services, user }: Pick<Ctx, 'services'> & { user: User | null },
  work: (db: Db) => Promise<T>,
) => inTransaction(services.database, user, work)

/**
 * Runs the whole change of a handler in a transaction, and commits the row of the operation log with it. `work` calls
 * `audit` before it returns.
 */
export const transactWithOperationLog = <T>(
  ctx: Pick<Ctx, 'services' | 'recordIn'> & { user: User | null },
  work: (db: Db) => Promise<T>,
) =>
  transact(ctx, async (db) => {
    const result = await work(db)
    await ctx.recordIn(db)
    return result
  })

/** Refuses staff whose data scope does not contain all tenants, also while the session works inside one tenant. */
export function assertSeesAllTenants({ isPlatform, scope }: Pick<User, 'isPlatform' | 'scope'>) {
  if (!isPlatform) throw forbidden()
  if (scope.tenants !== 'all') throw refused(SHARED_DATA_MESSAGE)
}

/** Refuses an account limited to its own records to change a setting of its whole tenant. */
export function assertSeesAllRecords({ scope }: Pick<User, 'scope'>) {
  if (scope.ownOnly) throw refused('该设置由整个客户共用，您的数据范围是仅本人，只能查看')
}

/** True when the call changes data that all tenants share, which needs a data scope with all tenants. */
export const changesSharedData = (
  user: Pick<User, 'isPlatform' | 'tenantId'>,
  { allTenants, createsSharedRows }: Pick<Endpoint, 'allTenants' | 'createsSharedRows'>,
) => allTenants === true || (createsSharedRows === true && worksInPlatform(user))

/** True when the account holds the permission of the call and, for shared data, sees all tenants. */
export function mayCall(user: User, endpoint: Endpoint): boolean {
  const { access } = endpoint
  if (access !== 'session' && access !== 'public' && !user.can(access)) return false
  return !changesSharedData(user, endpoint) || (user.isPlatform && user.scope.tenants === 'all')
}

/**
 * Refuses to change or reveal a row of the platform that all tenants use, unless the data scope contains all tenants.
 * Accepts rows of other tenants.
 */
export function assertMayChangeSharedRow(user: Pick<User, 'isPlatform' | 'scope'>, tenantId: number | undefined) {
  if (tenantId === PLATFORM_TENANT_ID) assertSeesAllTenants(user)
}
