import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { YES_NO } from '@oms/contract/core/package-fields.ts'
import {
  type storagePackages as calls,
  storagePackages as contract,
  PackageListRow,
  formatPeriod,
  PACKAGE_STATUS,
  PACKAGE_LABELS,
  PackageInput,
  PackageTerms,
  PERIOD_TYPE,
  RECORDING_TYPE,
  STORAGE_DAYS,
} from '@oms/contract/storage/package.ts'
import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName, among } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { createPackageStore } from './package-store.ts'
import { ossPackages, ossPackageVersions } from './schema.ts'
import { buildStatSources } from './statistics.ts'

/** Source of entitlements that came from another device. They were counted when they were opened. */
const TRANSFER = 5

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Joins a package with the version that is sold now. */
export const isCurrentVersion = and(
  eq(ossPackageVersions.packageId, ossPackages.id),
  eq(ossPackageVersions.version, ossPackages.currentVersion),
)

/** Selects packages with the terms that are sold now. */
const selectPackages = (db: Db) =>
  db
    .select({ ...getTableColumns(ossPackageVersions), ...getTableColumns(ossPackages) })
    .from(ossPackages)
    .innerJoin(ossPackageVersions, isCurrentVersion)
type Selected = Awaited<ReturnType<typeof selectPackages>>[number]

const present = (row: Selected) => ({
  ...row,
  period: formatPeriod(row.periodType, row.periodCount),
  modelCount: row.modelIds.length,
  tenantCount: row.tenantIds.length,
})

const conditionsOf = (filter: Partial<Filter>) =>
  and(
    notDeleted(ossPackages),
    contains(ossPackages.packageName, filter.packageName),
    contains(ossPackages.packageCode, filter.packageCode),
    filter.recordType === undefined ? undefined : eq(ossPackageVersions.recordType, filter.recordType),
    filter.storageDays === undefined ? undefined : eq(ossPackageVersions.storageDays, filter.storageDays),
    filter.isTrial === undefined ? undefined : eq(ossPackageVersions.isTrial, filter.isTrial),
    filter.status === undefined ? undefined : eq(ossPackages.status, filter.status),
    ...within(ossPackages.createTime, filter.beginTime, filter.endTime),
  )

const packageOrder = (filter: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    filter,
    {
      sort: ossPackages.sort,
      packageName: byName(ossPackages.packageName),
      price: ossPackageVersions.price,
      storageDays: ossPackageVersions.storageDays,
      createTime: ossPackages.createTime,
      updateTime: ossPackages.updateTime,
    },
    ossPackages.id,
    [asc(ossPackages.sort), asc(ossPackages.id)],
  )
type PackageCounts = { inForce: number; openedCount: number }
const NO_COUNTS: PackageCounts = { inForce: 0, openedCount: 0 }

/** Returns the numbers of visible entitlements of packages. */
async function entitlementCounts({ db, user }: Pick<Ctx, 'db' | 'user'>, ids: readonly number[]) {
  const { counts } = buildStatSources(user, undefined)
  const { rows } = await db.execute<PackageCounts & { packageId: number }>(sql`
    select package_id as "packageId", coalesce(sum(n) filter (where state = 1), 0)::int as "inForce",
      coalesce(sum(n) filter (where source <> ${TRANSFER}), 0)::int as "openedCount"
    from ${counts} c where package_id = any(${sql.param([...ids])}::int[]) group by 1`)
  return new Map(rows.map(({ packageId, ...numbers }) => [packageId, numbers]))
}

async function withCounts<R extends { id: number }>(ctx: Pick<Ctx, 'db' | 'user'>, rows: readonly R[]) {
  const counts = await entitlementCounts(
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? NO_COUNTS) }))
}

export async function listPackages(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectPackages(ctx.db).where(conditionsOf(input)).$dynamic()
  const page = await paginate(ctx.db, rows, input, packageOrder(input))
  return { ...page, list: await withCounts(ctx, page.list.map(present)) }
}

