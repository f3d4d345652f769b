import {
  MAX_GROUP_DEVICES,
  MAX_GROUPS_OF_DEVICE,
  MAX_PLATFORM_GROUP_DEVICES,
} from '@oms/contract/device/device-group.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { conflict, ApiError } from '#core/http/api-error.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { deviceGroupMembers, deviceGroups, devices } from './schema.ts'

/** A static group whose row is locked. Changes of one group run one after another. */
interface JoinedGroup {
  readonly id: number
  readonly tenantId: number
}

/**
 * Key of the advisory lock for adding existing devices to groups. The lock makes the count of a device's groups
 * exact.
 */
const JOINING = 73_014_001
const takeTurn = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${JOINING})`)

/**
 * Returns the condition for devices that a tenant's groups may contain: its own devices, or any device for the
 * vendor.
 */
export const isAllowedInGroupsOf = (tenantId: number) =>
  tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId)
/** True when the group may contain the device. */
export const isGroupAllowed = (group: Pick<JoinedGroup, 'tenantId'>, device: { readonly tenantId: number }) =>
  group.tenantId === PLATFORM_TENANT_ID || group.tenantId === device.tenantId

export const DEVICE_IS_FULL = `设备最多加入${MAX_GROUPS_OF_DEVICE}个分组`
const limitOf = ({ tenantId }: Pick<JoinedGroup, 'tenantId'>) =>
  tenantId === PLATFORM_TENANT_ID ? MAX_PLATFORM_GROUP_DEVICES : MAX_GROUP_DEVICES
const heldBy = (db: Db, { id }: Pick<JoinedGroup, 'id'>) =>
  db.$count(deviceGroupMembers, eq(deviceGroupMembers.groupId, id))

/** Maximum number of devices listed in `full`. `fullCount` counts all. */
const MOST_NAMED = 1000

interface AddedMembers {
  readonly added: number
  /** Number of devices that were already in the group. */
  readonly already: number
  readonly fullCount: number
  /** Devices that already have the maximum number of groups. These are not added. */
  readonly full: readonly number[]
}

/** Adds the matching devices to the group with one statement. `meant` must limit the devices to permitted tenants. */
export async function addGroupMembers(db: Db, group: JoinedGroup, meant: SQL | undefined): Promise<AddedMembers> {
  await takeTurn(db)
  const { rows } = await db.execute<AddedMembers & Record<string, unknown>>(sql`
    with meant as materialized (
      select devices.id, exists (select from device_group_members m
        where m.group_id = ${group.id} and m.device_id = devices.id) as is_in
      from devices where ${meant ?? sql`true`}),
    crowded as materialized (
      select m.device_id from device_group_members m
      where m.device_id in (select id from meant where not is_in)
      group by m.device_id having count(*) >= ${MAX_GROUPS_OF_DEVICE}),
    joined as (
      insert into device_group_members (group_id, device_id)
      select ${group.id}, id from meant where not is_in and id not in (select device_id from crowded)
      on conflict do nothing returning 1)
    select (select count(*) from joined)::int as added, (select count(*) from meant where is_in)::int as already,
      (select count(*) from crowded)::int as "fullCount",
      array(select device_id from crowded order by 1 limit ${MOST_NAMED}) as "full"`)
  const joined = rows[0] as AddedMembers
  if (joined.added > 0) {
    const held = await heldBy(db, group)
    const limit = limitOf(group)
    if (held > limit) throw conflict(`一个静态分组最多${limit}台设备，添加后将有${held}台，请缩小范围`)
  }
  return joined
}

/**
 * Tracks the remaining places of groups during an import. Counts each group on first use. With `locks`, also locks the
 * group.
 */
export class GroupCapacity {
  readonly #locks: boolean
  readonly #left = new Map<number, number>()
  /** Groups of existing devices. New devices have no groups. */
  readonly #groupsOf = new Map<number, Set<number>>()

  constructor({ locks }: { readonly locks: boolean }) {
    this.#locks = locks
  }

  /** Loads the current groups of devices that the next lines add to groups. */
  async know(db: Db, deviceIds: readonly number[]) {
    if (deviceIds.length === 0) return
    if (this.#locks) await takeTurn(db)
    const rows = await db.select().from(deviceGroupMembers).where(among(deviceGroupMembers.deviceId, deviceIds))
    for (const id of deviceIds) this.#groupsOf.set(id, new Set())
    for (const { deviceId, groupId } of rows) this.#groupsOf.get(deviceId)?.add(groupId)
  }

  /** Reserves a place in each given group of one tenant. Returns an error and reserves none when a limit is reached. */
  async take(db: Db, { deviceId, tenantId, groups }: Places): Promise<ApiError | undefined> {
    const before = (deviceId !== undefined && this.#groupsOf.get(deviceId)) || new Set<number>()
    const wanted = [...new Set(groups.keys())].filter((id) => !before.has(id))
    if (before.size + wanted.length > MAX_GROUPS_OF_DEVICE) return conflict(DEVICE_IS_FULL, 'groups')
    for (const id of wanted)
      if ((await this.#leftIn(db, { id, tenantId })) <= 0)
        return conflict(`分组「${groups.get(id)}」已有${limitOf({ tenantId })}台设备，不能再添加`, 'groups')
    for (const id of wanted) this.#left.set(id, (this.#left.get(id) ?? 0) - 1)
    return undefined
  }

  async #leftIn(db: Db, group: JoinedGroup) {
    const known = this.#left.get(group.id)
    if (known !== undefined) return known
    const row = db.select({ id: deviceGroups.id }).from(deviceGroups).where(eq(deviceGroups.id, group.id))
    if (this.#locks) await row.for('update')
    const left = limitOf(group) - (await heldBy(db, group))
    this.#left.set(group.id, left)
    return left
  }
}

interface Places {
  /** Undefined for a device that the import adds. */
  readonly deviceId: number | undefined
  readonly tenantId: number
  /** Names of the groups by id. */
  readonly groups: ReadonlyMap<number, string>
}
