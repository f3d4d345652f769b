import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ota, OtaVersion, type OtaCreateInput, type OtaQuery, type OtaUpdateInput } from '@oms/contract/upgrade/ota.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import { and, eq, type SQL, asc, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, within } from '#core/database/lists/list-query.ts'
import { paginateLarge } from '#core/database/lists/prepared-list.ts'
import { notFound, forbidden } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from '../artifact-kind.ts'
import { isAwaitingAudit, hasOpenAlarm, visibleVersions } from '../release.ts'
import { otaVersions, otaComponents } from '../schema.ts'

type Filter = Omit<VersionQuery, 'pageNum' | 'pageSize'>

const SORTABLE = {
  verCode: otaVersions.verCode,
  releaseDate: otaVersions.releaseDate,
  updateTime: otaVersions.updateTime,
} as const

function buildVersionFilter(
  user: User,
  artifact: ArtifactKind,
  { verName, packageName, verCode, modelId, status, todo, beginTime, endTime }: Filter,
): SQL | undefined {
  return and(
    visibleVersionsOfKind(user, artifact),
    contains(otaVersions.verName, verName),
    contains(otaVersions.packageName, packageName),
    verCode === undefined ? undefined : eq(otaVersions.verCode, verCode),
    modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
    status === undefined ? undefined : eq(otaVersions.status, status),
    todo === undefined ? undefined : (todo === 1 ? isAwaitingAudit : hasOpenAlarm)(user),
    ...within(otaVersions.releaseDate, beginTime, endTime),
  )
}

