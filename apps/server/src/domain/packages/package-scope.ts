import { and, asc, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among, contains } from '#core/database/lists/list-query.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { deviceModels } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'

const MAX_OPTIONS = 100

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

/** Returns at most 100 models whose name or code contains the keyword. */
export const listPackageModelOptions = (db: Db, keyword: string | undefined) =>
  db
    .select({ id: deviceModels.id, name: deviceModels.modelName, modelCode: deviceModels.modelCode })
    .from(deviceModels)
    .where(
      and(
        notDeleted(deviceModels),
        or(contains(deviceModels.modelName, keyword), contains(deviceModels.modelCode, keyword)),
      ),
    )
    .orderBy(asc(deviceModels.id))
    .limit(MAX_OPTIONS)
