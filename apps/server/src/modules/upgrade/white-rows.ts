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
