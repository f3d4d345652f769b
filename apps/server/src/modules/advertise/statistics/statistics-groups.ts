import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { GROUP_MEMBERSHIP_COLUMNS, matchesRule } from '#modules/device/fleet/device-filter.ts'
import { deviceGroups, type GroupRule } from '#modules/device/schema.ts'

/** Maximum number of groups in one table. */
const MAX_GROUPS = 500
const STATIC = 1

/** Name of a group, with a mark for deleted groups. The statistics include deleted groups. */
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
    .limit(MAX_GROUPS)

interface Group {
  readonly id: number
  readonly kind: number
  readonly rule: GroupRule | null
  readonly tenantId: number
}

/**
 * Returns the condition for the devices of a group. Devices of a static group are its present members and its members
 * at the deletion of the device or of the group. Devices of a dynamic group match its rule. A tenant's group contains
 * only devices of the tenant.
 */
function buildMemberCondition({ id, kind, rule, tenantId }: Group): SQL {
  const own = tenantId === PLATFORM_TENANT_ID ? sql`true` : sql`devices.tenant_id = ${tenantId}`
  const member =
    kind === STATIC
      ? sql`devices.id in (select device_id from device_group_members where group_id = ${id}
          union all select device_id from ad_former_members where group_id = ${id})`
      : (matchesRule(rule ?? {}) ?? sql`true`)
  return sql`${own} and ${member}`
}

/** Returns the condition for the devices of a group, which may be deleted. An invisible group matches no device. */
export async function buildStatisticsGroupCondition(db: Db, user: User, groupId: number): Promise<SQL> {
  const [group] = await db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, groupId), scoped(user, { tenant: deviceGroups.tenantId })))
  return group ? buildMemberCondition(group) : sql`false`
}

/** Returns a query of group and device ids, limited to the devices of `p`. */
export function selectGroupMembers(groups: readonly NamedGroup[]): SQL {
  const parts = groups.map(
    (group) => sql`select devices.id as device_id, ${group.id}::int as id from devices
      where devices.id in (select device_id from p) and ${buildMemberCondition(group)}`,
  )
  return parts.length === 0 ? sql`select 0 as device_id, 0 as id where false` : sql.join(parts, sql` union all `)
}
