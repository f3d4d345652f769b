import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, devices, deviceTypes } from './schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { visibleDevices } from './fleet/device-filter.ts'
import { syncFleetAfterCommit } from './fleet/sync-after-commit.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import { firmwareName } from './firmware-name.ts'
import { among } from '#core/database/lists/list-query.ts'

export const SERIAL_TAKEN = '序列号已存在（不区分大小写）'

export type StoredDevice = typeof devices.$inferSelect

/** The check part of a P2P id is a secret, because anybody with the full id can connect to the camera. */
const maskedUid = sql<string>`case when ${devices.uid} = '' then '' else
  left(${devices.uid}, greatest(length(${devices.uid}) - 5, 0)) || '*****' end`

export const deviceColumns = {
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
export const selectDevices = (db: Db) =>
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

export interface FailedBatchDevice {
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
