import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { devices as calls } from '@oms/contract/device/device-info.ts'
import { MAX_TAGS } from '@oms/contract/device/device-row.ts'
import { and, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { listDevicesBoundToAgents } from '#modules/agent/devices/device.ts'
import { listDevicesKeepingGrants, transferGrants } from '#modules/agent/orders/grant.ts'
import { listConcurrentlyBoundDevices, lockCertificatesOfDevices } from '#modules/license/activate.ts'
import { otaVersions, otaWhites } from '#modules/upgrade/schema.ts'
import { listDevicesInUpgrade } from '#modules/upgrade/task.ts'
import { assertDeviceQuota } from './device-quota.ts'
import { saveCloudStatesOfDevices } from './device-save.ts'
import {
  auditDevices,
  lockDevices,
  publishDevicesChanged,
  buildBatchReport,
  type StoredDevice,
  splitDevicesByProblem,
} from './device.ts'
import { DEVICE_IS_FULL, addGroupMembers, isGroupAllowed } from './group-members.ts'
import { deviceGroupMembers, deviceGroups, devices } from './schema.ts'

const idsOf = (list: readonly StoredDevice[]) => list.map(({ id }) => id)
const tenantsOf = (list: readonly StoredDevice[]) => list.map(({ tenantId }) => tenantId)
const revised = ({ user, now }: Ctx) => ({
  rev: sql`${devices.rev} + 1`,
  updateBy: user.uid,
  updateTime: now.toISOString(),
})

/** Writes a history entry for each device and publishes the change to open lists. */
async function recordAndPublish(ctx: Ctx, good: readonly StoredDevice[], action: string) {
  auditDevices(ctx, good, action)
  await publishDevicesChanged(ctx, tenantsOf(good))
}

export async function setDeviceStatus(ctx: Ctx, { ids, status }: ParsedOf<typeof calls.setStatus>) {
  const { db, user } = ctx
  const { good, failed } = splitDevicesByProblem(ids, await lockDevices(db, user, ids))
  const turned = good.filter((device) => device.status !== status)
  if (turned.length > 0)
    await db
      .update(devices)
      .set({ status, ...(status === 0 && { online: 0 }), ...revised(ctx) })
      .where(among(devices.id, idsOf(turned)))
  await recordAndPublish(ctx, good, status === 1 ? '启用设备' : '停用设备')
  return buildBatchReport(ids, good.length, failed)
}

export async function changeTags(ctx: Ctx, { ids, add, remove }: ParsedOf<typeof calls.tag>) {
  const { db, user } = ctx
  const next = ({ tags }: StoredDevice) => [...new Set([...tags.filter((each) => !remove.includes(each)), ...add])]
  const { good, failed } = splitDevicesByProblem(ids, await lockDevices(db, user, ids), (device) =>
    next(device).length > MAX_TAGS ? `标签不能超过${MAX_TAGS}个` : undefined,
  )
  if (good.length > 0)
    await db.execute(sql`update devices d set tags = array(select jsonb_array_elements_text(x.tags)),
        rev = d.rev + 1, update_by = ${user.uid}, update_time = ${ctx.now.toISOString()}
      from jsonb_to_recordset(${JSON.stringify(good.map((device) => ({ id: device.id, tags: next(device) })))}::jsonb)
        as x(id int, tags jsonb) where d.id = x.id`)
  const parts = [add.length > 0 && `添加标签${add.join('、')}`, remove.length > 0 && `移除标签${remove.join('、')}`]
  await recordAndPublish(ctx, good, parts.filter(Boolean).join('，'))
  return buildBatchReport(ids, good.length, failed)
}

export async function changeGroups(ctx: Ctx, { ids, join, leave }: ParsedOf<typeof calls.move>) {
  const { db, user } = ctx
  const into = join === undefined ? undefined : await staticGroup(ctx, join, 'join')
  const from = leave === undefined ? undefined : await staticGroup(ctx, leave, 'leave')
  const { good, failed } = splitDevicesByProblem(ids, await lockDevices(db, user, ids), (device) =>
    into && !isGroupAllowed(into, device) ? '设备与分组不属于同一客户' : undefined,
  )
  const full = await exchangeGroups(db, { found: idsOf(good), into, from })
  const moved = good.filter(({ id }) => !full.has(id))
  for (const { id, sn } of good) if (full.has(id)) failed.push({ id, name: sn, msg: DEVICE_IS_FULL })
  // A device of another tenant is no member of the group that it leaves, and its row must not name that group.
  const wordsOf = (device: StoredDevice) =>
    [
      into && `移入分组「${into.groupName}」`,
      from && isGroupAllowed(from, device) && `移出分组「${from.groupName}」`,
    ].filter(Boolean)
  auditDevices(ctx, moved, '调整分组', (device) => wordsOf(device).join('，') || '分组没有变化')
  await publishDevicesChanged(ctx, tenantsOf(moved))
  return buildBatchReport(ids, moved.length, failed)
}

type Group = typeof deviceGroups.$inferSelect
interface Exchange {
  readonly found: readonly number[]
  readonly into: Group | undefined
  readonly from: Group | undefined
}

/**
 * Changes the groups of devices. Returns the devices that already have the maximum number of groups; these stay
 * unchanged.
 */
async function exchangeGroups(db: Db, { found, into, from }: Exchange): Promise<ReadonlySet<number>> {
  if (found.length === 0) return new Set()
  // Removes before adding, so that a device in ten groups can exchange one group.
  const left = from
    ? await db
        .delete(deviceGroupMembers)
        .where(and(eq(deviceGroupMembers.groupId, from.id), among(deviceGroupMembers.deviceId, found)))
        .returning({ id: deviceGroupMembers.deviceId })
    : []
  const { full } = into ? await addGroupMembers(db, into, among(devices.id, found)) : { full: [] }
  const stay = new Set(full)
  const back = left.filter(({ id }) => stay.has(id))
  if (from && back.length > 0)
    await db.insert(deviceGroupMembers).values(back.map(({ id }) => ({ groupId: from.id, deviceId: id })))
  return stay
}

async function staticGroup({ db, user }: Ctx, id: number, field: string) {
  const [group] = await db
    .select()
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, id), notDeleted(deviceGroups), scoped(user, { tenant: deviceGroups.tenantId })))
    .for('update')
  if (!group) throw invalid('分组不存在或已被删除', field)
  if (group.kind !== 1) throw invalid('动态分组由规则决定成员，不能手动移入移出', field)
  return group
}