export async function getPackage({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectPackages(db).where(and(eq(ossPackages.id, id), notDeleted(ossPackages)))
  if (!found) throw notFound('云存套餐')
  return { ...present(found), ...(await readPackageScopeNames(db, user, found)) }
}

export async function listPackageVersions(ctx: Ctx, { id }: ParsedOf<typeof calls.versions>) {
  const { db } = ctx
  await getPackage(ctx, { id })
  const rows = await db
    .select({
      ...getTableColumns(ossPackageVersions),
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
    })
    .from(ossPackageVersions)
    .leftJoin(accounts, eq(accounts.uid, ossPackageVersions.createBy))
    .where(eq(ossPackageVersions.packageId, id))
    .orderBy(desc(ossPackageVersions.version))
  return { list: rows.map((row) => ({ ...row, period: formatPeriod(row.periodType, row.periodCount) })) }
}

const number = { type: 'number', width: 12 } as const

export const exportPackages = defineExport({
  kind: 'storage-package',
  endpoint: contract.export,
  sheet: '云存套餐',
  schema: PackageListRow,
  columns: [
    ['packageName', { width: 24 }],
    ['packageCode', { width: 20 }],
    ['recordType', { width: 14 }],
    ['storageDays', { width: 10 }],
    ['period', { width: 10 }],
    'price',
    'originPrice',
    ['channels', number],
    ['isTrial', { width: 10 }],
    ['preRecord', { title: '预录时长（秒）', ...number }],
    ['eventRecord', { title: '单次事件时长（秒）', ...number }],
    ['prolong', { width: 16 }],
    ['dayLimitMb', { title: '每日容量上限（MB）', ...number }],
    ['version', number],
    ['sort', number],
    ['inForce', number],
    ['openedCount', number],
    ['status', { width: 10 }],
    ['description', { width: 40 }],
    ['createTime', { type: 'dateTime', width: 20 }],
    ['updateTime', { type: 'dateTime', width: 20 }],
  ],
  key: ossPackages.id,
  join: (query) => query.innerJoin(ossPackageVersions, isCurrentVersion),
  where: (_user, input) => conditionsOf(input),
  order: packageOrder,
  load: async (db, user, where) => withCounts({ db, user }, (await selectPackages(db).where(where)).map(present)),
  keyOf: ({ id }) => id,
})

const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  recordType: RECORDING_TYPE,
  storageDays: STORAGE_DAYS,
  periodType: PERIOD_TYPE,
  isTrial: YES_NO,
  prolong: YES_NO,
  status: PACKAGE_STATUS,
}

const store = createPackageStore({
  packages: ossPackages,
  versions: ossPackageVersions,
  kind: 'storagePackage',
  resource: 'oss',
  noun: '云存套餐',
  statusLabels: PACKAGE_LABELS,
  titles: { ...readFieldTitles(PackageInput.shape), status: '状态' },
  inWords: (fields) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, WORDS[key]?.[value as number] ?? value])),
  clashes: {
    oss_packages_name: ['套餐名称已存在', 'packageName'],
    oss_packages_code: ['套餐编码已存在', 'packageCode'],
  },
  soldText: `套餐已有开通记录，不能删除，可以${PACKAGE_LABELS.disable}`,
  savedText: (version) => `已保存为版本 ${version}，已开通的设备不受影响`,
})

/** Splits the input into the columns of the package and those of the version. */
function split<T extends Omit<ParsedOf<typeof calls.update>, 'id' | 'rev'>>(input: T) {
  const { packageName, packageCode, description, sort, ...rest } = input
  return { label: { packageName, packageCode, description, sort }, terms: PackageTerms.parse(rest) }
}

export const createPackage = (ctx: Ctx, input: ParsedOf<typeof calls.create>) =>
  store.create(ctx, { ...split(input), status: input.status })
export const updatePackage = (ctx: Ctx, input: ParsedOf<typeof calls.update>) =>
  store.update(ctx, { ...split(input), id: input.id, rev: input.rev })
export const enablePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => store.setStatus(ctx, id, 1)
export const disablePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => store.setStatus(ctx, id, 0)
export const removePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) => store.remove(ctx, id)

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
