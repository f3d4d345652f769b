import { MAX_GROUP_DEVICES, MAX_GROUPS_OF_DEVICE, MAX_PLATFORM_GROUP_DEVICES } from '@oms/contract/device-group.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceGroupMembers, deviceGroups, devices } from '#db/schema/device.ts'
import { conflict, Problem } from '#kernel/problem.ts'
import { among } from '#kernel/query.ts'
import { PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'

/** A static group, its row locked: changes of one group take turns. */
export interface JoinedGroup {
  readonly id: number
  readonly tenantId: number
}

/** Whoever puts devices there are into groups waits for the one before: how many groups a device is in holds for certain. */
const JOINING = 73_014_001
const takeTurn = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${JOINING})`)

/** Devices a tenant's groups may hold: its own; the vendor's groups hold anybody's. */
export const withinTenant = (tenantId: number) =>
  tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId)
/** The same of one device. */
export const mayHold = (group: Pick<JoinedGroup, 'tenantId'>, device: { readonly tenantId: number }) =>
  group.tenantId === PLATFORM_TENANT_ID || group.tenantId === device.tenantId

export const DEVICE_IS_FULL = `设备最多加入${MAX_GROUPS_OF_DEVICE}个分组`
const limitOf = ({ tenantId }: Pick<JoinedGroup, 'tenantId'>) =>
  tenantId === PLATFORM_TENANT_ID ? MAX_PLATFORM_GROUP_DEVICES : MAX_GROUP_DEVICES
const heldBy = (db: Db, { id }: Pick<JoinedGroup, 'id'>) =>
  db.$count(deviceGroupMembers, eq(deviceGroupMembers.groupId, id))

/** Devices named by `full` at most; `fullCount` counts them all. */
const MOST_NAMED = 1000

export interface Joined {
  readonly added: number
  /** In the group before. */
  readonly already: number
  readonly fullCount: number
  /** In as many groups as a device may be in: left out. */
  readonly full: readonly number[]
}

/** Puts the devices meant into the group, in one statement however many they are; `meant` says whose they may be. */
export async function joinGroup(db: Db, group: JoinedGroup, meant: SQL | undefined): Promise<Joined> {
  await takeTurn(db)
  const { rows } = await db.execute<Joined & Record<string, unknown>>(sql`
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
  const joined = rows[0] as Joined
  if (joined.added > 0) {
    const held = await heldBy(db, group)
    const limit = limitOf(group)
    if (held > limit) throw conflict(`一个静态分组最多${limit}台设备，添加后将有${held}台，请缩小范围`)
  }
  return joined
}

/** What a table of devices may still put into groups, line by line; each group is locked and counted when first named. */
export class GroupRoom {
  readonly #left = new Map<number, number>()
  /** Groups of the devices the table changes; those it adds are in none. */
  readonly #groupsOf = new Map<number, Set<number>>()

  /** Looks up which groups devices are in that lines will put into groups. */
  async know(db: Db, deviceIds: readonly number[]) {
    if (deviceIds.length === 0) return
    await takeTurn(db)
    const rows = await db.select().from(deviceGroupMembers).where(among(deviceGroupMembers.deviceId, deviceIds))
    for (const id of deviceIds) this.#groupsOf.set(id, new Set())
    for (const { deviceId, groupId } of rows) this.#groupsOf.get(deviceId)?.add(groupId)
  }

  /** Takes a device's places in groups of one tenant, all of them or none. */
  async take(db: Db, { deviceId, tenantId, groups }: Places): Promise<Problem | undefined> {
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
    await db.select({ id: deviceGroups.id }).from(deviceGroups).where(eq(deviceGroups.id, group.id)).for('update')
    const left = limitOf(group) - (await heldBy(db, group))
    this.#left.set(group.id, left)
    return left
  }
}

interface Places {
  /** Undefined: a device the table adds. */
  readonly deviceId: number | undefined
  readonly tenantId: number
  /** The groups' names by their ids. */
  readonly groups: ReadonlyMap<number, string>
}
