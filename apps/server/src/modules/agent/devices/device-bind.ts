import { AgentDeviceInput, type agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gt, inArray } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import { visibleAgents } from '../agents/visible-agents.ts'
import type { Binding } from './disabled-agent.ts'
import { addEvents } from './device-events.ts'
import { visibleBindings } from './device-state.ts'
import { eraseRemindersOfDevices } from '../history/reminders.ts'
import { ensureVoiceModel } from '../models/voice-model.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { agents } from '../schema/agent.ts'
import { agentCodes, agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import { bindDevice } from './bind-device.ts'
import { assertMayTryCode, countWrongCode, uncountCode } from './wrong-codes.ts'

const KIND = 'agentDevice'
const TITLES = readFieldTitles(AgentDeviceInput.shape)

function publish(ctx: Ctx, tenantId: number | null) {
  // Binding may create a device, which the fleet index must contain.
  syncFleetAfterCommit(ctx)
  return ctx.services.events.publish(ctx.db, 'changed', { resource: 'agent', tenantId })
}

/**
 * Returns an agent to which the account may bind devices. Locks the row, so that the agent is not deleted before the
 * transaction ends.
 */
async function agentOf({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number) {
  const [found] = await db
    .select({ id: agents.id, tenantId: agents.tenantId, agentName: agents.agentName })
    .from(agents)
    .where(and(eq(agents.id, id), visibleAgents(user)))
    .for('share')
  if (!found) throw invalid('智能体不存在或已被删除', 'agentId')
  return found
}

/** Returns an agent whose tenant may receive devices. Refuses a disabled or expired tenant. */
async function receivingAgentOf(ctx: Pick<Ctx, 'db' | 'user'>, id: number) {
  const agent = await agentOf(ctx, id)
  await requireReceivingTenant(ctx, agent.tenantId, 'agentId')
  return agent
}

/** Binds the device with this activation code. The code is then invalid. */
export async function bindByCode(ctx: Ctx, input: ParsedOf<typeof calls.bind>) {
  await assertMayTryCode(ctx)
  const fallbackModelId = await ensureVoiceModel(ctx.services)
  const device = await transact(ctx, (db) => bindWithCode({ ...ctx, db }, input, fallbackModelId)).catch(
    (error: unknown) => {
      uncountCode(ctx)
      throw error
    },
  )
  if (!device) {
    await countWrongCode(ctx)
    throw invalid('验证码不正确或已过期', 'code')
  }
  uncountCode(ctx)
  return device
}

/** Binds the device of an activation code and returns the binding. Returns undefined for a wrong code. */
async function bindWithCode(ctx: Ctx, { agentId, code, alias }: ParsedOf<typeof calls.bind>, fallbackModelId: number) {
  const { db, now } = ctx
  const agent = await receivingAgentOf(ctx, agentId)
  const [found] = await db
    .select()
    .from(agentCodes)
    .where(and(eq(agentCodes.code, code), gt(agentCodes.expireTime, now.toISOString())))
    .for('update')
  if (!found) return undefined
  const { mac, board, version, clientId, serial, createTime: bootTime } = found
  const told = { mac, board, version, clientId, serial, bootTime }
  return bindTo(ctx, agent, { ...told, alias, fallbackModelId }, '按验证码绑定')
}

/** Binds a device before its first boot. */
export async function bindByMac(ctx: Ctx, { agentId, mac, alias }: ParsedOf<typeof calls.bindMac>) {
  const fallbackModelId = await ensureVoiceModel(ctx.services)
  return transact(ctx, async (db) => {
    const agent = await receivingAgentOf({ ...ctx, db }, agentId)
    return bindTo({ ...ctx, db }, agent, { ...UNKNOWN, mac, alias, fallbackModelId }, '按MAC绑定')
  })
}

const UNKNOWN = { board: '', version: '', clientId: '', serial: '', bootTime: null }

async function bindTo(
  ctx: Ctx,
  agent: Awaited<ReturnType<typeof agentOf>>,
  binding: Omit<Binding, 'agent'>,
  how: string,
) {
  const { id, sn } = await bindDevice(ctx, { ...binding, agent })
  ctx.audit({ bizType: KIND, bizId: id, action: `${how}设备「${sn}」到智能体「${agent.agentName}」` })
  await ctx.recordIn(ctx.db)
  await publish(ctx, agent.tenantId)
  return { id, sn }
}

/** Returns visible bindings, locked in the order of their ids, and the ids without a visible binding. */
async function lockBindings({ db, user }: Ctx, ids: readonly number[]) {
  const found = await db
    .select({ binding: agentDevices, sn: devices.sn })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(inArray(agentDevices.deviceId, [...ids]), visibleBindings(user), notDeleted(devices)))
    .orderBy(agentDevices.deviceId)
    .for('update', { of: agentDevices })
  const known = new Set(found.map(({ binding }) => binding.deviceId))
  const failed = [...new Set(ids)]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: String(id), msg: '设备未绑定智能体' }))
  return { found, failed }
}

