import { and, eq, sql } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { agentProducts, agentProductVersions } from '../schema/agent-sales.ts'

/** The version of a package that an order refers to. */
export type OrderTerms = typeof agentProductVersions.$inferSelect & { readonly packageName: string }

/** Returns the current terms of a package that is offered to the tenant. */
export async function readTermsOnSale(
  { db }: Pick<Ctx, 'db'>,
  packageId: number,
  tenantId: number,
): Promise<OrderTerms> {
  const [found] = await db
    .select({ terms: agentProductVersions, packageName: agentProducts.packageName, status: agentProducts.status })
    .from(agentProducts)
    .innerJoin(
      agentProductVersions,
      and(
        eq(agentProductVersions.packageId, agentProducts.id),
        eq(agentProductVersions.version, agentProducts.currentVersion),
      ),
    )
    .where(and(eq(agentProducts.id, packageId), notDeleted(agentProducts)))
  if (!found) throw invalid('套餐不存在或已被删除', 'packageId')
  if (found.status !== 1) throw invalid('套餐已停用', 'packageId')
  const { tenantIds } = found.terms
  if (tenantIds.length > 0 && !tenantIds.includes(tenantId)) throw invalid('该套餐不适用于此客户', 'packageId')
  return { ...found.terms, packageName: found.packageName }
}

/** Marks the current terms of a package as sold and returns them. Sold terms never change. */
export async function lockPackageTerms(ctx: Pick<Ctx, 'db'>, packageId: number, tenantId: number): Promise<OrderTerms> {
  const { db } = ctx
  const terms = await readTermsOnSale(ctx, packageId, tenantId)
  if (terms.isSold === 1) return terms
  await db.execute(sql`select oms_mark_agent_versions_sold(array[${terms.id}]::int[])`)
  // An edit that was committed before the mark may have changed the terms in place.
  const [sold] = await db.select().from(agentProductVersions).where(eq(agentProductVersions.id, terms.id))
  return { ...sold!, packageName: terms.packageName }
}
