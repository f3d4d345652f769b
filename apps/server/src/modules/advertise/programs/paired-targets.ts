import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { matchesRule } from '#modules/device/fleet/device-filter.ts'
import { isAllowedInGroupsOf } from '#modules/device/fleet/group-members.ts'
import { adScreens } from '../schema-screen.ts'
import { type deviceGroups, deviceGroupMembers, devices } from '#modules/device/schema.ts'

// These queries begin with the paired screens: an installation has far fewer screens than devices.

interface Keyed {
  readonly id: number
}
type Group = Pick<typeof deviceGroups.$inferSelect, 'id' | 'kind' | 'rule' | 'tenantId'>

const idsOf = (rows: readonly Keyed[]) => rows.map(({ id }) => id)
const toIdSet = (rows: readonly Keyed[]): ReadonlySet<number> => new Set(idsOf(rows))

/** Returns the ids of the models with a paired screen among the devices that `reached` matches. */
export async function findModelsWithScreen(db: Db, models: readonly Keyed[], reached: SQL | undefined) {
  const rows = await db
    .selectDistinct({ id: devices.modelId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(and(notDeleted(devices), among(devices.modelId, idsOf(models)), reached))
  return toIdSet(rows)
}

/** Returns the ids of the tenants with a paired screen. */
export async function findTenantsWithScreen(db: Db, tenants: readonly Keyed[]) {
  const rows = await db
    .selectDistinct({ id: devices.tenantId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(and(notDeleted(devices), among(devices.tenantId, idsOf(tenants))))
  return toIdSet(rows)
}

/** Returns the ids of the static and dynamic groups with a paired screen. */
export async function findGroupsWithScreen(db: Db, groups: readonly Group[]): Promise<ReadonlySet<number>> {
  const statics = groups.filter(({ kind }) => kind === 1)
  const dynamics = groups.filter(({ kind }) => kind !== 1)
  return new Set([...(await findStatics(db, statics)), ...(await findDynamics(db, dynamics))])
}

async function findStatics(db: Db, groups: readonly Group[]): Promise<number[]> {
  if (groups.length === 0) return []
  const rows = await db
    .selectDistinct({ id: deviceGroupMembers.groupId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .innerJoin(deviceGroupMembers, eq(deviceGroupMembers.deviceId, adScreens.deviceId))
    .where(and(notDeleted(devices), among(deviceGroupMembers.groupId, idsOf(groups))))
  return idsOf(rows)
}

/** Reads the paired screens once for the rules of all groups. */
async function findDynamics(db: Db, groups: readonly Group[]): Promise<number[]> {
  if (groups.length === 0) return []
  const hasMatch = ({ rule, tenantId }: Group) =>
    sql<boolean | null>`bool_or(${and(isAllowedInGroupsOf(tenantId), matchesRule(rule ?? {})) ?? sql`true`})`
  const [row] = await db
    .select(Object.fromEntries(groups.map((group) => [String(group.id), hasMatch(group)])))
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(notDeleted(devices))
  return idsOf(groups).filter((id) => row?.[String(id)] === true)
}
