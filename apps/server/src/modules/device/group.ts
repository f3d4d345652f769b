import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type deviceGroups as calls,
  GROUP_KIND,
  GROUP_STATUS,
  GroupInput,
  GroupRuleInput,
  MAX_DYNAMIC_GROUPS,
  MAX_GROUP_DEPTH,
  MAX_GROUPS,
} from '@oms/contract/device/device-group.ts'
import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { withReferencedNames } from '#core/audit/referenced-names.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { describeReferences } from '#core/database/record.ts'
import { forbidden, notFound, conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { selectGroupTenants } from '#core/schema/target-tenants.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, isTenantInScope, scoped, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { matchesRule, visibleDevices } from './device-filter.ts'
import { readCachedDeviceStatistic, formatScopeKey } from './fleet/fleet-counts.ts'
import { isAllowedInGroupsOf } from './group-members.ts'
import { deviceGroups, deviceModels, deviceTypes, type GroupRule, deviceGroupMembers, devices } from './schema.ts'

export type Group = typeof deviceGroups.$inferSelect

const buildVisibleGroupsCondition = (user: User) =>
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

const TITLES = readFieldTitles(GroupInput.shape)
const RULE_TITLES = readFieldTitles(GroupRuleInput.shape)
const CLASHES = { device_groups_name: ['分组名称已存在', 'groupName'] } as const

export async function previewRule({ db, user }: Ctx, { tenantId: asked, rule }: ParsedOf<typeof calls.preview>) {
  const tenantId = resolveGroupTenant(user, asked)
  const means = and(visibleDevices(user), isAllowedInGroupsOf(tenantId), matchesRule(omitUndefined(rule)))
  return { count: await db.$count(devices, means) }
}

const listNamedChanges = (db: Db, before: object, after: object) =>
  withReferencedNames(
    db,
    listChanges(before, after, TITLES),
    { before, after },
    { parentId: { id: deviceGroups.id, name: deviceGroups.groupName } },
  )

export async function createGroup(ctx: Ctx, { tenantId: asked, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx, asked, 'tenantId')
  await lockTenant(db, tenantId)
  await assertRoom(db, tenantId, input.kind)
  if (input.parentId !== 0) await assertBelow(db, tenantId, input.parentId, 1)
  const rule = input.kind === 2 ? omitUndefined(input.rule ?? {}) : null
  const [made] = await db
    .insert(deviceGroups)
    .values({ ...input, rule, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: deviceGroups.id })
    .catch(rethrowClash)
  ctx.audit({
    bizType: 'deviceGroup',
    bizId: made!.id,
    action: `新增${GROUP_KIND[input.kind]}分组「${input.groupName}」`,
    diff: await listNamedChanges(db, {}, auditFields({ ...input, rule })),
  })
  await publishDevicesChanged(ctx, { tenantId })
  return made!
}

export async function updateGroup(ctx: Ctx, { id, rev, kind, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const before = await lockGroup(ctx, id)
  await assertGroupInScope(db, user, before)
  await checkRevision(db, before, rev)
  if (kind !== before.kind) throw invalid('分组类型不能修改，请新增分组', 'kind')
  if (input.parentId !== before.parentId) await moveBelow(db, before, input.parentId)
  const rule = kind === 2 ? omitUndefined(input.rule ?? {}) : null
  const next = { ...input, rule }
  const diff = await listNamedChanges(db, auditFields(before), auditFields({ ...next, kind }))
  if (diff.length === 0) return { rev: before.rev }
  const [saved] = await db
    .update(deviceGroups)
    .set({ ...next, ...updateColumns(before, user.uid, now) })
    .where(eq(deviceGroups.id, id))
    .returning({ rev: deviceGroups.rev })
    .catch(rethrowClash)
  ctx.audit({ bizType: 'deviceGroup', bizId: id, action: `修改分组「${before.groupName}」`, diff })
  await publishDevicesChanged(ctx, before)
  return saved!
}

export async function removeGroup(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const before = await lockGroup(ctx, id)
  await assertGroupInScope(db, user, before)
  const children = await describeReferences(db, deviceGroups, id)
  if (children) throw conflict(`该分组下还有${children}，请先删除下级分组`)
  const releases = await releasesOf(ctx, id)
  if (releases > 0) throw conflict(`还有${releases}个升级发布指定了该分组，不能删除`)
  // A trigger copies the members for the statistics of ads, so the group is marked as deleted before its members are
  // removed.
  await db
    .update(deviceGroups)
    .set({ deletedAt: now.toISOString(), ...updateColumns(before, user.uid, now) })
    .where(eq(deviceGroups.id, id))
  const { rowCount } = await db.delete(deviceGroupMembers).where(eq(deviceGroupMembers.groupId, id))
  const held = rowCount ? `，移出${rowCount}台设备` : ''
  ctx.audit({ bizType: 'deviceGroup', bizId: id, action: `删除分组「${before.groupName}」${held}` })
  await publishDevicesChanged(ctx, before)
  return null
}

const STOPPED = 4

/**
 * Returns releases that name the group, except stopped releases. Includes releases of the vendor, which a tenant's
 * account cannot see.
 */
async function releasesOf(ctx: Ctx, id: number) {
  const { rows } = await withoutRowSecurity(ctx, (db) =>
    db.execute<{ n: number }>(sql`
    select count(*)::int as n from ota_policies p join ota_versions v on v.ota_id = p.ota_id and v.deleted_at is null
    where ${id} = any(p.group_ids) and p.state <> ${STOPPED}`),
  )
  return rows[0]?.n ?? 0
}

/** Locks the tenant, so that the limit on groups also holds for simultaneous creations. */
async function lockTenant(db: Db, tenantId: number) {
  const [tenant] = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))
    .for('update')
  if (!tenant) throw notFound('客户')
}

