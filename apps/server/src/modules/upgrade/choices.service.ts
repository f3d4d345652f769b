import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { MAX_COMMENTS, type otaChoices } from '@oms/contract/upgrade-white.ts'
import { and, asc, desc, eq } from 'drizzle-orm'
import { deviceModels } from '#db/schema/device.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { contains } from '#kernel/query.ts'
import { alive, scoped } from '#kernel/tenancy.ts'
import type { Family } from './release-family.ts'
import { visibleVersions } from './release-rows.ts'

const MAX_TENANTS = 100

/** Release notes of what is enabled of a family, newest first. */
export const verComments = (family: Family) => (ctx: Ctx, input: ParsedOf<typeof otaChoices.verComments>) => {
  const { db, user } = ctx
  const { modelId, packageName, verName } = input
  return db
    .select({
      otaId: otaVersions.otaId,
      modelId: otaVersions.modelId,
      modelName: deviceModels.modelName,
      packageName: otaVersions.packageName,
      verCode: otaVersions.verCode,
      verName: otaVersions.verName,
      releaseDate: otaVersions.releaseDate,
      description: otaVersions.description,
    })
    .from(otaVersions)
    .innerJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .where(
      and(
        visibleVersions(user),
        eq(otaVersions.status, 1),
        eq(otaVersions.kind, family.kind),
        packageName ? eq(otaVersions.packageName, packageName) : undefined,
        modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
        contains(otaVersions.verName, verName),
      ),
    )
    .orderBy(desc(otaVersions.releaseDate), desc(otaVersions.otaId))
    .limit(MAX_COMMENTS)
}

/** Customers to choose from, by part of their name. */
export function tenantChoices({ db, user }: Ctx, { name }: ParsedOf<typeof otaChoices.tenants>) {
  return db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(
      and(alive(tenants), eq(tenants.status, 1), scoped(user, { tenant: tenants.id }), contains(tenants.name, name)),
    )
    .orderBy(asc(tenants.name), asc(tenants.id))
    .limit(MAX_TENANTS)
}
