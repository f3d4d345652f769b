import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type deviceGroups as calls, MAX_GROUPS_OF_DEVICE } from '@oms/contract/device/device-group.ts'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { buildDeviceFilter, isInAnyGroup, isInGroup, visibleDevices } from './device-filter.ts'
import { addGroupMembers, isAllowedInGroupsOf } from './group-members.ts'
import { publishDevicesChanged, type Group, lockGroup, readGroup } from './group.ts'
import { deviceModels, devices, deviceTypes } from './schema.ts'

const selectGroupDevices = (db: Db) =>
  db
    .select({
      id: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`.as('type_name'),
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      verCode: devices.verCode,
      region: devices.region,
      tags: devices.tags,
      online: devices.online,
      activateTime: devices.activateTime,
      status: devices.status,
      lastOnlineTime: devices.lastOnlineTime,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))

/** Returns the condition for visible devices that the group's tenant may add to a group. */
const buildAllowedDevicesCondition = (user: User, { tenantId }: Pick<Group, 'tenantId'>) =>
  and(visibleDevices(user), isAllowedInGroupsOf(tenantId))

export async function listGroupDevices(ctx: Ctx, { id, outside, ...input }: ParsedOf<typeof calls.devices>) {
  const { db, user } = ctx
  const group = await readGroup(ctx, id)
  if (outside === '1') assertStatic(group)
  const side = outside === '1' ? sql`not ${isInGroup(id)}` : isInAnyGroup(group)
  const rows = selectGroupDevices(db)
    .where(and(buildAllowedDevicesCondition(user, group), buildDeviceFilter(input), side))
    .$dynamic()
  const order = buildSort(input, { sn: devices.sn, createTime: devices.createTime }, devices.id, [desc(devices.id)])
  return paginate(db, rows, input, order)
}

function assertStatic({ kind, groupName }: Pick<Group, 'kind' | 'groupName'>) {
  if (kind !== 1) throw refused(`动态分组「${groupName}」的设备由规则决定，不能手动添加或移除`)
}

async function lockStatic(ctx: Ctx, id: number) {
  const group = await lockGroup(ctx, id)
  assertStatic(group)
  return group
}

export async function addDevicesToGroup(ctx: Ctx, { id, deviceIds }: ParsedOf<typeof calls.addDevices>) {
  const group = await lockStatic(ctx, id)
  return join(ctx, group, among(devices.id, deviceIds), `分组「${group.groupName}」添加`)
}

export async function addSerialsToGroup(ctx: Ctx, { id, sns }: ParsedOf<typeof calls.addSns>) {
  const { db, user } = ctx
  const group = await lockStatic(ctx, id)
  const wanted = [...new Set(sns)]
  const found = await db
    .select({ id: devices.id, sn: devices.sn })
    .from(devices)
    .where(and(buildAllowedDevicesCondition(user, group), sql`${devices.sn} = any(${sql.param(wanted)}::text[])`))
  const known = new Set(found.map(({ sn }) => sn))
  const ids = found.map((device) => device.id)
  const added = await join(ctx, group, among(devices.id, ids), `分组「${group.groupName}」按序列号添加`)
  return { ...added, unknown: wanted.filter((sn) => !known.has(sn)) }
}

export async function addAllToGroup(ctx: Ctx, { id, ...filter }: ParsedOf<typeof calls.addAll>) {
  const group = await lockStatic(ctx, id)
  const means = buildDeviceFilter(filter) ?? sql`true`
  return join(ctx, group, means, `分组「${group.groupName}」按条件添加`)
}

async function join(ctx: Ctx, group: Group, meant: SQL, action: string) {
  const {
    added,
    already,
    fullCount: full,
  } = await addGroupMembers(ctx.db, group, and(buildAllowedDevicesCondition(ctx.user, group), meant))
  if (added > 0) await publishDevicesChanged(ctx, group)
  ctx.audit({ bizType: 'deviceGroup', bizId: group.id, action: `${action}${added}台设备` })
  const told = { added, already, full }
  ctx.say(wordsOf(told))
  return told
}

function wordsOf({ added, already, full }: { added: number; already: number; full: number }) {
  const rest = [
    already > 0 && `${already}台已在分组中`,
    full > 0 && `${full}台已加入${MAX_GROUPS_OF_DEVICE}个分组，未添加`,
  ].filter(Boolean)
  return [`已添加${added}台设备`, ...rest].join('，')
}

export async function removeDevicesFromGroup(ctx: Ctx, { id, deviceIds }: ParsedOf<typeof calls.removeDevices>) {
  const group = await lockStatic(ctx, id)
  return leave(ctx, group, among(devices.id, deviceIds))
}

export async function removeAllFromGroup(ctx: Ctx, { id, ...filter }: ParsedOf<typeof calls.removeAll>) {
  const group = await lockStatic(ctx, id)
  return leave(ctx, group, buildDeviceFilter(filter) ?? sql`true`)
}

async function leave(ctx: Ctx, group: Group, meant: SQL) {
  const { db, user } = ctx
  const { rowCount } = await db.execute(sql`
    delete from device_group_members m using devices
    where m.group_id = ${group.id} and devices.id = m.device_id and ${and(buildAllowedDevicesCondition(user, group), meant)}`)
  const removed = rowCount ?? 0
  if (removed > 0) await publishDevicesChanged(ctx, group)
  ctx.audit({
    bizType: 'deviceGroup',
    bizId: group.id,
    action: `分组「${group.groupName}」移除${removed}台设备`,
  })
  ctx.say(`已移除${removed}台设备`)
  return { removed }
}
