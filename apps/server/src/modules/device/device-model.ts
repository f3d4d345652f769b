import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  DeviceModelRow,
  deviceModels as calls,
  deviceModels as contract,
  MAX_CHOICES,
  MAX_LISTED_VERSIONS,
} from '@oms/contract/device/device-model.ts'
import { and, asc, desc, eq, getTableColumns, or, sql, arrayOverlaps, ne } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { notFound, invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { changePicture } from '#core/storage/picture.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { otaVersions } from '#modules/upgrade/schema.ts'
import { visibleDevices } from './device-filter.ts'
import {
  countByModel,
  type DeviceCount,
  readCachedCountsByModel,
  readCachedDeviceStatistic,
  NO_DEVICES,
  formatScopeKey,
} from './fleet/fleet-counts.ts'
import { deviceModels, deviceTypes } from './schema.ts'

type Asked = ParsedOf<typeof calls.list>

const conditionsOf = (asked: Omit<Asked, 'pageNum' | 'pageSize'>) =>
  and(
    notDeleted(deviceModels),
    contains(deviceModels.modelName, asked.modelName),
    contains(deviceModels.modelCode, asked.modelCode),
    contains(deviceModels.chip, asked.chip),
    asked.typeId === undefined ? undefined : eq(deviceModels.typeId, asked.typeId),
    asked.status === undefined ? undefined : eq(deviceModels.status, asked.status),
    ...within(deviceModels.createTime, asked.beginTime, asked.endTime),
  )

const orderOfModels = (asked: Pick<Asked, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    asked,
    {
      modelName: byName(deviceModels.modelName),
      modelCode: deviceModels.modelCode,
      createTime: deviceModels.createTime,
      updateTime: deviceModels.updateTime,
    },
    deviceModels.id,
    [desc(deviceModels.id)],
  )

const selectModels = (db: Db) =>
  db
    .select({
      ...getTableColumns(deviceModels),
      typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`.as('type_name'),
    })
    .from(deviceModels)
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))

type Shown = Awaited<ReturnType<typeof selectModels>>[number]
type Counts = () => Promise<{ counts: ReadonlyMap<number, DeviceCount> }>

interface Versions extends Record<string, unknown> {
  modelId: number
  versionCount: number
  currentVerCode: number | null
  currentVerName: string
}

/** Returns the firmware versions of several models with one query. */
async function versionsOf(db: Db, user: User, modelIds: readonly number[]) {
  const enabledFilter = sql`filter (where status = 1)`
  const { rows } = await db.execute<Versions>(sql`
    select model_id as "modelId", count(*)::int as "versionCount", max(ver_code) ${enabledFilter} as "currentVerCode",
      coalesce((array_agg(ver_name order by ver_code desc) ${enabledFilter})[1], '') as "currentVerName"
    from ota_versions
    where model_id = any(${sql.param(modelIds)}::int[]) and package_name = '' and deleted_at is null
      and ${scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }) ?? sql`true`}
    group by model_id`)
  return new Map(rows.map((row) => [row.modelId, row]))
}

/** Adds counts to models, with two queries for any number of rows. */
async function addModelCounts(db: Db, user: User, models: readonly Shown[], countsOf: Counts) {
  if (models.length === 0) return []
  const { counts } = await countsOf()
  const versions = await versionsOf(
    db,
    user,
    models.map(({ id }) => id),
  )
  return models.map((model) => {
    const { devices, online } = counts.get(model.id) ?? NO_DEVICES
    const { versionCount = 0, currentVerCode = null, currentVerName = '' } = versions.get(model.id) ?? {}
    return { ...model, deviceCount: devices, onlineCount: online, versionCount, currentVerCode, currentVerName }
  })
}

export async function listDeviceModels({ db, user, services }: Ctx, input: Asked) {
  const page = await paginate(db, selectModels(db).where(conditionsOf(input)).$dynamic(), input, orderOfModels(input))
  return { ...page, list: await addModelCounts(db, user, page.list, () => readCachedCountsByModel(services, db, user)) }
}

export async function getDeviceModel({ db, user, services }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const found = await selectModels(db).where(and(eq(deviceModels.id, id), notDeleted(deviceModels)))
  const [model] = await addModelCounts(db, user, found, () => readCachedCountsByModel(services, db, user))
  if (!model) throw notFound('设备型号')
  return model
}

const number = { type: 'number', width: 12 } as const

export const exportModels = defineExport({
  kind: 'deviceModel',
  endpoint: contract.export,
  sheet: '设备型号',
  schema: DeviceModelRow,
  columns: [
    ['modelName', { width: 24 }],
    ['modelCode', { width: 20 }],
    ['typeName', { width: 20 }],
    ['hwVersion', { width: 16 }],
    ['chip', { width: 16 }],
    ['cloudChannels', number],
    ['boards', { width: 30 }],
    ['status', { width: 8 }],
    ['deviceCount', number],
    ['onlineCount', number],
    ['versionCount', number],
    ['currentVerCode', number],
    ['currentVerName', { width: 20 }],
    ['remark', { width: 40 }],
    ['createTime', { type: 'dateTime' }],
    ['updateTime', { type: 'dateTime' }],
  ],
  key: deviceModels.id,
  where: (_user, input) => conditionsOf(input),
  order: orderOfModels,
  load: async (db, user, where) => {
    const rows = await selectModels(db).where(where)
    const ids = rows.map(({ id }) => id)
    return addModelCounts(db, user, rows, () => countByModel(db, user, ids))
  },
  keyOf: ({ id }) => id,
})

export const listDeviceTypeChoices = ({ db }: Ctx, { keyword }: ParsedOf<typeof calls.types>) =>
  db
    .select({
      typeId: deviceTypes.id,
      typeName: deviceTypes.typeName,
      typeCode: deviceTypes.typeCode,
      status: deviceTypes.status,
    })
    .from(deviceTypes)
    .where(
      and(
        notDeleted(deviceTypes),
        or(contains(deviceTypes.typeName, keyword), contains(deviceTypes.typeCode, keyword)),
      ),
    )
    .orderBy(desc(deviceTypes.status), asc(deviceTypes.sort), asc(byName(deviceTypes.typeName)))
    .limit(MAX_CHOICES)

interface Spread extends Record<string, unknown> {
  verCode: number | null
  verName: string
  devices: number
  online: number
}

/**
 * Lists the versions that devices of a model run. Reads the index (model, version) once; names of several tenants
 * may differ.
 */
export async function listVersionSpread({ db, user, services }: Ctx, { id }: ParsedOf<typeof calls.spread>) {
  const [model] = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, id), notDeleted(deviceModels)))
  if (!model) throw notFound('设备型号')
  const found = await readCachedDeviceStatistic(services, `spread ${id} ${formatScopeKey(user)}`, async () => {
    const { rows: list } = await db.execute<Spread>(sql`
      select c.*, coalesce((select v.ver_name from ota_versions v where v.model_id = ${id} and v.ver_code = c."verCode"
        and v.package_name = '' and v.deleted_at is null order by v.ota_id limit 1), '') as "verName"
      from (select ver_code as "verCode", count(*)::int as devices, count(*) filter (where online = 1)::int as online
        from devices where model_id = ${id} and ${visibleDevices(user)} group by ver_code) c
      order by c."verCode" desc nulls last`)
    return { list, rows: list.reduce((sum, { devices }) => sum + devices, 0) }
  })
  const named = found.list.slice(0, MAX_LISTED_VERSIONS)
  return { total: found.rows, others: found.rows - named.reduce((sum, { devices }) => sum + devices, 0), list: named }
}

const PICTURE = { field: 'picture', title: '图片' } as const

const model = defineRecord({
  table: deviceModels,
  calls,
  kind: 'deviceModel',
  noun: '设备型号',
  nameOf: ({ modelName }) => modelName,
  titles: { typeId: '设备类型' },
  references: { typeId: { id: deviceTypes.id, name: deviceTypes.typeName } },
  heldText: (users) => `还有${users}使用该型号，不能删除`,
  onRemove: (ctx, { picture }) => changePicture(ctx, { ...PICTURE, before: picture, after: '' }),
})
export const { remove: removeDeviceModel, enable: enableDeviceModel, disable: disableDeviceModel } = model

/** Returns the type of a model, locked against deletion. A model may keep a disabled type. */
async function typeOf(db: Db, typeId: number, before?: number) {
  const [type] = await db
    .select({ typeName: deviceTypes.typeName, status: deviceTypes.status })
    .from(deviceTypes)
    .where(and(eq(deviceTypes.id, typeId), notDeleted(deviceTypes)))
    .for('share')
  if (!type || (type.status !== 1 && typeId !== before)) throw invalid('设备类型不存在或已停用', 'typeId')
  return type.typeName
}

/** Refuses a board of another model: firmware is chosen by board, and a wrong image destroys the device. */
async function assertFreeBoards(db: Db, boards: readonly string[], id?: number) {
  if (boards.length === 0) return
  // Two simultaneous saves could give one board to two models.
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('device_models.boards'))`)
  const [other] = await db
    .select({ modelName: deviceModels.modelName, boards: deviceModels.boards })
    .from(deviceModels)
    .where(
      and(
        notDeleted(deviceModels),
        arrayOverlaps(deviceModels.boards, [...boards]),
        id === undefined ? undefined : ne(deviceModels.id, id),
      ),
    )
    .limit(1)
  const taken = other?.boards.find((board) => boards.includes(board))
  if (other && taken) throw invalid(`开发板「${taken}」已属于型号「${other.modelName}」`, 'boards')
}

const withBoards = <T extends { boards: string[] }>(input: T): T => ({ ...input, boards: [...new Set(input.boards)] })

export async function createDeviceModel(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const typeName = await typeOf(ctx.db, input.typeId)
  await assertFreeBoards(ctx.db, input.boards)
  await changePicture(ctx, { ...PICTURE, before: '', after: input.picture })
  const made = await model.insert(ctx, withBoards(input))
  ctx.audit({ action: `新增设备型号「${input.modelName}」，类型「${typeName}」` })
  return made
}

export async function updateDeviceModel(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await model.lock(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  await typeOf(ctx.db, input.typeId, stored.typeId)
  await assertFreeBoards(ctx.db, input.boards, id)
  await changePicture(ctx, { ...PICTURE, before: stored.picture, after: input.picture })
  return model.save(ctx, stored, rev, withBoards(input))
}
