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
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceGroupMembers, deviceGroups, devices, type GroupRule } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { resolveOwningTenant } from '#core/tenancy/receiving-tenant.ts'
import { matchesRule, visibleDevices } from '../fleet/device-filter.ts'
import { isAllowedInGroupsOf } from '../fleet/group-members.ts'
import { assertGroupInScope } from '../fleet/group-scope.ts'
import { listChanges } from '#core/audit/mask.ts'
import { withReferencedNames } from '#core/audit/referenced-names.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import { describeReferences } from '#core/database/references.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { toUniqueViolation } from '#core/database/unique-violation.ts'
import { publishDevicesChanged, type Group, lockGroup, resolveGroupTenant } from './group-rows.ts'

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
