import { TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { and, asc, eq, type SQL, inArray, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { requireReceivingTenants } from '#core/tenancy/tenant-state.ts'
import { visibleDevices, matchesRule, GROUP_MEMBERSHIP_COLUMNS } from '#modules/device/device-filter.ts'
import { isAllowedInGroupsOf } from '#modules/device/group-members.ts'
import { deviceGroups, deviceModels, devices } from '#modules/device/schema.ts'
import { adScreens } from '../schema-screen.ts'
import { isTargetBeyondScope } from '../scope.ts'

interface TargetKind {
  readonly key: PgColumn
  readonly name: PgColumn
  where(user: User, tenantId: number): SQL | undefined
}

/** Key, name and visibility of the records of each kind of target. */
const KINDS: Readonly<Record<number, TargetKind>> = {
  [TARGET_TYPE.devices]: {
    key: devices.id,
    name: devices.sn,
    where: (user, tenantId) => and(visibleDevices(user), isAllowedInGroupsOf(tenantId)),
  },
  [TARGET_TYPE.groups]: {
    key: deviceGroups.id,
    name: deviceGroups.groupName,
    where: (user, tenantId) =>
      and(
        notDeleted(deviceGroups),
        scoped(user, { tenant: deviceGroups.tenantId }),
        tenantId === PLATFORM_TENANT_ID ? undefined : eq(deviceGroups.tenantId, tenantId),
      ),
  },
  [TARGET_TYPE.models]: { key: deviceModels.id, name: deviceModels.modelName, where: () => notDeleted(deviceModels) },
  [TARGET_TYPE.tenants]: {
    key: tenants.id,
    name: tenants.name,
    where: (user) => and(notDeleted(tenants), scoped(user, { tenant: tenants.id })),
  },
}

/**
 * Returns the targets without duplicates. Refuses targets outside the caller's data scope and outside the tenant of the
 * program.
 */
export async function checkTargets({ db, user }: Pick<Ctx, 'db' | 'user'>, target: ProgramTarget): Promise<number[]> {
  const { tenantId, targetType, targetIds } = target
  if (targetType === TARGET_TYPE.tenants && tenantId !== PLATFORM_TENANT_ID)
    throw invalid('只有平台的节目单可以按客户投放', 'targetType')
  if (targetType === TARGET_TYPE.models && tenantId === PLATFORM_TENANT_ID && user.scope.tenants !== 'all')
    throw invalid('您的数据范围不包含全部客户，不能按型号投放', 'targetType')
  const ids = [...new Set(targetIds)]
  const { key, where } = KINDS[targetType]!
  const found = await db.$count(key.table, and(among(key, ids), where(user, tenantId)))
  if (found < ids.length) throw invalid('投放对象不存在或已被删除', 'targetIds')
  if (targetType === TARGET_TYPE.tenants) await requireReceivingTenants(db, ids, 'targetIds')
  await assertTargetsInScope({ db, user }, target)
  return ids
}

/** Returns whether a program has targets. A default program plays on all screens of its tenant. */
export const hasTargets = ({ isDefault, targetIds }: Pick<ProgramTarget, 'isDefault' | 'targetIds'>) =>
  isDefault === 1 || targetIds.length > 0

/** Refuses targets that reach tenants outside the account's data scope. */
export async function assertTargetsInScope({ db, user }: Pick<Ctx, 'db' | 'user'>, target: ProgramTarget) {
  if (!(await isTargetBeyondScope(db, user, target))) return
  if (target.isDefault === 1) throw invalid('默认节目单会投放到您数据范围以外的屏幕', 'isDefault')
  throw invalid('投放对象包含您数据范围之外的客户', 'targetIds')
}

/** Returns the names of the targets that the caller may see. Names of devices are serial numbers. */
export async function readTargetNames(
  db: Db,
  user: User,
  { tenantId, targetType, targetIds }: ProgramTarget,
): Promise<{ id: number; name: string }[]> {
  const kind = KINDS[targetType]
  if (!kind || targetIds.length === 0) return []
  const { key, name, where } = kind
  const rows = await db
    .select({ id: key, name })
    .from(key.table)
    .where(and(among(key, targetIds), where(user, tenantId)))
    .orderBy(asc(key))
  return rows as { id: number; name: string }[]
}

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

/** Targets of a program or of a program version. */
export interface ProgramTarget {
  readonly tenantId: number
  /** `TARGET` of the contract. */
  readonly targetType: number
  readonly targetIds: readonly number[]
  /** 1: a default program, which ignores the targets and reaches all devices of its tenant. */
  readonly isDefault?: number
}

/** Condition on `devices`: the device is not deleted and has a screen. */
export const HAS_SCREEN_CONDITION = and(
  notDeleted(devices),
  sql`exists (select from ad_screens where ad_screens.device_id = ${devices.id})`,
)
