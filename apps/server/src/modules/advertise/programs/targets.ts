import { TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { HAS_SCREEN_CONDITION, type ProgramTarget } from '../targets.ts'
import { matchesRule, GROUP_MEMBERSHIP_COLUMNS } from '#modules/device/fleet/device-filter.ts'
import { isAllowedInGroupsOf } from '#modules/device/fleet/group-members.ts'
import { adScreens } from '../schema-screen.ts'
import { deviceGroups, devices } from '#modules/device/schema.ts'

/**
 * Returns the condition on `devices` for the devices that a program targets. A program of a tenant reaches devices of
 * that tenant only; a program of the platform reaches devices of all tenants. Deleted and disabled groups match none.
 */
export async function buildTargetCondition(db: Db, target: ProgramTarget): Promise<SQL> {
  const own = and(notDeleted(devices), isAllowedInGroupsOf(target.tenantId))
  return and(own, await matchesTarget(db, target)) ?? sql`false`
}

function matchesTarget(db: Db, { targetType, targetIds, isDefault = 0 }: ProgramTarget): SQL | Promise<SQL> {
  if (isDefault === 1) return sql`true`
  if (targetIds.length === 0) return sql`false`
  if (targetType === TARGET_TYPE.devices) return among(devices.id, targetIds)
  if (targetType === TARGET_TYPE.models) return among(devices.modelId, targetIds)
  if (targetType === TARGET_TYPE.tenants) return among(devices.tenantId, targetIds)
  return inGroups(db, targetIds)
}

/** Returns the condition for devices of any of the groups: one sub-select for static groups, one rule per dynamic group. */
async function inGroups(db: Db, ids: readonly number[]): Promise<SQL> {
  const groups = await db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(and(inArray(deviceGroups.id, [...ids]), notDeleted(deviceGroups), eq(deviceGroups.status, 1)))
  const statics = groups.flatMap(({ id, kind }) => (kind === 1 ? [id] : []))
  const rules = groups.flatMap(({ kind, rule, tenantId }) =>
    kind === 1
      ? []
      : [and(tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId), matchesRule(rule ?? {}))],
  )
  const members = sql`${devices.id} in (select device_id from device_group_members
    where group_id = any(${sql.param(statics)}::int[]))`
  return or(statics.length > 0 ? members : undefined, ...rules.map((rule) => rule ?? sql`true`)) ?? sql`false`
}

/** Returns the ids of the devices whose screens a program reaches now, in ascending order. */
export async function listTargetScreens(db: Db, target: ProgramTarget): Promise<number[]> {
  const rows = await db
    .select({ deviceId: devices.id })
    .from(devices)
    .innerJoin(adScreens, eq(adScreens.deviceId, devices.id))
    .where(await buildTargetCondition(db, target))
    .orderBy(asc(devices.id))
  return rows.map(({ deviceId }) => deviceId)
}

/** Counts the screens that a program reaches now. */
export const countTargetScreens = async (db: Db, target: ProgramTarget): Promise<number> =>
  db.$count(devices, and(await buildTargetCondition(db, target), HAS_SCREEN_CONDITION))
