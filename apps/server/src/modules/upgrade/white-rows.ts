import type { DeviceFilterValues } from '@oms/contract/device.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { deviceModels, devices } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import { otaWhites } from '#db/schema/upgrade.ts'
import type { User } from '#kernel/context.ts'
import { devicesMatching, groupCondition, visibleDevices } from '#kernel/fleet/device-filter.ts'
import { withinReach } from '#kernel/fleet/release.ts'
import type { StoredVersion } from './release-rows.ts'

/** Devices that may be on the white list of a version: of its model, within its reach and the account's sight. */
export const eligible = (user: User, version: StoredVersion): SQL =>
  and(withinReach(version), visibleDevices(user)) as SQL

/** Of these devices those a filter means. */
export async function eligibleMatching(
  db: Db,
  user: User,
  version: StoredVersion,
  filter: Partial<DeviceFilterValues>,
) {
  const group = filter.groupId === undefined ? undefined : await groupCondition(db, user, filter.groupId)
  return and(eligible(user, version), devicesMatching(filter, group)) as SQL
}

export const isWhite = (otaId: number) =>
  sql`exists (select from ota_whites w where w.ota_id = ${otaId} and w.device_id = ${devices.id})`

/** Devices as the white list shows them. */
export const shownWhites = (db: Db, otaId: number) =>
  db
    .select({
      deviceId: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('white_model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('white_tenant_name'),
      verCode: devices.verCode,
      online: devices.online,
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

/** Puts every device of a condition in, in one statement; answers how many were not in before. */
export async function putMatching(db: Db, otaId: number, devicesMeant: SQL, uid: number) {
  const { rowCount } = await db.execute(sql`insert into ota_whites (ota_id, device_id, create_by)
    select ${otaId}::int, ${devices.id}, ${uid}::int from ${devices} where ${devicesMeant} on conflict do nothing`)
  return rowCount ?? 0
}

/** Takes every device of a condition out, in one statement. */
export async function removeMatching(db: Db, otaId: number, devicesMeant: SQL) {
  const { rowCount } = await db.execute(sql`delete from ota_whites w using ${devices}
    where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${devicesMeant}`)
  return rowCount ?? 0
}

/** Long enough that the statements do not add up, short enough that somebody sees it move. */
const STEPS = 40
const LEAST_ROWS = 5000

/**
 * The same a stretch of the list at a time, all in the caller's transaction; `told` hears after each which part of the
 * list has been gone through, up to 1.
 */
export async function removeStepwise(
  db: Db,
  otaId: number,
  { devicesMeant, told }: { devicesMeant: SQL; told: (part: number) => Promise<void> },
) {
  const size = await db.$count(otaWhites, eq(otaWhites.otaId, otaId))
  const step = Math.max(LEAST_ROWS, Math.ceil(size / STEPS))
  const { rows } = await db.execute<{ upTo: number }>(sql`select max(device_id) as "upTo" from
    (select device_id, (row_number() over (order by device_id) - 1) / ${step}::int as stretch from ota_whites
     where ota_id = ${otaId}) w group by stretch order by 1`)
  let count = 0
  let after = 0
  for (const [at, { upTo }] of rows.entries()) {
    // Said of both tables: the planner does not take a range over from one to the other.
    const stretch = sql`${devices.id} > ${after} and ${devices.id} <= ${upTo} and w.device_id > ${after} and w.device_id <= ${upTo}`
    const gone = await db.execute(sql`delete from ota_whites w using ${devices}
      where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${stretch} and ${devicesMeant}`)
    count += gone.rowCount ?? 0
    after = upTo
    await told((at + 1) / rows.length)
  }
  return count
}
