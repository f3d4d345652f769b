import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_ROWS } from '@oms/contract/core/page.ts'
import { devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceRow } from '@oms/contract/device/device-row.ts'
import { and, asc, type Column, desc, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { among, computePageOffset, buildSort, contains, byName } from '#core/database/lists/list-query.ts'
import { isPreparedRequest, paginateLarge } from '#core/database/lists/prepared-list.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { firmwareName } from './device-facts.ts'
import { buildDeviceFilter, buildGroupCondition, visibleDevices } from './device-filter.ts'
import { syncFleetAfterCommit } from './fleet/fleet.ts'
import { devices, deviceModels, deviceTypes, deviceGroups } from './schema.ts'

type DeviceListFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

type Asked = Pick<DeviceListFilter, 'orderByColumn' | 'isAsc' | 'beginTime' | 'endTime'>

/**
 * Returns the sort order: newest first unless a column is given. A date range is sorted by date, because a scan by
 * id would first skip all newer devices.
 */
function buildDeviceSort({ orderByColumn, isAsc, beginTime, endTime }: Asked): SQL[] {
  if (orderByColumn === 'verCode') return buildSort({ orderByColumn, isAsc }, { verCode: devices.verCode }, devices.id)
  const direction = orderByColumn && isAsc === 'asc' ? asc : desc
  // Neither column is nullable, so one index serves both directions.
  if (orderByColumn === 'sn') return [direction(devices.sn)]
  const byTime = orderByColumn === 'createTime' || beginTime !== undefined || endTime !== undefined
  return byTime ? [direction(devices.createTime), direction(devices.id)] : [direction(devices.id)]
}

/** Returns the condition of a filter. Loads the rule of a group. */
async function buildDeviceListFilter(db: Db, user: User, filter: Partial<DeviceListFilter>): Promise<SQL | undefined> {
  const group = filter.groupId === undefined ? undefined : await buildGroupCondition(db, user, filter.groupId)
  return and(visibleDevices(user), buildDeviceFilter(filter, group))
}

export async function listDevices(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  if (!isPreparedRequest(user, input, EXACT)) {
    const few = await fewIds(db, await buildDeviceListFilter(db, user, input))
    if (few) return { list: await rowsAmong(db, few, input), total: few.length }
  }
  return paginateLarge(ctx, input, {
    name: 'device',
    key: devices.id,
    exact: EXACT,
    order: buildDeviceSort(input),
    select: () => selectDevices(db).$dynamic(),
    where: () => buildDeviceListFilter(db, user, input),
    prepared: { where: visibleDevices(user) },
  })
}

/**
 * Returns all matching ids, newest first, or undefined when there are more than a pager reaches. Reads without an
 * order so that the planner uses the trigram index instead of scanning ten million devices by id. Returns one array,
 * because transferring ten thousand rows takes longer than the search.
 */
async function fewIds(db: Db, where: SQL | undefined): Promise<number[] | undefined> {
  const hits = db
    .select({ id: devices.id })
    .from(devices)
    .where(where)
    .limit(MAX_ROWS + 1)
  const { rows } = await db.execute<{ ids: number[] | null }>(sql`select array_agg(id) as ids from (${hits}) hits`)
  const ids = rows[0]?.ids ?? []
  return ids.length <= MAX_ROWS ? ids.sort((a, b) => b - a) : undefined
}

/** Returns one page of the devices with these ids. */
async function rowsAmong(db: Db, ids: readonly number[], input: ParsedOf<typeof calls.list>): Promise<DeviceRow[]> {
  const offset = computePageOffset(input)
  if (offset >= ids.length) return []
  if (input.orderByColumn !== undefined || isTimed(input))
    return selectDevices(db)
      .where(among(devices.id, ids))
      .orderBy(...buildDeviceSort(input))
      .limit(input.pageSize)
      .offset(offset)
  // The ids are already ordered: only those of the page are read.
  return rowsWith(db, ids.slice(offset, offset + input.pageSize))
}

const rowsWith = (db: Db, ids: readonly number[]): Promise<DeviceRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : selectDevices(db).where(among(devices.id, ids)).orderBy(desc(devices.id))

const isTimed = ({ beginTime, endTime }: Asked) => beginTime !== undefined || endTime !== undefined

const EXACT = { tenantId: devices.tenantId, modelId: devices.modelId, status: devices.status, online: devices.online }

/** Finds devices by pasted serials and other filters. Returns a page of devices and the serials not found. */
export async function findDevices(ctx: Ctx, { sns, ...input }: ParsedOf<typeof calls.find>) {
  const { db, user } = ctx
  const asked = [...new Set(sns)]
  const known = await db
    .select({ sn: devices.sn })
    .from(devices)
    .where(and(visibleDevices(user), buildDeviceFilter({ sns: asked })))
  const there = new Set(known.map(({ sn }) => sn))
  const where = await buildDeviceListFilter(db, user, { ...input, sns: asked })
  const ids = (await fewIds(db, where)) ?? []
  const page = await rowsAmong(db, ids, { ...input, sns: asked })
  return { list: page, total: ids.length, missing: asked.filter((sn) => !there.has(sn)), ids }
}

const creator = alias(accounts, 'creator')
const editor = alias(accounts, 'editor')
const named = ({ realname, account }: { realname: Column; account: Column }) =>
  sql<string>`coalesce(nullif(${realname}, ''), ${account}, '')`

export async function getDevice({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectDevices(db).where(and(eq(devices.id, id), visibleDevices(user)))
  if (!found) throw notFound('设备')
  const [hands] = await db
    .select({
      createByName: named(creator),
      updateByName: named(editor),
      updateTime: devices.updateTime,
      picture: sql<string>`coalesce(${deviceModels.picture}, '')`,
      unknownVersion: sql<string>`coalesce((select a.data->>'verCode' from device_attributes a where a.device_id = ${devices.id}
        and a.data->>'verCode' !~ '^\\s*\\d{1,9}\\s*$' and not exists (select from ota_versions v
          where v.model_id = ${devices.modelId} and v.package_name = '' and v.ver_name = btrim(a.data->>'verCode')
          and v.deleted_at is null and v.tenant_id in (1, ${devices.tenantId}))), '')`,
      versionsBehind: sql<number>`(select count(*)::int from ota_versions v where v.model_id = ${devices.modelId}
        and v.package_name = '' and v.ver_code > ${devices.verCode} and v.status = 1 and v.deleted_at is null
        and v.tenant_id in (1, ${devices.tenantId}))`,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(creator, eq(creator.uid, devices.createBy))
    .leftJoin(editor, eq(editor.uid, devices.updateBy))
    .where(eq(devices.id, id))
  if (!hands) throw notFound('设备')
  return { ...found, ...hands }
}

const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

/** Exports the filtered list in the order of the list. */
export const exportDevices = defineExport({
  kind: 'device',
  endpoint: calls.export,
  sheet: '设备',
  schema: DeviceRow,
  columns: [
    'sn',
    'devName',
    'typeName',
    'modelName',
    'modelCode',
    'tenantName',
    'tenantNo',
    ['verCode', number],
    'verName',
    ['online', { width: 10 }],
    ['lastOnlineTime', time],
    'tags',
    ['status', { width: 10 }],
    'uid',
    'mac',
    'imei',
    'osVer',
    'appVer',
    'hwVer',
    'ip',
    'region',
    ['activateTime', time],
    ['warrantyEnd', { width: 14 }],
    ['createTime', time],
    ['hasToken', { width: 10 }],
    'remark',
  ],
  key: devices.id,
  where: (user, input, { db }) => buildDeviceListFilter(db, user, input),
  order: buildDeviceSort,
  load: (db, _user, where) => selectDevices(db).where(where),
  keyOf: ({ id }) => id,
})

export const SERIAL_TAKEN = '序列号已存在（不区分大小写）'

export type StoredDevice = typeof devices.$inferSelect

/** The check part of a P2P id is a secret, because anybody with the full id can connect to the camera. */
const maskedUid = sql<string>`case when ${devices.uid} = '' then '' else
  left(${devices.uid}, greatest(length(${devices.uid}) - 5, 0)) || '*****' end`

const deviceColumns = {
  id: devices.id,
  sn: devices.sn,
  devName: devices.devName,
  typeId: deviceModels.typeId,
  typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`.as('type_name'),
  modelId: devices.modelId,
  modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
  modelCode: sql<string>`coalesce(${deviceModels.modelCode}, '')`.as('model_code'),
  tenantId: devices.tenantId,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  tenantNo: sql<string>`coalesce(${tenants.tenantNo}, '')`.as('tenant_no'),
  uid: maskedUid.as('uid'),
  mac: devices.mac,
  imei: devices.imei,
  verCode: devices.verCode,
  verName: firmwareName.as('ver_name'),
  osVer: devices.osVer,
  appVer: devices.appVer,
  hwVer: devices.hwVer,
  ip: devices.ip,
  region: devices.region,
  tags: devices.tags,
  status: devices.status,
  online: devices.online,
  lastOnlineTime: devices.lastOnlineTime,
  activateTime: devices.activateTime,
  warrantyEnd: devices.warrantyEnd,
  hasToken: sql<boolean>`${devices.tokenHash} is not null`.as('has_token'),
  attributesWanted: devices.attributesWanted,
  createTime: devices.createTime,
  remark: devices.remark,
  rev: devices.rev,
}

/** Selects devices with the columns of lists and details. */
const selectDevices = (db: Db) =>
  db
    .select(deviceColumns)
    .from(devices)
    .innerJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))

/** Returns the device, locked until the transaction ends. An invisible device is reported as not found. */
export async function lockDevice(db: Db, user: User, id: number): Promise<StoredDevice> {
  const [found] = await lockDevices(db, user, [id])
  if (!found) throw notFound('设备')
  return found
}

/** Locks devices in a fixed order, so that two batches cannot deadlock. */
export const lockDevices = (db: Db, user: User, ids: readonly number[]): Promise<StoredDevice[]> =>
  db
    .select()
    .from(devices)
    .where(and(among(devices.id, ids), visibleDevices(user)))
    .orderBy(asc(devices.id))
    .for('update')

/** Formats a device for the operation log: `「客厅摄像机（SN001）」`. */
export const formatDeviceName = ({ devName, sn }: Pick<DeviceRow, 'devName' | 'sn'>) =>
  devName ? `「${devName}（${sn}）」` : `「${sn}」`

type Named = Pick<DeviceRow, 'id' | 'devName' | 'sn'>

/**
 * Adds a history entry to each device of a batch: `停用设备：「SN001」`. An entry names only its own device, because the
 * devices of a batch may belong to several tenants.
 */
export const auditDevices = <D extends Named>(
  ctx: Pick<Ctx, 'audit'>,
  list: readonly D[],
  action: string,
  wordsOf: (device: D) => string = () => action,
) =>
  ctx.audit({
    bizType: 'device',
    action,
    records: list.map((device) => ({ id: device.id, action: `${wordsOf(device)}：${formatDeviceName(device)}` })),
  })

interface FailedBatchDevice {
  readonly id: number
  readonly name: string
  readonly msg: string
}

/** Splits the devices of a batch into those that can proceed and those that fail with a reason. */
export function splitDevicesByProblem(
  ids: readonly number[],
  found: readonly StoredDevice[],
  problemOf: (device: StoredDevice) => string | undefined = () => undefined,
) {
  const known = new Set(found.map(({ id }) => id))
  const failed: FailedBatchDevice[] = [...new Set(ids)]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: String(id), msg: '设备不存在或已被删除' }))
  const good = found.filter((device) => {
    const msg = problemOf(device)
    if (msg !== undefined) failed.push({ id: device.id, name: device.sn, msg })
    return msg === undefined
  })
  return { good, failed }
}

/** Returns the report of a batch. Throws when the batch has only one device and this device failed. */
export function buildBatchReport(ids: readonly number[], done: number, failed: FailedBatchDevice[]) {
  if (ids.length === 1 && failed[0]) throw refused(failed[0].msg)
  return { done, failed }
}

/** Publishes a change to open lists. Changes of several tenants are published to all accounts. */
export function notifyDeviceLists({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantIds: readonly number[]) {
  const [first, ...rest] = new Set(tenantIds)
  if (first === undefined) return
  return services.events.publish(db, 'changed', { resource: 'device', tenantId: rest.length > 0 ? null : first })
}

/** Publishes a change to open lists. Delays the response until this process applies the change to device calls. */
export function publishDevicesChanged(ctx: Pick<Ctx, 'services' | 'db' | 'afterCommit'>, tenantIds: readonly number[]) {
  syncFleetAfterCommit(ctx)
  return notifyDeviceLists(ctx, tenantIds)
}

const MAX_OPTIONS = 100

export async function listGroupOptions({ db, user }: Ctx, { keyword, kind }: ParsedOf<typeof calls.groupOptions>) {
  const list = await db
    .select({
      id: deviceGroups.id,
      name: deviceGroups.groupName,
      kind: deviceGroups.kind,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
    })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))
    .where(
      and(
        notDeleted(deviceGroups),
        scoped(user, { tenant: deviceGroups.tenantId }),
        contains(deviceGroups.groupName, keyword),
        kind === undefined ? undefined : eq(deviceGroups.kind, kind),
      ),
    )
    .orderBy(asc(byName(deviceGroups.groupName)), asc(deviceGroups.id))
    .limit(MAX_OPTIONS)
  return { list }
}
