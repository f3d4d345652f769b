import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_COMMENTS, type otaChoices } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { and, asc, desc, eq } from 'drizzle-orm'
import { deviceModels } from '#modules/device/schema.ts'
import { otaVersions } from './schema-ota.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { FIRMWARE_KIND } from './releases/release-artifact-kind.ts'
import { visibleVersions } from './releases/release-rows.ts'

const MAX_TENANTS = 100

/** Lists release notes of the enabled versions, newest first. */
export function listReleaseNotes({ db, user }: Ctx, input: ParsedOf<typeof otaChoices.verComments>) {
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
        eq(otaVersions.kind, FIRMWARE_KIND.kind),
        packageName ? eq(otaVersions.packageName, packageName) : undefined,
        modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
        contains(otaVersions.verName, verName),
      ),
    )
    .orderBy(desc(otaVersions.releaseDate), desc(otaVersions.otaId))
    .limit(MAX_COMMENTS)
}

/** Lists active tenants whose name contains a text, for a selection field. */
export function listTenantChoices({ db, user }: Ctx, { name }: ParsedOf<typeof otaChoices.tenants>) {
  return db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(isTenantActive(), scoped(user, { tenant: tenants.id }), contains(tenants.name, name)))
    .orderBy(asc(byName(tenants.name)), asc(tenants.id))
    .limit(MAX_TENANTS)
}
