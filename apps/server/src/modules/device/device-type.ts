import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DeviceTypeRow, type deviceTypes as calls, deviceTypes as contract } from '@oms/contract/device/device-type.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { defineRecord } from '#core/database/record.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { countByModel, type DeviceCount, readCachedCountsByModel } from './fleet/fleet-counts.ts'
import { deviceTypes } from './schema.ts'

type Stored = typeof deviceTypes.$inferSelect
type Asked = ParsedOf<typeof calls.list>
const conditionsOf = ({ typeName, typeCode, status, beginTime, endTime }: Omit<Asked, 'pageNum' | 'pageSize'>) =>
  and(
    notDeleted(deviceTypes),
    contains(deviceTypes.typeName, typeName),
    contains(deviceTypes.typeCode, typeCode),
    status === undefined ? undefined : eq(deviceTypes.status, status),
    ...within(deviceTypes.createTime, beginTime, endTime),
  )

const orderOfTypes = (asked: Pick<Asked, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    asked,
    {
      sort: deviceTypes.sort,
      typeName: byName(deviceTypes.typeName),
      createTime: deviceTypes.createTime,
      updateTime: deviceTypes.updateTime,
    },
    deviceTypes.id,
    [asc(deviceTypes.sort), asc(deviceTypes.id)],
  )

type Counts = (db: Db) => Promise<{ counts: ReadonlyMap<number, DeviceCount> }>

/** Adds the numbers of models and devices to types, with one query for all types. */
async function addTypeCounts(db: Db, types: readonly Stored[], countsOf: Counts) {
  const { rows } = await db.execute<{ id: number; models: number[] }>(sql`
    select type_id as id, array_agg(id) as models from device_models
    where deleted_at is null and type_id = any(${sql.param(types.map(({ id }) => id))}::int[]) group by type_id`)
  const models = new Map(rows.map((row) => [row.id, row.models]))
  const { counts } = rows.length > 0 ? await countsOf(db) : { counts: new Map<number, DeviceCount>() }
  return types.map((type) => {
    const own = models.get(type.id) ?? []
    const deviceCount = own.reduce((sum, id) => sum + (counts.get(id)?.devices ?? 0), 0)
    return { ...type, modelCount: own.length, deviceCount }
  })
}

export async function listDeviceTypes({ db, user, services }: Ctx, input: Asked) {
  const rows = db.select().from(deviceTypes).where(conditionsOf(input)).$dynamic()
  const page = await paginate(db, rows, input, orderOfTypes(input))
  return { ...page, list: await addTypeCounts(db, page.list, () => readCachedCountsByModel(services, db, user)) }
}

export async function getDeviceType({ db, user, services }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const found = await db
    .select()
    .from(deviceTypes)
    .where(and(eq(deviceTypes.id, id), notDeleted(deviceTypes)))
  const [shown] = await addTypeCounts(db, found, () => readCachedCountsByModel(services, db, user))
  if (!shown) throw notFound('设备类型')
  return shown
}

export const exportTypes = defineExport({
  kind: 'deviceType',
  endpoint: contract.export,
  sheet: '设备类型',
  schema: DeviceTypeRow,
  columns: [
    ['typeName', { width: 24 }],
    ['typeCode', { width: 20 }],
    ['sort', { type: 'number', width: 8 }],
    ['status', { width: 8 }],
    ['modelCount', { type: 'number', width: 10 }],
    ['deviceCount', { type: 'number', width: 10 }],
    ['remark', { width: 40 }],
    ['createTime', { type: 'dateTime' }],
    ['updateTime', { type: 'dateTime' }],
  ],
  key: deviceTypes.id,
  where: (_user, input) => conditionsOf(input),
  order: orderOfTypes,
  load: async (db, user, where) =>
    addTypeCounts(db, await db.select().from(deviceTypes).where(where), () => countByModel(db, user)),
  keyOf: ({ id }) => id,
})

const type = defineRecord({
  table: deviceTypes,
  calls: contract,
  kind: 'deviceType',
  noun: '设备类型',
  nameOf: ({ typeName }) => typeName,
  heldText: (models) => `该类型下还有${models}，请先删除型号或改到其他类型`,
})
export const {
  insert: createDeviceType,
  remove: removeDeviceType,
  enable: enableDeviceType,
  disable: disableDeviceType,
} = type

export const updateDeviceType = async (ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) =>
  type.save(ctx, await type.lock(ctx, id), rev, input)
