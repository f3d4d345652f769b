import type { deviceGroups as calls } from '@oms/contract/device/device-group.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceGroups, deviceModels, deviceTypes, type GroupRule } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { matchesRule, visibleDevices } from '../fleet/device-filter.ts'
import { readCachedDeviceStatistic, formatScopeKey } from '../fleet/fleet-counts.ts'
import { isAllowedInGroupsOf } from '../fleet/group-members.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { notDeleted, PLATFORM_TENANT_ID, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'

export type Group = typeof deviceGroups.$inferSelect

export const buildVisibleGroupsCondition = (user: User) =>
  and(notDeleted(deviceGroups), scoped(user, { tenant: deviceGroups.tenantId }))

/** Returns the requested tenant or the session's tenant. An invisible tenant is reported as not found. */
export function resolveGroupTenant(user: User, asked: number | undefined) {
  const tenantId = asked ?? user.tenantId
  if (tenantId === null) throw forbidden()
  if (!isTenantInScope(user, tenantId)) throw notFound('客户')
  return tenantId
}

const selectGroups = (db: Db) =>
  db
    .select({ ...getTableColumns(deviceGroups), tenantName: sql<string>`coalesce(${tenants.name}, '')` })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))

export async function listGroups({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const tenantId = resolveGroupTenant(user, input.tenantId)
  const rows = await selectGroups(db)
    .where(
      and(
        buildVisibleGroupsCondition(user),
        eq(deviceGroups.tenantId, tenantId),
        contains(deviceGroups.groupName, input.groupName),
        input.kind === undefined ? undefined : eq(deviceGroups.kind, input.kind),
        input.status === undefined ? undefined : eq(deviceGroups.status, input.status),
      ),
    )
    .orderBy(asc(byName(deviceGroups.groupName)), asc(deviceGroups.id))
  return { list: rows }
}

interface Counted {
  id: number
  deviceCount: number
  onlineCount: number
}

/**
 * Counts the devices of a tenant's groups: one statement for static groups, one scan of the devices for dynamic
 * groups.
 */
export async function countGroupDevices({ db, user, services }: Ctx, input: ParsedOf<typeof calls.counts>) {
  const tenantId = resolveGroupTenant(user, input.tenantId)
  const groups = await db
    .select({ id: deviceGroups.id, kind: deviceGroups.kind, rule: deviceGroups.rule, rev: deviceGroups.rev })
    .from(deviceGroups)
    .where(and(buildVisibleGroupsCondition(user), eq(deviceGroups.tenantId, tenantId)))
    .orderBy(asc(deviceGroups.id))
  const dynamic = groups.filter(({ kind }) => kind === 2)
  const rules = dynamic.map(({ id, rev }) => `${id}.${rev}`).join(',')
  const statics = await countStatic(db, user, tenantId)
  const ruled =
    dynamic.length === 0
      ? { list: [] }
      : await readCachedDeviceStatistic(services, `groups ${tenantId} ${rules} ${formatScopeKey(user)}`, () =>
          countDynamic(db, user, tenantId, dynamic),
        )
  const found = new Map([...statics, ...ruled.list].map((row) => [row.id, row]))
  return { list: groups.map(({ id }) => found.get(id) ?? { id, deviceCount: 0, onlineCount: 0 }) }
}

async function countStatic(db: Db, user: User, tenantId: number) {
  const { rows } = await db.execute<Counted & Record<string, unknown>>(sql`
    select m.group_id as id, count(*)::int as "deviceCount", count(*) filter (where online = 1)::int as "onlineCount"
    from device_group_members m join devices on devices.id = m.device_id
    where m.group_id in (select id from device_groups where tenant_id = ${tenantId} and kind = 1 and deleted_at is null)
      and ${and(visibleDevices(user), isAllowedInGroupsOf(tenantId))}
    group by m.group_id`)
  return rows
}

interface Ruled {
  readonly id: number
  readonly rule: GroupRule | null
}

async function countDynamic(db: Db, user: User, tenantId: number, groups: readonly Ruled[]) {
  const columns = groups.map(({ id, rule }) => {
    const means = matchesRule(rule ?? {}) ?? sql`true`
    return sql`count(*) filter (where ${means})::int as ${sql.identifier(`d${id}`)},
      count(*) filter (where ${means} and online = 1)::int as ${sql.identifier(`o${id}`)}`
  })
  const { rows } = await db.execute<Record<string, number>>(sql`
    select count(*)::int as rows, ${sql.join(columns, sql`, `)}
    from devices where ${and(visibleDevices(user), isAllowedInGroupsOf(tenantId))}`)
  const [row = {}] = rows
  const list = groups.map(({ id }) => ({ id, deviceCount: row[`d${id}`] ?? 0, onlineCount: row[`o${id}`] ?? 0 }))
  return { list, rows: row['rows'] ?? 0 }
}

export async function readGroup({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number) {
  const [found] = await selectGroups(db).where(and(eq(deviceGroups.id, id), buildVisibleGroupsCondition(user)))
  if (!found) throw notFound('设备分组')
  return found
}

export async function getGroup(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const found = await readGroup(ctx, id)
  const { typeIds = [], modelIds = [] } = found.rule ?? {}
  return { ...found, types: await typesOf(ctx.db, typeIds), models: await modelsOf(ctx.db, modelIds) }
}

const typesOf = async (db: Db, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : db
        .select({ id: deviceTypes.id, name: deviceTypes.typeName })
        .from(deviceTypes)
        .where(inArray(deviceTypes.id, [...ids]))
const modelsOf = async (db: Db, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : db
        .select({ id: deviceModels.id, name: deviceModels.modelName })
        .from(deviceModels)
        .where(inArray(deviceModels.id, [...ids]))

/** Returns the group, locked until the transaction ends. Changes of one group run one after another. */
export async function lockGroup({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<Group> {
  const [found] = await db
    .select()
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, id), buildVisibleGroupsCondition(user)))
    .for('update')
  if (!found) throw notFound('设备分组')
  return found
}

/** Publishes the change to open lists of devices and groups. */
export const publishDevicesChanged = (
  { services, db }: Pick<Ctx, 'services' | 'db'>,
  { tenantId }: Pick<Group, 'tenantId'>,
) =>
  services.events.publish(db, 'changed', {
    resource: 'device',
    tenantId: tenantId === PLATFORM_TENANT_ID ? null : tenantId,
  })
