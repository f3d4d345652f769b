import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { AgentDeviceInput, type agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatMac, SN_PATTERN } from '@oms/contract/device/device-fields.ts'
import { and, eq, gt, inArray, asc, or } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { assertDeviceQuota } from '#modules/device/device-quota.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import { devices } from '#modules/device/schema.ts'
import { moveToModel } from '#modules/upgrade/index.ts'
import { visibleAgents } from '../agents/agent.ts'
import { eraseRemindersOfDevices } from '../history/reminder.ts'
import { agentCodes, agentDevices } from '../schema/agent-device.ts'
import { agents } from '../schema/agent.ts'
import { addEvents } from './device-events.ts'
import { visibleBindings } from './device.ts'
import { ensureVoiceModel, buildModelMovedEvent, findModelOfBoard } from './voice-model.ts'

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

/** Maximum number of wrong codes of one account per minute. Codes have six digits, so guesses must be limited. */
const PER_MINUTE = 10
const PER_DAY = 100
const TOO_MANY = '验证码输入错误次数过多，请稍后再试'

type Caller = Pick<Ctx, 'user' | 'services'>
const keyOf = ({ user }: Caller) => `bind:${user.uid}`

/** Throws when the account entered too many wrong codes. */
async function assertMayTryCode(caller: Caller) {
  const { rate, database } = caller.services
  const key = keyOf(caller)
  if (!rate.tryTake(key, PER_MINUTE)) throw invalid(TOO_MANY, 'code')
  const { rows } = await database.pool.query<{ count: number }>(
    'select count from login_failures where key = $1 and lock_until > now()',
    [key],
  )
  if ((rows[0]?.count ?? 0) >= PER_DAY) throw invalid(TOO_MANY, 'code')
}

/** Removes the attempt with a correct code from the count. */
const uncountCode = (caller: Caller) => caller.services.rate.giveBack(keyOf(caller), PER_MINUTE)

/** Counts a wrong code for a day, outside the transaction of the refused call. */
const countWrongCode = (caller: Caller) =>
  caller.services.database.pool.query(
    `insert into login_failures as f (key, count, last_time, lock_until) values ($1, 1, now(), now() + interval '1 day')
     on conflict (key) do update set last_time = now(),
       count = case when f.lock_until > now() then f.count + 1 else 1 end,
       lock_until = case when f.lock_until > now() then f.lock_until else excluded.lock_until end`,
    [keyOf(caller)],
  )

type BindCtx = Pick<Ctx, 'db' | 'user'>
interface Device {
  readonly id: number
  readonly sn: string
}

export const BOUND_MESSAGE = '该设备已绑定智能体，请先解绑'

/**
 * Binds a device to an agent. Uses the tenant's device with this MAC or serial number, or creates a device. Throws when
 * the device is bound already, and when two devices match.
 */
async function bindDevice(ctx: BindCtx, binding: Binding): Promise<Device> {
  const { db, user } = ctx
  const { agent, mac, alias, board, serial, clientId, version, bootTime } = binding
  // The second search finds a device that a concurrent call has created meanwhile.
  const stored = await joinedDevice(ctx, binding)
  const device = stored ?? (await createdDevice(ctx, binding)) ?? (await joinedDevice(ctx, binding))
  if (!device) throw createSerialTakenError(binding)
  const bound = await db
    .insert(agentDevices)
    .values({
      deviceId: device.id,
      tenantId: agent.tenantId,
      agentId: agent.id,
      mac,
      alias,
      board,
      serial,
      clientId,
      appVersion: version,
      bootTime,
      createBy: user.uid,
      updateBy: user.uid,
    })
    .onConflictDoNothing()
  if (!bound.rowCount) throw conflict(BOUND_MESSAGE, 'mac')
  await db.delete(agentCodes).where(eq(agentCodes.mac, mac))
  await addEvents(db, [
    {
      mac,
      tenantId: agent.tenantId,
      kind: AGENT_EVENT_KIND.bound,
      detail: { agentId: agent.id, account: user.account },
    },
  ])
  return device
}

/** Selects up to three devices of the tenant with this MAC or serial number. */
function selectMatchingDevices(db: Db, { agent, mac, serial }: Binding) {
  const serials = [mac, serial].filter((sn) => sn !== '')
  return db
    .select({ id: devices.id, sn: devices.sn, mac: devices.mac })
    .from(devices)
    .where(
      and(
        notDeleted(devices),
        eq(devices.tenantId, agent.tenantId),
        or(eq(devices.mac, mac), inArray(devices.sn, serials)),
      ),
    )
    .orderBy(asc(devices.id))
    .limit(3)
    .$dynamic()
}

/** Returns the error when a MAC and a serial number match several devices. */
export const createSeveralMatchesError = (found: readonly { readonly sn: string }[]) =>
  conflict(`MAC与序列号符合多台设备：${found.map(({ sn }) => `「${sn}」`).join('、')}，请先核对设备资料`, 'mac')

/**
 * Returns the error when another device has the serial number of a new device. Names the MAC when the serial number was
 * derived from the MAC.
 */
export function createSerialTakenError(binding: Binding) {
  const sn = chooseSerial(binding)
  const taken = sn === binding.serial ? `序列号「${sn}」` : `MAC「${formatMac(binding.mac)}」`
  return conflict(`${taken}已被其他设备使用`, 'mac')
}

/**
 * Locks and returns the device of the tenant with this MAC or serial number. Moves the device to the device model that
 * lists its board.
 */
async function joinedDevice({ db }: BindCtx, binding: Binding): Promise<Device | undefined> {
  const { agent, mac, board } = binding
  const found = await selectMatchingDevices(db, binding).for('update')
  const [device, other] = found
  if (!device) return undefined
  if (other) throw createSeveralMatchesError(found)
  if (device.mac === '') await db.update(devices).set({ mac }).where(eq(devices.id, device.id))
  const modelId = await findModelOfBoard(db, board)
  if (modelId !== undefined && (await moveToModel(db, device.id, modelId)))
    await addEvents(db, [buildModelMovedEvent({ mac, tenantId: agent.tenantId, board, modelId })])
  return device
}

/** Returns the serial number of a new device. */
export const chooseSerial = ({ serial, mac }: Binding) => (SN_PATTERN.test(serial) ? serial : mac)

/** Creates and returns the device. Returns undefined when another device has its serial number or MAC. */
async function createdDevice(ctx: BindCtx, binding: Binding): Promise<Device | undefined> {
  const { db, user } = ctx
  const { agent, mac, board, alias } = binding
  await assertDeviceQuota(db, agent.tenantId)
  const modelId = (await findModelOfBoard(db, board)) ?? binding.fallbackModelId
  const hands = { createBy: user.uid, updateBy: user.uid }
  const [made] = await db
    .insert(devices)
    .values({
      tenantId: agent.tenantId,
      modelId,
      sn: chooseSerial(binding),
      mac,
      devName: alias,
      attributesWanted: 0,
      ...hands,
    })
    .onConflictDoNothing()
    .returning({ id: devices.id, sn: devices.sn })
  return made
}

/** A device to bind. Unknown values are empty texts. */
export interface Binding {
  readonly agent: { readonly id: number; readonly tenantId: number }
  /** Twelve hex digits. */
  readonly mac: string
  readonly alias: string
  readonly board: string
  readonly serial: string
  readonly clientId: string
  readonly version: string
  /** Time of the boot that received the code; null for a device that has not booted yet. */
  readonly bootTime: string | null
  /** Model of a new device whose board has no model. */
  readonly fallbackModelId: number
}
