import { type Column, and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database, Db } from '#db/client.ts'
import type { Ctx, User } from './context.ts'

/** The vendor itself: the tenant that administers all others. */
export const PLATFORM_TENANT_ID = 1

/**
 * The condition every query on tenant data carries: rows of the tenants the account may see, and only its own ones when
 * its roles say so. `columns` names the table's tenant and, where `ownOnly` scopes make sense, its creator.
 */
export function scoped(user: User, columns: { tenant: Column; creator?: Column }): SQL | undefined {
  const { tenants, ownOnly } = user.scope
  const own = ownOnly && columns.creator ? eq(columns.creator, user.uid) : undefined
  if (tenants === 'all') return own
  return and(inScope(columns.tenant, tenants), own)
}

const inScope = (column: Column, tenants: readonly number[]) =>
  tenants.length === 0 ? sql`false` : tenants.length === 1 ? eq(column, tenants[0]!) : inArray(column, [...tenants])

/** May this account touch rows of that tenant at all? */
export const reaches = (user: User, tenantId: number | null) =>
  user.scope.tenants === 'all' || (tenantId !== null && user.scope.tenants.includes(tenantId))

/** Deleted rows are kept, and never shown. */
export const alive = (table: { deletedAt: Column }) => isNull(table.deletedAt)

/**
 * Runs `work` in one transaction. A customer's account is put behind the second wall: PostgreSQL itself shows it only
 * the rows of its tenant (row-level security, migration 0001).
 */
export function inTransaction<T>(database: Pick<Database, 'db'>, user: User | null, work: (db: Db) => Promise<T>) {
  return database.db.transaction(async (tx) => {
    const wall = tenantWall(user)
    if (wall) await tx.execute(wall)
    return work(tx)
  })
}

/** Does this account run behind the wall? Then reads need a transaction too. */
export const isWalled = (user: User | null): user is User => user !== null && !user.isPlatform && user.tenantId !== null

function tenantWall(user: User | null) {
  if (!isWalled(user)) return undefined
  return sql.raw(`set local role oms_tenant; set local oms.tenant = '${Number(user.tenantId)}'`)
}

/** The transaction of a handler that runs outside one (see `ModuleOptions.outsideTransaction`). */
export const transact = <T>(
  { kernel, user }: Pick<Ctx, 'kernel'> & { user: User | null },
  work: (db: Db) => Promise<T>,
) => inTransaction(kernel.database, user, work)
