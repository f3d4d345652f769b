import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { formatMac, SN_PATTERN } from '@oms/contract/device/device-fields.ts'
import { and, asc, eq, inArray, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import type { Binding } from './disabled-agent.ts'
import { addEvents } from './device-events.ts'
import { buildModelMovedEvent } from '../models/move-to-model.ts'
import { findModelOfBoard } from '../models/voice-model.ts'
import { assertDeviceQuota } from '#modules/device/device-quota.ts'
import { moveToModel } from '#modules/upgrade/release.ts'
import { agentCodes, agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'

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
export async function bindDevice(ctx: BindCtx, binding: Binding): Promise<Device> {
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
export function selectMatchingDevices(db: Db, { agent, mac, serial }: Binding) {
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
