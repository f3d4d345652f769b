import {
  type agentDeviceTools as calls,
  FORBIDDEN_TOOLS,
  type DeviceTool,
} from '@oms/contract/agent/devices/device-tool.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { agentDevices } from '../schema/agent-device.ts'
import {
  type GatewayDevice,
  GatewayRefusal,
  hasGateway,
  callGateway,
  buildGatewayClientIds,
} from '../voice-servers/gateway.ts'
import { visibleBindings } from './device.ts'

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

/** The gateway waits five seconds for the device. */
const TIMEOUT_MS = 10_000
const MAX_PAGES = 10
const MAX_TEXT = 8000
/** Error of the gateway for a client id without connection. */
const NOT_CONNECTED = '设备未连接'

interface Request {
  readonly method: 'tools/list' | 'tools/call'
  readonly params: object
}

/** Sends a JSON-RPC request to a device through the gateway. Returns the result of the device. */
async function request(services: Services, device: GatewayDevice, { method, params }: Request): Promise<unknown> {
  const values = await services.agentParameters.of(device.tenantId)
  const payload = { jsonrpc: '2.0', id: 1, method, params }
  let refusal: unknown
  for (const clientId of buildGatewayClientIds(device)) {
    try {
      const path = `/api/commands/${encodeURIComponent(clientId)}`
      const call = { path, body: { type: 'mcp', payload }, timeoutMs: TIMEOUT_MS }
      const { success, data, error } = await callGateway(services, values, device.tenantId, call)
      if (success === false) throw new GatewayRefusal(typeof error === 'string' ? error : '')
      return resultOf(data)
    } catch (problem) {
      if (!(problem instanceof GatewayRefusal) || problem.message !== NOT_CONNECTED) throw problem
      refusal = problem
    }
  }
  throw refusal
}

/** Returns the result inside a JSON-RPC response. Gateways return the response or the result alone. */
function resultOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const { result, error } = data as { result?: unknown; error?: { message?: unknown } }
  if (error) throw new GatewayRefusal(typeof error.message === 'string' ? error.message.slice(0, 200) : '')
  return result === undefined ? data : result
}

const Property = z.looseObject({
  type: z.enum(['string', 'integer', 'boolean']).catch('string'),
  description: z.string().max(1000).catch(''),
  minimum: z.number().nullable().catch(null).default(null),
  maximum: z.number().nullable().catch(null).default(null),
})
const Tool = z.object({
  name: z.string().min(1).max(100),
  description: z.string().catch(''),
  inputSchema: z
    .object({
      properties: z.record(z.string(), Property).catch({}),
      required: z.array(z.string()).catch([]),
    })
    .catch({ properties: {}, required: [] }),
})
const ToolPage = z.object({ tools: z.array(z.unknown()).catch([]), nextCursor: z.string().catch('').default('') })

const cleaned = (text: string, length: number) =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}--\n]/gv, ' ')
    .trim()
    .slice(0, length)

/** Returns the tools that a device offers, except the forbidden tools. Reads all pages of the list. */
async function listTools(services: Services, device: GatewayDevice): Promise<DeviceTool[]> {
  const tools = new Map<string, DeviceTool>()
  let cursor = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { cursor, withUserTools: true }
    const read = ToolPage.safeParse(await request(services, device, { method: 'tools/list', params }))
    if (!read.success) throw new GatewayRefusal('')
    for (const each of read.data.tools) {
      const tool = toolOf(each)
      if (tool && !FORBIDDEN_TOOLS.has(tool.name)) tools.set(tool.name, tool)
    }
    if (read.data.nextCursor === '' || read.data.nextCursor === cursor) break
    cursor = read.data.nextCursor
  }
  return [...tools.values()]
}

function toolOf(given: unknown): DeviceTool | undefined {
  const { data } = Tool.safeParse(given)
  if (!data) return undefined
  const { properties, required } = data.inputSchema
  const fields = Object.entries(properties).map(([name, { type, description, minimum, maximum }]) => ({
    name,
    type,
    description: cleaned(description, 200),
    required: required.includes(name),
    minimum,
    maximum,
  }))
  return { name: data.name, description: cleaned(data.description, 1000), fields }
}

const Called = z.object({
  content: z.array(z.looseObject({ type: z.string().catch(''), text: z.string().catch('') })).catch([]),
  isError: z.boolean().catch(false),
})

/** Calls a tool of a device. Returns the text of the result; other content is named by its type. */
async function callTool(services: Services, device: GatewayDevice, params: { name: string; arguments: object }) {
  const read = Called.safeParse(await request(services, device, { method: 'tools/call', params }))
  if (!read.success) throw new GatewayRefusal('')
  const parts = read.data.content.map(({ type, text }) => (type === 'text' ? text : `[${type}]`))
  return { isError: read.data.isError, text: cleaned(parts.join('\n'), MAX_TEXT) }
}
