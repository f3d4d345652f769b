import type { DeviceRow } from '@oms/contract/device-row.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceModels, devices, deviceTypes } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { visibleDevices } from '#kernel/fleet/device-filter.ts'
import { notFound, refused } from '#kernel/problem.ts'
import { among } from '#kernel/query.ts'

export type StoredDevice = typeof devices.$inferSelect

/** Of several customers' versions of one number the name of any will do. */
const verName = sql<string>`coalesce((select v.ver_name from ota_versions v where v.model_id = ${devices.modelId}
  and v.ver_code = ${devices.verCode} and v.package_name = '' and v.deleted_at is null limit 1), '')`

/** The check part of a P2P id is a secret: with it anybody may reach the camera. */
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
  uid: maskedUid.as('uid'),
  mac: devices.mac,
  imei: devices.imei,
  verCode: devices.verCode,
  verName: verName.as('ver_name'),
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

/** Devices as lists and details show them. */
export const shownDevices = (db: Db) =>
  db
    .select(deviceColumns)
    .from(devices)
    .innerJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))

/** The device to change, locked until the transaction ends; one out of reach is as good as missing. */
export async function lockDevice(db: Db, user: User, id: number): Promise<StoredDevice> {
  const [found] = await lockDevices(db, user, [id])
  if (!found) throw notFound('设备')
  return found
}

/** In one order everywhere, so that two batches never wait for each other in a circle. */
export const lockDevices = (db: Db, user: User, ids: readonly number[]): Promise<StoredDevice[]> =>
  db
    .select()
    .from(devices)
    .where(and(among(devices.id, ids), visibleDevices(user)))
    .orderBy(asc(devices.id))
    .for('update')

/** `「客厅摄像机（SN001）」`, for the operation log. */
export const nameOf = ({ devName, sn }: Pick<DeviceRow, 'devName' | 'sn'>) =>
  devName ? `「${devName}（${sn}）」` : `「${sn}」`

/** Names for a sentence of the log: the first few, and how many there are. */
export const namesOf = (list: readonly Pick<DeviceRow, 'devName' | 'sn'>[]) =>
  list.length <= 5 ? list.map(nameOf).join('') : `${list.slice(0, 3).map(nameOf).join('')}等${list.length}台`

export interface Failed {
  readonly id: number
  readonly name: string
  readonly msg: string
}

/** Sorts the devices of a batch into those it may go on with and those that are told why not. */
export function sift(
  ids: readonly number[],
  found: readonly StoredDevice[],
  problemOf: (device: StoredDevice) => string | undefined = () => undefined,
) {
  const known = new Set(found.map(({ id }) => id))
  const failed: Failed[] = [...new Set(ids)]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: String(id), msg: '设备不存在或已被删除' }))
  const good = found.filter((device) => {
    const msg = problemOf(device)
    if (msg !== undefined) failed.push({ id: device.id, name: device.sn, msg })
    return msg === undefined
  })
  return { good, failed }
}

/** A batch of one that failed is refused like any single call. */
export function reportOf(ids: readonly number[], done: number, failed: Failed[]) {
  if (ids.length === 1 && failed[0]) throw refused(failed[0].msg)
  return { done, failed }
}

/** Lists elsewhere show what changed; of several tenants at once everybody looks again. */
export function tellChanged({ kernel, db }: Pick<Ctx, 'kernel' | 'db'>, tenantIds: readonly number[]) {
  const [first, ...rest] = new Set(tenantIds)
  if (first === undefined) return
  return kernel.events.publish(db, 'changed', { resource: 'device', tenantId: rest.length > 0 ? null : first })
}
