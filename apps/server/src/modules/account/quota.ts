import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/**
 * Throws when the tenant's account quota is used up. Locks the tenant's row until the transaction ends, so that a
 * simultaneous creation counts this account.
 */
export async function assertAccountQuota(db: Db, tenantId: number) {
  const [tenant] = await db
    .select({ quota: tenants.accountCount })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))
    .for('update')
  if (!tenant) throw notFound('客户')
  if (tenant.quota < 0) return
  const [used] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), notDeleted(accounts)))
  if ((used?.n ?? 0) >= tenant.quota) throw conflict(`账号数量已达上限（${tenant.quota}个），请联系管理员`)
}
