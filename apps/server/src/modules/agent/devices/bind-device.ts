import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { SN_PATTERN } from '@oms/contract/entities/device.ts'
import { and, asc, eq, inArray, or } from 'drizzle-orm'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { assertDeviceQuota } from '#domain/fleet/device-quota.ts'
import { agentCodes, agentDevices } from '#schema/agent/agent-device.ts'
import { devices } from '#schema/device.ts'
import type { Binding } from '#domain/agents/devices/bind-device.ts'
import { addEvents } from '#domain/agents/devices/device-events.ts'
import { buildModelMovedEvent } from '#domain/agents/models/move-to-model.ts'
import { moveToModel } from '#domain/fleet/move-to-model.ts'
import { findModelOfBoard } from '#domain/agents/models/voice-model.ts'

type BindCtx = Pick<Ctx, 'db' | 'user'>
interface Device {
  readonly id: number
  readonly sn: string
}

/**
 * Binds a device to an agent. Uses the tenant's device with this MAC or serial number, or creates a device. Throws when
 * the device is bound already, and when two devices match.
 */
export async function bindDevice(ctx: BindCtx, binding: Binding): Promise<Device> {
  const { db, user } = ctx
  const { agent, mac, alias, board, serial, clientId, version, bootTime } = binding
  const device = (await joinedDevice(ctx, binding)) ?? (await createdDevice(ctx, binding))
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
  if (!bound.rowCount) throw conflict('该设备已绑定智能体，请先解绑', 'mac')
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

/**
 * Locks and returns the device of the tenant with this MAC or serial number. Moves the device to the device model that
 * lists its board.
 */
async function joinedDevice({ db }: BindCtx, { agent, mac, serial, board }: Binding): Promise<Device | undefined> {
  const serials = [mac, serial].filter((sn) => sn !== '')
  const found = await db
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
    .for('update')
  const [device, other] = found
  if (!device) return undefined
  if (other)
    throw conflict(`MAC与序列号符合多台设备：${found.map(({ sn }) => `「${sn}」`).join('、')}，请先核对设备资料`, 'mac')
  if (device.mac === '') await db.update(devices).set({ mac }).where(eq(devices.id, device.id))
  const modelId = await findModelOfBoard(db, board)
  if (modelId !== undefined && (await moveToModel(db, device.id, modelId)))
    await addEvents(db, [buildModelMovedEvent({ mac, tenantId: agent.tenantId, board, modelId })])
  return device
}

async function createdDevice(ctx: BindCtx, binding: Binding): Promise<Device> {
  const { db, user } = ctx
  const { agent, mac, serial, board, alias } = binding
  const sn = SN_PATTERN.test(serial) ? serial : mac
  await assertDeviceQuota(db, agent.tenantId)
  const modelId = (await findModelOfBoard(db, board)) ?? binding.fallbackModelId
  const hands = { createBy: user.uid, updateBy: user.uid }
  const [made] = await db
    .insert(devices)
    .values({ tenantId: agent.tenantId, modelId, sn, mac, devName: alias, attributesWanted: 0, ...hands })
    .onConflictDoNothing()
    .returning({ id: devices.id, sn: devices.sn })
  if (!made) throw conflict(`序列号「${sn}」已被其他设备使用`, 'mac')
  return made
}
