import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageOptions as calls } from '@oms/contract/storage/options.ts'
import { formatPeriod } from '@oms/contract/storage/package.ts'
import { and, asc, desc, eq, getTableColumns, gt, or, type SQL } from 'drizzle-orm'
import { assertHasPermissionInDirectory } from '#core/auth/rights.ts'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { isCurrentVersion } from './package.ts'
import { ossPackages, ossPackageVersions } from './schema.ts'

const MAX_OPTIONS = 100

export async function listPackageOptions({ db, user }: Ctx, { keyword, onSale }: ParsedOf<typeof calls.packages>) {
  assertHasPermissionInDirectory(user, 'ossManage')
  const rows = await db
    .select({
      id: ossPackages.id,
      name: ossPackages.packageName,
      packageCode: ossPackages.packageCode,
      recordType: ossPackageVersions.recordType,
      storageDays: ossPackageVersions.storageDays,
      periodType: ossPackageVersions.periodType,
      periodCount: ossPackageVersions.periodCount,
      price: ossPackageVersions.price,
      channels: ossPackageVersions.channels,
      isTrial: ossPackageVersions.isTrial,
    })
    .from(ossPackages)
    .innerJoin(ossPackageVersions, isCurrentVersion)
    .where(
      and(
        notDeleted(ossPackages),
        onSale === 1 ? eq(ossPackages.status, 1) : undefined,
        or(contains(ossPackages.packageName, keyword), contains(ossPackages.packageCode, keyword)),
      ),
    )
    .orderBy(desc(ossPackages.status), asc(ossPackages.sort), asc(ossPackages.id))
    .limit(MAX_OPTIONS)
  return { list: rows.map((row) => ({ ...row, period: formatPeriod(row.periodType, row.periodCount) })) }
}

const { id, sn: name } = getTableColumns(devices)
const { modelName, cloudChannels } = getTableColumns(deviceModels)

/** Selects visible devices of models with cloud storage. */
const selectDevices = async ({ db, user }: Ctx, filter: SQL | undefined) => ({
  list: await db
    .select({ id, name, modelName, cloudChannels })
    .from(devices)
    .innerJoin(deviceModels, and(eq(deviceModels.id, devices.modelId), gt(cloudChannels, 0)))
    .where(and(visibleDevices(user), filter))
    .orderBy(asc(id))
    .limit(MAX_OPTIONS),
})

export const listDeviceOptions = (ctx: Ctx, { keyword }: ParsedOf<typeof calls.devices>) =>
  selectDevices(ctx, contains(name, keyword))

export const listTransferTargets = (ctx: Ctx, { keyword, tenantId }: ParsedOf<typeof calls.targets>) =>
  selectDevices(ctx, and(contains(name, keyword), eq(devices.tenantId, tenantId)))