/** Returns the sort order: newest first unless a column is given. */
const buildVersionSort = (asked: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(asked, SORTABLE, otaVersions.otaId)

const EXACT = { verCode: otaVersions.verCode, modelId: otaVersions.modelId, status: otaVersions.status } as const

export const listVersions = (ctx: Ctx, artifact: ArtifactKind, input: VersionQuery) =>
  paginateLarge(ctx, input, {
    name: artifact.bizType,
    key: otaVersions.otaId,
    exact: EXACT,
    order: buildVersionSort(input),
    select: () => selectVersions(ctx.db).$dynamic(),
    where: () => buildVersionFilter(ctx.user, artifact, input),
    prepared: {
      where: visibleVersionsOfKind(ctx.user, artifact),
      select: () => selectVersionRows(ctx.db).$dynamic(),
      names: VERSION_NAME_COLUMNS,
    },
  })

export async function getVersion({ db, user }: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.get>) {
  const [otaVersion] = await selectVersions(db).where(
    and(eq(otaVersions.otaId, otaId), visibleVersionsOfKind(user, artifact)),
  )
  if (!otaVersion) throw notFound(artifact.noun)
  return { otaVersion, components: await listComponents(db, otaId) }
}

/** Row of the export file. Both ends of the range form one text column, as in the list. */
const Line = OtaVersion.extend({ range: z.string().meta({ title: '适用旧版本' }) })
const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

const EXPORT_COLUMNS: readonly ColumnSpec[] = [
  ['verCode', number],
  ['verName', { width: 24 }],
  ['status', { width: 10 }],
  ['components', number],
  ['range', { width: 22 }],
  ['buildDate', time],
  ['releaseDate', time],
  ['description', { width: 40 }],
  'tenantName',
  'createByName',
  ['createTime', time],
  ['updateTime', time],
  ['enableTime', time],
]

/** Exports the filtered list in the order of the list. */
const exportOf = <E extends typeof ota.export | typeof software.export>(
  artifact: ArtifactKind,
  endpoint: E,
  first: readonly ColumnSpec[],
) =>
  defineExport({
    kind: artifact.bizType,
    endpoint,
    sheet: artifact.noun,
    schema: Line,
    columns: [...first, ...EXPORT_COLUMNS],
    key: otaVersions.otaId,
    where: (user, input) => buildVersionFilter(user, artifact, input),
    order: buildVersionSort,
    load: (db, _user, where) => selectVersions(db).where(where),
    keyOf: ({ otaId }) => otaId,
    line: (row) => ({ ...row, range: formatVersionRange(row) }),
  })

export const exportFirmware = exportOf(FIRMWARE_KIND, ota.export, ['modelName'])
export const exportSoftware = exportOf(SOFTWARE_KIND, software.export, ['modelName', ['packageName', { width: 24 }]])

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredComponent = typeof otaComponents.$inferSelect

/** Package fields. Absent for firmware, whose contract has no packages. */
interface Packaged {
  readonly packageName?: string | undefined
}
type Input = z.output<typeof OtaCreateInput>
type Update = z.output<typeof OtaUpdateInput>
/** Fields of a version of either artifact kind in the requests that create and change versions. */
export type VersionFields = Input['otaVersion'] & Packaged
export type VersionCreateRequest = Input & { readonly otaVersion: VersionFields }
export type VersionUpdateRequest = Update & { readonly otaVersion: Packaged }
type VersionQuery = z.output<typeof OtaQuery> & Packaged

/**
 * Returns the condition for versions of an artifact kind that the account may see. Every query on versions includes the
 * condition.
 */
export const visibleVersionsOfKind = (user: User, { kind }: Pick<ArtifactKind, 'kind'>) => visibleVersions(user, kind)

/** Returns the tenant of a new version or upload: the tenant of the session, whatever the request contains. */
export function requireSessionTenant({ tenantId }: User) {
  if (tenantId === null) throw forbidden()
  return tenantId
}

const COLUMNS = {
  otaId: otaVersions.otaId,
  modelId: sql<number | null>`nullif(${otaVersions.modelId}, 0)`.as('model_id'),
  packageName: otaVersions.packageName,
  verCode: otaVersions.verCode,
  verName: otaVersions.verName,
  status: otaVersions.status,
  components: otaVersions.components,
  oldVerMin: otaVersions.oldVerMin,
  oldVerMax: otaVersions.oldVerMax,
  buildDate: otaVersions.buildDate,
  releaseDate: otaVersions.releaseDate,
  description: otaVersions.description,
  tenantId: otaVersions.tenantId,
  createTime: otaVersions.createTime,
  updateTime: otaVersions.updateTime,
  enableTime: otaVersions.enableTime,
  rev: otaVersions.rev,
}

/** Selects versions with the columns of lists and details. */
const selectVersions = (db: Db) =>
  db
    .select({
      ...COLUMNS,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      createByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as(
        'create_by_name',
      ),
    })
    .from(otaVersions)
    .leftJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .leftJoin(tenants, eq(tenants.id, otaVersions.tenantId))
    .leftJoin(accounts, eq(accounts.uid, otaVersions.createBy))

/** Selects versions without the names of model, tenant and creator. `VERSION_NAME_COLUMNS` adds these names. */
const selectVersionRows = (db: Db) => db.select({ ...COLUMNS, createBy: otaVersions.createBy }).from(otaVersions)
const VERSION_NAME_COLUMNS = {
  modelName: { id: 'modelId', kind: 'model' },
  tenantName: { id: 'tenantId', kind: 'tenant' },
  createByName: { id: 'createBy', kind: 'account' },
} as const

/** Returns the version, locked until the transaction ends. A version of another tenant is reported as not found. */
export async function lockVersion(db: Db, user: User, artifact: ArtifactKind, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersionsOfKind(user, artifact)))
    .for('update')
  if (!found) throw notFound(artifact.noun)
  return found
}

export const listComponents = (db: Db, otaId: number): Promise<StoredComponent[]> =>
  db.select().from(otaComponents).where(eq(otaComponents.otaId, otaId)).orderBy(asc(otaComponents.sort))

/** Formats a version's name for the operation log and error messages: `「秋季版」(100)` or `「秋季版」(com.voice 100)`. */
export const formatVersionName = ({ verName, verCode, packageName = '' }: Named) =>
  `「${verName}」(${packageName && `${packageName} `}${verCode})`
interface Named {
  readonly verName: string
  readonly verCode: number
  readonly packageName?: string | undefined
}