async function assertRoom(db: Db, tenantId: number, kind: number) {
  const own = and(notDeleted(deviceGroups), eq(deviceGroups.tenantId, tenantId))
  if ((await db.$count(deviceGroups, own)) >= MAX_GROUPS) throw conflict(`最多${MAX_GROUPS}个分组`)
  if (kind === 2 && (await db.$count(deviceGroups, and(own, eq(deviceGroups.kind, 2)))) >= MAX_DYNAMIC_GROUPS)
    throw conflict(`最多${MAX_DYNAMIC_GROUPS}个动态分组`, 'kind')
}

/** Throws when the parent belongs to another tenant or `height` levels do not fit. */
async function assertBelow(db: Db, tenantId: number, parentId: number, height: number) {
  const { rows } = await db.execute<{ id: number }>(sql`
    with recursive above as (
      select id, parent_id, 1 as depth from device_groups
      where id = ${parentId} and tenant_id = ${tenantId} and deleted_at is null
      union all
      select g.id, g.parent_id, a.depth + 1 from device_groups g join above a on g.id = a.parent_id
      where a.depth <= ${MAX_GROUP_DEPTH})
    select id from above`)
  if (rows.length === 0) throw invalid('上级分组不存在或已被删除', 'parentId')
  if (rows.length + height > MAX_GROUP_DEPTH) throw invalid(`分组最多${MAX_GROUP_DEPTH}级`, 'parentId')
  return rows.map(({ id }) => id)
}

/** Moves a group with its descendants. Locks the groups against a simultaneous move that would create a cycle. */
async function moveBelow(db: Db, group: Group, parentId: number) {
  await lockTenant(db, group.tenantId)
  if (parentId === 0) return
  const { rows } = await db.execute<{ height: number }>(sql`
    with recursive below as (
      select id, 1 as depth from device_groups where id = ${group.id}
      union all
      select g.id, b.depth + 1 from device_groups g join below b on g.parent_id = b.id
      where g.deleted_at is null and b.depth <= ${MAX_GROUP_DEPTH})
    select max(depth)::int as height from below`)
  if (parentId === group.id) throw invalid('上级分组不能是自己', 'parentId')
  const above = await assertBelow(db, group.tenantId, parentId, rows[0]?.height ?? 1)
  if (above.includes(group.id)) throw invalid('上级分组不能是自己的下级', 'parentId')
}

/** Removes empty conditions from a rule before storing. */
const omitUndefined = (rule: object): GroupRule =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined))

function auditFields(fields: { kind: number; status: number; rule?: GroupRule | null }) {
  const rule = Object.entries(fields.rule ?? {}).map(
    ([key, value]) => `${RULE_TITLES[key] ?? key}：${Array.isArray(value) ? value.join('、') : String(value)}`,
  )
  return {
    ...fields,
    kind: GROUP_KIND[fields.kind as 1 | 2],
    status: GROUP_STATUS[fields.status as 0 | 1],
    rule: rule.length > 0 ? rule.join('；') : null,
  }
}

function rethrowClash(error: unknown): never {
  throw toUniqueViolation(error, CLASHES) ?? error
}

/**
 * Throws when an account limited to its own records changes or deletes a group of another account. Also throws when
 * limited staff changes or deletes a platform group with devices outside its data scope. Such a change would affect the
 * releases and programs of these devices. A dynamic group may contain devices of any tenant.
 */
async function assertGroupInScope(
  db: Db,
  { scope, isPlatform, uid }: Pick<User, 'scope' | 'isPlatform' | 'uid'>,
  group: { readonly id: number; readonly tenantId: number; readonly createBy: number | null },
): Promise<void> {
  if (scope.ownOnly && group.createBy !== uid) throw refused('该分组由其他账号创建，您的数据范围是仅本人，只能查看')
  if (!isPlatform || scope.tenants === 'all' || group.tenantId !== PLATFORM_TENANT_ID) return
  const tenants = selectGroupTenants(sql`array[${group.id}::int]`)
  const { rows } = await db.execute<{ found: boolean }>(sql`select exists (select from (${tenants}) t
    where t.id <> all(${sql.param([...scope.tenants])}::int[])) as found`)
  if (rows[0]?.found) throw refused('该分组包含您数据范围之外的设备，您只能查看')
}
