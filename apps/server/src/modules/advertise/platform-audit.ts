import { eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { tenants } from '#core/schema/tenant.ts'

/** True when staff of the platform audits the ads of this tenant (平台审核 of the tenant). */
export async function isAuditedByPlatform(db: Db, tenantId: number): Promise<boolean> {
  const [found] = await db
    .select({ adPlatformAudit: tenants.adPlatformAudit })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
  return found?.adPlatformAudit === 1
}