/** Removes devices from the groups and allowlists of tenants other than the platform and their new tenant. */
async function leaveFormerTenant(db: Db, moved: readonly number[], tenantId: number) {
  const theirs = db
    .select({ id: deviceGroups.id })
    .from(deviceGroups)
    .where(ne(deviceGroups.tenantId, PLATFORM_TENANT_ID))
  await db
    .delete(deviceGroupMembers)
    .where(and(among(deviceGroupMembers.deviceId, moved), inArray(deviceGroupMembers.groupId, theirs)))
  const foreign = db
    .select({ id: otaVersions.otaId })
    .from(otaVersions)
    .where(notInArray(otaVersions.tenantId, [PLATFORM_TENANT_ID, tenantId]))
  await db.delete(otaWhites).where(and(among(otaWhites.deviceId, moved), inArray(otaWhites.otaId, foreign)))
}

/** Transfers devices to another tenant. Removes them from the groups and allowlists of the former tenant. */
export async function transferDevices(ctx: Ctx, { ids, tenantId }: ParsedOf<typeof calls.transfer>) {
  const { db, user, now } = ctx
  if (!user.isPlatform) throw forbidden()
  const target = await requireReceivingTenant(ctx, tenantId, 'tenantId')
  // Locks certificates before their devices, in the same order as binding and activation. The certificates are
  // transferred too.
  await lockCertificatesOfDevices(db, ids)
  const found = await lockDevices(db, user, ids)
  const busy = await listDevicesInUpgrade(db, idsOf(found))
  const changing = await listConcurrentlyBoundDevices(db, idsOf(found))
  const talking = await listDevicesBoundToAgents(db, idsOf(found))
  const keeping = await listDevicesKeepingGrants(ctx, idsOf(found))
  const { good, failed } = splitDevicesByProblem(ids, found, (device) => {
    if (device.tenantId === tenantId) return '设备已属于该客户'
    if (changing.has(device.id)) return '设备的证书正在变更，请稍后重试'
    if (talking.has(device.id)) return '设备已绑定智能体，解绑后才能转移'
    if (keeping.has(device.id)) return '设备有未用完的智能体套餐或待确认的订单，不能转移'
    return busy.has(device.id) ? '设备正在升级，完成后才能转移' : undefined
  })
  const moved = idsOf(good)
  if (moved.length > 0) {
    await assertDeviceQuota(db, tenantId, moved.length)
    await db
      .update(devices)
      .set({ tenantId, ...revised(ctx) })
      .where(among(devices.id, moved))
    await transferGrants(db, moved, tenantId)
    await leaveFormerTenant(db, moved, tenantId)
    await saveCloudStatesOfDevices(db, moved, now.getTime() / 1000)
  }
  auditDevices(ctx, good, `转移设备给客户「${target.name}」`)
  await publishDevicesChanged(ctx, [...tenantsOf(good), ...(moved.length > 0 ? [tenantId] : [])])
  return buildBatchReport(ids, good.length, failed)
}

export async function sendCommand(ctx: Ctx, { ids }: ParsedOf<typeof calls.command>) {
  const { db, user } = ctx
  const { good, failed } = splitDevicesByProblem(ids, await lockDevices(db, user, ids), ({ status }) =>
    status === 1 ? undefined : '设备已停用，不能下发指令',
  )
  const waiting = good.filter(({ attributesWanted }) => attributesWanted !== 1)
  if (waiting.length > 0)
    await db
      .update(devices)
      .set({ attributesWanted: 1 })
      .where(among(devices.id, idsOf(waiting)))
  await recordAndPublish(ctx, good, '要求重新上报属性')
  return buildBatchReport(ids, good.length, failed)
}
