import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { tenants } from '#db/schema/tenant.ts'
import { conflict, notFound } from '#kernel/problem.ts'
import { alive } from '#kernel/tenancy.ts'

/**
 * Makes room for one more account of a tenant, or says that its quota is used up. The tenant's row stays locked until the
 * transaction ends: of two accounts made at the same moment the second one counts the first.
 */
export async function assertAccountRoom(db: Db, tenantId: number) {
  const [tenant] = await db
    .select({ quota: tenants.accountCount })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), alive(tenants)))
    .for('update')
  if (!tenant) throw notFound('客户')
  if (tenant.quota < 0) return
  const [used] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), alive(accounts)))
  if ((used?.n ?? 0) >= tenant.quota) throw conflict(`账号数量已达上限（${tenant.quota}个），请联系管理员`)
}
