import type { programOptions as calls } from '@oms/contract/advertise/program-options.ts'
import { TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { adScreens as screenCalls } from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, among } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { GROUP_MEMBERSHIP_COLUMNS, visibleDevices, matchesRule } from '#modules/device/device-filter.ts'
import { isAllowedInGroupsOf } from '#modules/device/group-members.ts'
import { deviceGroups, deviceModels, devices, deviceGroupMembers } from '#modules/device/schema.ts'
import { adScreens } from '../schema-screen.ts'
import { resolveProgramTenant } from './program-options.ts'
import { HAS_SCREEN_CONDITION } from './program-targets.ts'

const MAX_OPTIONS = 100
/** Maximum number of unpaired devices that a search without a paired screen names. */
const MAX_UNPAIRED = 20

type TargetQuery = ParsedOf<typeof calls.targets>

export async function listTargetOptions(ctx: Ctx, query: TargetQuery) {
  const owner = resolveProgramTenant(ctx, query.tenantId)
  const { targetType, keyword } = query
  if (targetType === TARGET_TYPE.devices) return { list: await listScreens(ctx, keyword, isAllowedInGroupsOf(owner)) }
  if (targetType === TARGET_TYPE.groups) return { list: await listGroups(ctx, keyword, owner) }
  if (targetType === TARGET_TYPE.models) return { list: await listModels(ctx, keyword, owner) }
  return { list: owner === PLATFORM_TENANT_ID ? await listTenants(ctx, keyword) : [] }
}

export async function listScreenOptions(ctx: Ctx, { keyword }: ParsedOf<typeof calls.screens>) {
  const rows = await listScreens(ctx, keyword)
  return { list: rows.map(({ detail, ...row }) => ({ ...row, devName: detail })) }
}

/** Returns whether the account may know the names of devices without a screen. */
const maySeeDevices = (user: User) => user.can(screenCalls.devices.access) || user.can('device:apkManage:list')

/**
 * Returns the paired screens by serial number or name. A search without a paired screen returns the unpaired devices that
 * it matches, so that the user learns why the screen cannot be chosen.
 */
async function listScreens({ db, user }: Ctx, keyword: string | undefined, where?: SQL) {
  const read = (limit: number, condition?: SQL) =>
    db
      .select({ id: devices.id, name: devices.sn, detail: devices.devName })
      .from(devices)
      .where(
        and(
          visibleDevices(user),
          condition,
          where,
          or(contains(devices.sn, keyword), contains(devices.devName, keyword)),
        ),
      )
      .orderBy(asc(devices.id))
      .limit(limit)
  const paired = await read(MAX_OPTIONS, HAS_SCREEN_CONDITION)
  if (paired.length > 0 || !keyword || !maySeeDevices(user)) return paired.map((row) => ({ ...row, hasScreen: true }))
  const unpaired = await read(MAX_UNPAIRED)
  return unpaired.map((row) => ({ ...row, hasScreen: false }))
}

async function listGroups({ db, user }: Ctx, keyword: string | undefined, owner: number) {
  const groups = await db
    .select({
      ...GROUP_MEMBERSHIP_COLUMNS,
      tenantId: deviceGroups.tenantId,
      name: deviceGroups.groupName,
      detail: sql<string>`coalesce(${tenants.name}, '')`,
    })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))
    .where(
      and(
        notDeleted(deviceGroups),
        eq(deviceGroups.status, 1),
        scoped(user, { tenant: deviceGroups.tenantId }),
        owner === PLATFORM_TENANT_ID ? undefined : eq(deviceGroups.tenantId, owner),
        contains(deviceGroups.groupName, keyword),
      ),
    )
    .orderBy(asc(deviceGroups.id))
    .limit(MAX_OPTIONS)
  const found = await findGroupsWithScreen(db, groups)
  return groups.map(({ id, name, detail }) => ({ id, name, detail, hasScreen: found.has(id) }))
}

async function listModels({ db, user }: Ctx, keyword: string | undefined, owner: number) {
  const list = await db
    .select({ id: deviceModels.id, name: deviceModels.modelName, detail: deviceModels.modelCode })
    .from(deviceModels)
    .where(and(notDeleted(deviceModels), contains(deviceModels.modelName, keyword)))
    .orderBy(asc(deviceModels.id))
    .limit(MAX_OPTIONS)
  const reached = and(isAllowedInGroupsOf(owner), scoped(user, { tenant: devices.tenantId }))
  const found = await findModelsWithScreen(db, list, reached)
  return list.map((model) => ({ ...model, hasScreen: found.has(model.id) }))
}

async function listTenants({ db, user }: Ctx, keyword: string | undefined) {
  const list = await db
    .select({ id: tenants.id, name: tenants.name, detail: tenants.tenantNo })
    .from(tenants)
    .where(and(isTenantActive(), scoped(user, { tenant: tenants.id }), contains(tenants.name, keyword)))
    .orderBy(asc(tenants.id))
    .limit(MAX_OPTIONS)
  const found = await findTenantsWithScreen(db, list)
  return list.map((tenant) => ({ ...tenant, hasScreen: found.has(tenant.id) }))
}

// These queries begin with the paired screens: an installation has far fewer screens than devices.

interface Keyed {
  readonly id: number
}

type Group = Pick<typeof deviceGroups.$inferSelect, 'id' | 'kind' | 'rule' | 'tenantId'>

const idsOf = (rows: readonly Keyed[]) => rows.map(({ id }) => id)
const toIdSet = (rows: readonly Keyed[]): ReadonlySet<number> => new Set(idsOf(rows))

/** Returns the ids of the models with a paired screen among the devices that `reached` matches. */
async function findModelsWithScreen(db: Db, models: readonly Keyed[], reached: SQL | undefined) {
  const rows = await db
    .selectDistinct({ id: devices.modelId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(and(notDeleted(devices), among(devices.modelId, idsOf(models)), reached))
  return toIdSet(rows)
}

/** Returns the ids of the tenants with a paired screen. */
async function findTenantsWithScreen(db: Db, tenants: readonly Keyed[]) {
  const rows = await db
    .selectDistinct({ id: devices.tenantId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(and(notDeleted(devices), among(devices.tenantId, idsOf(tenants))))
  return toIdSet(rows)
}

/** Returns the ids of the static and dynamic groups with a paired screen. */
async function findGroupsWithScreen(db: Db, groups: readonly Group[]): Promise<ReadonlySet<number>> {
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
