import { and, asc } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'
import { deviceModels } from '#modules/device/schema.ts'

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
  return { models, tenants: await readTenantNames(db, user, tenantIds) }
}
