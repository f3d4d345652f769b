import type { agentDeviceTools as calls } from '@oms/contract/agent/devices/device-tool.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import type { GatewayDevice } from './client-ids.ts'
import { visibleBindings } from './device-state.ts'
import { callTool, listTools } from './device-tools.ts'
import { GatewayRefusal, hasGateway } from '../voice-servers/gateway.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'

const KIND = 'agentDevice'
const UNREACHABLE = '网关没有响应，请检查参数 server.mqtt_manager_api 和签名密钥'

async function deviceOf({ db, user }: Ctx, id: number): Promise<GatewayDevice> {
  const [found] = await db
    .select({ tenantId: agentDevices.tenantId, mac: agentDevices.mac, board: agentDevices.board })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(eq(agentDevices.deviceId, id), visibleBindings(user), notDeleted(devices)))
  if (!found) throw notFound('语音设备')
  return found
}

const gatewayIsSet = async ({ services }: Ctx, { tenantId }: GatewayDevice) =>
  hasGateway(await services.agentParameters.of(tenantId))

export async function getToolFeature(ctx: Ctx, { deviceId }: ParsedOf<typeof calls.feature>) {
  return { isEnabled: await gatewayIsSet(ctx, await deviceOf(ctx, deviceId)) }
}

/**
 * Sends a request to the device. Converts failures of the gateway and of the device into API errors with a Chinese
 * reason.
 */
async function reach<Result>(ctx: Ctx, id: number, ask: (device: GatewayDevice) => Promise<Result>): Promise<Result> {
  // The call has no transaction of its own; row-level security applies in one.
  const device = await transact(ctx, (db) => deviceOf({ ...ctx, db }, id))
  if (!(await gatewayIsSet(ctx, device)))
    throw refused('还没有设置 MQTT 网关，请先设置参数 server.mqtt_manager_api 和 server.mqtt_signature_key')
  try {
    return await ask(device)
  } catch (problem) {
    if (problem instanceof GatewayRefusal) throw refused(`设备没有执行：${problem.message || '没有说明原因'}`)
    ctx.services.log.warn({ err: problem, deviceId: id }, 'the MQTT gateway did not take a command')
    throw refused(UNREACHABLE)
  }
}

export async function listDeviceTools(ctx: Ctx, { id }: ParsedOf<typeof calls.list>) {
  return { list: await reach(ctx, id, (device) => listTools(ctx.services, device)) }
}

export async function callDeviceTool(ctx: Ctx, { id, name, arguments: given }: ParsedOf<typeof calls.call>) {
  return reach(ctx, id, (device) => {
    ctx.audit({ bizType: KIND, bizId: id, action: `调用固件工具「${name}」` })
    return callTool(ctx.services, device, { name, arguments: given })
  })
}