type Locked = Awaited<ReturnType<typeof lockBindings>>
const auditBindings = (ctx: Ctx, found: Locked['found'], action: string, wordsOf: (sn: string) => string) =>
  ctx.audit({
    bizType: KIND,
    action,
    records: found.map(({ binding, sn }) => ({ id: binding.deviceId, action: wordsOf(sn) })),
  })

/** Unbinds devices and erases their reminders. The rows of the devices stay. */
export async function unbindDevices(ctx: Ctx, { ids }: ParsedOf<typeof calls.unbind>) {
  const { db } = ctx
  const { found, failed } = await lockBindings(ctx, ids)
  if (ids.length === 1 && failed[0]) throw refused(failed[0].msg)
  const done = found.map(({ binding }) => binding.deviceId)
  if (done.length > 0) {
    await db.delete(agentDevices).where(inArray(agentDevices.deviceId, done))
    await eraseRemindersOfDevices(db, done)
  }
  await addEvents(
    db,
    found.map(({ binding: { mac, tenantId, agentId } }) => ({
      mac,
      tenantId,
      kind: AGENT_EVENT_KIND.unbound,
      detail: { agentId },
    })),
  )
  auditBindings(ctx, found, '解绑设备', (sn) => `解绑设备「${sn}」`)
  await publish(ctx, null)
  return { done: done.length, failed }
}

/** Moves devices to another agent of the same tenant. */
export async function moveDevices(ctx: Ctx, { ids, agentId }: ParsedOf<typeof calls.move>) {
  const { db, user, now } = ctx
  const agent = await agentOf(ctx, agentId)
  const { found, failed } = await lockBindings(ctx, ids)
  const good = found.filter(({ binding }) => binding.tenantId === agent.tenantId)
  for (const { binding, sn } of found)
    if (binding.tenantId !== agent.tenantId) failed.push({ id: binding.deviceId, name: sn, msg: '智能体属于其他客户' })
  if (ids.length === 1 && failed[0]) throw refused(failed[0].msg)
  const changed = good.filter(({ binding }) => binding.agentId !== agentId)
  const done = changed.map(({ binding }) => binding.deviceId)
  if (done.length > 0)
    await db
      .update(agentDevices)
      .set({ agentId, updateBy: user.uid, updateTime: now.toISOString() })
      .where(inArray(agentDevices.deviceId, done))
  await addEvents(
    db,
    changed.map(({ binding: { mac, tenantId } }) => ({
      mac,
      tenantId,
      kind: AGENT_EVENT_KIND.moved,
      detail: { agentId },
    })),
  )
  const words = `的智能体为「${agent.agentName}」`
  auditBindings(ctx, good, `更换设备${words}`, (sn) => `更换设备「${sn}」${words}`)
  await publish(ctx, agent.tenantId)
  return { done: good.length, failed }
}

async function lockOne(ctx: Ctx, id: number) {
  const { found } = await lockBindings(ctx, [id])
  if (!found[0]) throw notFound('语音设备')
  return found[0]
}

export async function updateBinding(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const { binding, sn } = await lockOne(ctx, id)
  await checkRevision(db, binding, rev)
  const diff = listChanges(binding, input, TITLES)
  if (diff.length === 0) return { rev: binding.rev }
  const next = updateColumns(binding, user.uid, now)
  await db
    .update(agentDevices)
    .set({ ...input, ...next })
    .where(eq(agentDevices.deviceId, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `修改语音设备「${sn}」`, diff })
  await publish(ctx, binding.tenantId)
  return { rev: next.rev }
}

/**
 * Accepts the recorded Client-Id. Without a recorded Client-Id, accepts the Client-Id of the next boot. Refuses when
 * the recorded Client-Id differs from the Client-Id that the caller saw.
 */
export async function resetIdentity(ctx: Ctx, { id, otherClientId: shown }: ParsedOf<typeof calls.reset>) {
  const { db } = ctx
  const { binding, sn } = await lockOne(ctx, id)
  const { mac, tenantId, otherClientId } = binding
  if (shown !== undefined && shown !== otherClientId)
    throw conflict(`设备又以另一个身份 ${otherClientId} 启动，请刷新后重新确认`)
  await db
    .update(agentDevices)
    .set({ clientId: otherClientId, otherClientId: '', otherClientTime: null, identityNote: '' })
    .where(eq(agentDevices.deviceId, id))
  await addEvents(db, [{ mac, tenantId, kind: AGENT_EVENT_KIND.identityReset, detail: { clientId: otherClientId } }])
  ctx.audit({ bizType: KIND, bizId: id, action: `重置设备「${sn}」的身份` })
  await publish(ctx, tenantId)
  return null
}
