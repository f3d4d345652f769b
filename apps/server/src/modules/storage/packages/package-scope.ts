import { and, asc } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'

interface Scope {
  readonly modelIds: readonly number[]
  readonly tenantIds: readonly number[]
}

/**
 * Returns the names of the models and tenants to which a package is limited, as far as the account may see the tenants.
 */
export async function readPackageScopeNames(db: Db, user: User, { modelIds, tenantIds }: Scope) {
  const models = await db
    .select({ id: deviceModels.id, name: deviceModels.modelName })
    .from(deviceModels)
    .where(and(notDeleted(deviceModels), among(deviceModels.id, modelIds)))
    .orderBy(asc(deviceModels.id))
  const named = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(notDeleted(tenants), among(tenants.id, tenantIds), scoped(user, { tenant: tenants.id })))
    .orderBy(asc(tenants.id))
  return { models, tenants: named }
}
