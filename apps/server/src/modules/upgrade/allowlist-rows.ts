import type { DeviceFilterValues } from '@oms/contract/device/device-fields.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { otaWhites } from './schema.ts'
import type { User } from '#core/http/context.ts'
import { buildDeviceFilter, buildGroupCondition, visibleDevices } from '#modules/device/device-filter.ts'
import { isTargetDevice } from './releases/release-rules.ts'
import type { StoredVersion } from './releases/release-rows.ts'

/**
 * Returns the condition for devices that an allowlist may contain: the version's model and tenants, and the
 * account's data scope.
 */
export const eligibleDevices = (user: User, version: StoredVersion): SQL =>
  and(isTargetDevice(version), visibleDevices(user)) as SQL

/** Returns the eligible devices that match a filter. */
export async function eligibleDevicesMatching(
  db: Db,
  user: User,
  version: StoredVersion,
  filter: Partial<DeviceFilterValues>,
) {
  const group = filter.groupId === undefined ? undefined : await buildGroupCondition(db, user, filter.groupId)
  return and(eligibleDevices(user, version), buildDeviceFilter(filter, group)) as SQL
}

export const isOnAllowlist = (otaId: number) =>
  sql`exists (select from ota_whites w where w.ota_id = ${otaId} and w.device_id = ${devices.id})`

/** Selects devices with the columns of the allowlist page. */
export const selectAllowlist = (db: Db, otaId: number) =>
  db
    .select({
      deviceId: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('white_model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('white_tenant_name'),
      verCode: devices.verCode,
      online: devices.online,
      activateTime: devices.activateTime,
      status: devices.status,
      lastOnlineTime: devices.lastOnlineTime,
      createTime: devices.createTime,
      whiteTime: otaWhites.createTime,
      whiteByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('white_by_name'),
    })
    .from(devices)
    .leftJoin(otaWhites, and(eq(otaWhites.otaId, otaId), eq(otaWhites.deviceId, devices.id)))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))
    .leftJoin(accounts, eq(accounts.uid, otaWhites.createBy))

/** Adds every device that matches a condition with one statement. Returns the number of added devices. */
export async function addMatchingDevices(db: Db, otaId: number, devicesMeant: SQL, uid: number) {
  const { rowCount } = await db.execute(sql`insert into ota_whites (ota_id, device_id, create_by)
    select ${otaId}::int, ${devices.id}, ${uid}::int from ${devices} where ${devicesMeant} on conflict do nothing`)
  return rowCount ?? 0
}

/** Removes every device that matches a condition with one statement. */
export async function removeMatchingDevices(db: Db, otaId: number, devicesMeant: SQL) {
  const { rowCount } = await db.execute(sql`delete from ota_whites w using ${devices}
    where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${devicesMeant}`)
  return rowCount ?? 0
}

/** Number of statements that empty an allowlist: few enough to be fast, enough to show progress. */
const STEPS = 40
const LEAST_ROWS = 5000

/**
 * Removes devices in ranges of ids within the caller's transaction. Calls `onProgress` after each range with the
 * completed part (0 to 1).
 */
export async function removeDevicesInSteps(
  db: Db,
  otaId: number,
  { devicesMeant, onProgress }: { devicesMeant: SQL; onProgress: (part: number) => Promise<void> },
) {
  const size = await db.$count(otaWhites, eq(otaWhites.otaId, otaId))
  const step = Math.max(LEAST_ROWS, Math.ceil(size / STEPS))
  const { rows } = await db.execute<{ upTo: number }>(sql`select max(device_id) as "upTo" from
    (select device_id, (row_number() over (order by device_id) - 1) / ${step}::int as stretch from ota_whites
     where ota_id = ${otaId}) w group by stretch order by 1`)
  let count = 0
  let after = 0
  for (const [at, { upTo }] of rows.entries()) {
    // The range is given for both tables: the planner does not derive the range of one table from the other.
    const stretch = sql`${devices.id} > ${after} and ${devices.id} <= ${upTo} and w.device_id > ${after} and w.device_id <= ${upTo}`
    const gone = await db.execute(sql`delete from ota_whites w using ${devices}
      where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${stretch} and ${devicesMeant}`)
    count += gone.rowCount ?? 0
    after = upTo
    await onProgress((at + 1) / rows.length)
  }
  return count
}
