import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { GROUP_MEMBERSHIP_COLUMNS, matchesRule } from '#domain/fleet/device-filter.ts'
import { deviceGroups, type GroupRule } from '#schema/device.ts'

/** Maximum number of groups in one table. */
const MOST_GROUPS = 500
const STATIC = 1

/** Name of a group; deleted groups are marked and stay in the statistics. */
export const MARKED_GROUP_NAME = sql<string>`${deviceGroups.groupName} || case when ${deviceGroups.deletedAt} is null
  then '' else '（已删除）' end`

export type NamedGroup = Awaited<ReturnType<typeof selectVisibleGroups>>[number]

/** Returns the groups that the account may see, deleted groups last. */
export const selectVisibleGroups = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, name: MARKED_GROUP_NAME, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(scoped(user, { tenant: deviceGroups.tenantId, creator: deviceGroups.createBy }))
    .orderBy(sql`${deviceGroups.deletedAt} is not null`, asc(deviceGroups.id))
    .limit(MOST_GROUPS)

interface Group {
  readonly id: number
  readonly kind: number
  readonly rule: GroupRule | null
  readonly tenantId: number
}

/**
 * Returns the condition for the devices of a group: the present members, the members at the deletion of a device or of
 * the group, and the devices that match a dynamic rule. Devices of a tenant's group belong to the tenant.
 */
export function isStatisticsMember({ id, kind, rule, tenantId }: Group): SQL {
  const own = tenantId === PLATFORM_TENANT_ID ? sql`true` : sql`devices.tenant_id = ${tenantId}`
  const member =
    kind === STATIC
      ? sql`devices.id in (select device_id from device_group_members where group_id = ${id}
          union all select device_id from ad_former_members where group_id = ${id})`
      : (matchesRule(rule ?? {}) ?? sql`true`)
  return sql`${own} and ${member}`
}

/** Returns the condition for the devices of a group that may be deleted. An invisible group matches no device. */
export async function buildStatisticsGroupCondition(db: Db, user: User, groupId: number): Promise<SQL> {
  const [group] = await db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, groupId), scoped(user, { tenant: deviceGroups.tenantId })))
  return group ? isStatisticsMember(group) : sql`false`
}

/** Returns a query of group and device, limited to the devices of `p`. */
export function selectGroupMembers(groups: readonly NamedGroup[]): SQL {
  const parts = groups.map(
    (group) => sql`select devices.id as device_id, ${group.id}::int as id from devices
      where devices.id in (select device_id from p) and ${isStatisticsMember(group)}`,
  )
  return parts.length === 0 ? sql`select 0 as device_id, 0 as id where false` : sql.join(parts, sql` union all `)
}
