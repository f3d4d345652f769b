import * as z from 'zod'
import type { Services } from '#core/services.ts'
import { resolveAgentOfDevice } from '../../../agents/agent-of-device.ts'
import { isFeatureEnabled } from '../../../parameters/features.ts'
import type { EnabledAgentDevice } from '../../../devices/enabled-agent-devices.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { callAttachedTool, listAttachedTools, MCP_PROTOCOL } from '../../../voice-servers/mcp-client.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import type { AgentTool } from '@oms/contract/agent/agents/agent-input.ts'
import { callTool } from './tool-calls.ts'
import { findChosenTool, TOOL_DESCRIPTIONS } from './tool-list.ts'
import type { ToolGrant } from './tool-token.ts'

/** Error codes of JSON-RPC 2.0. */
const CODE = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 } as const

const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string().max(64)]).optional(),
  method: z.string().max(64).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
})
const CallParams = z.object({
  name: z.string().max(64),
  arguments: z.record(z.string(), z.unknown()).default({}),
})

/** Thrown to respond to a message with this JSON-RPC error code. */
class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

function parsedMessage(text: string): z.output<typeof Message> | RpcError {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return new RpcError(CODE.parse, 'the message is not JSON')
  }
  return Message.safeParse(json).data ?? new RpcError(CODE.request, 'the message is no request of JSON-RPC 2.0')
}

/** Returns the response to a message of the Model Context Protocol; undefined for notifications and responses. */
export async function handleMessage(services: Services, grant: ToolGrant, text: string): Promise<string | undefined> {
  const message = parsedMessage(text)
  if (message instanceof RpcError) return errorOf(null, message)
  const { id, method, params = {} } = message
  if (id === undefined || method === undefined) return undefined
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, result: await resultOf(services, grant, method, params) })
  } catch (error) {
    if (error instanceof RpcError) return errorOf(id, error)
    services.log.error({ err: error, method }, 'tool of a voice device failed')
    return errorOf(id, new RpcError(CODE.internal, 'internal error'))
  }
}

const errorOf = (id: number | string | null, { code, message }: RpcError) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

async function resultOf(
  services: Services,
  grant: ToolGrant,
  method: string,
  params: Readonly<Record<string, unknown>>,
) {
  if (method === 'initialize')
    return { protocolVersion: MCP_PROTOCOL, capabilities: { tools: {} }, serverInfo: { name: 'OMS', version: '1' } }
  if (method === 'ping') return {}
  if (method === 'tools/list') {
    const { device, tools } = await usableTools(services, grant)
    const own = tools.map((tool) => TOOL_DESCRIPTIONS[tool])
    return { tools: [...own, ...(device ? await externalTools(services, device) : [])] }
  }
  if (method === 'tools/call') return call(services, grant, params)
  throw new RpcError(CODE.method, 'unknown method')
}

/** Returns the tools of the agent version that the device has now. */
async function chosenTools({ database, config }: Services, { deviceId, agentId }: ToolGrant): Promise<AgentTool[]> {
  const agent = await resolveAgentOfDevice(database.db, config.secretKey, deviceId)
  return agent?.id === agentId
    ? (Object.keys(TOOL_DESCRIPTIONS) as AgentTool[]).filter((tool) => agent.tools.includes(tool))
    : []
}

/**
 * Returns the device of the token and its tools. Returns no tools when the device is unbound, moved or disabled, or
 * when the parameter `features` of its tenant turns tools off. Reads the device and its agent for each message, so that
 * these changes apply immediately.
 */
async function usableTools(services: Services, grant: ToolGrant) {
  const [device, chosen] = await Promise.all([
    services.voiceServers.reads.enabledDevices.ofKey(grant),
    chosenTools(services, grant),
  ])
  const isOn = device !== undefined && (await isFeatureEnabled(services, device.tenantId, 'mcp'))
  return { device, tools: isOn ? chosen : [] }
}

/** Returns the tools that are attached to the agent at the external access point; none while it cannot be reached. */
async function externalTools(services: Services, device: EnabledAgentDevice) {
  const own = new Set(Object.values(TOOL_DESCRIPTIONS).map(({ name }) => name))
  try {
    return (await listAttachedTools(services, device)).filter(({ name }) => !own.has(name))
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    services.log.info({ err: error, agentId: device.agentId }, 'the external tools of an agent cannot be listed')
    return []
  }
}

/** Calls a tool at the external access point, and adds the call to the timeline of the device. */
async function callExternal(services: Services, device: EnabledAgentDevice, params: z.output<typeof CallParams>) {
  try {
    const result = await callAttachedTool(services, device, params)
    if (!result) throw new RpcError(CODE.params, 'unknown tool')
    const { mac, tenantId } = device
    services.voiceServers.events.add(
      { mac, tenantId, kind: AGENT_EVENT_KIND.tool, detail: { tool: params.name } },
      Date.now(),
    )
    return result
  } catch (error) {
    throw error instanceof OutboundError ? new RpcError(CODE.internal, error.message) : error
  }
}

/** Calls a tool that the agent of the device has chosen, or a tool that is attached to the agent. */
async function call(services: Services, grant: ToolGrant, given: unknown) {
  const params = CallParams.safeParse(given).data
  if (!params) throw new RpcError(CODE.params, 'name and arguments are needed')
  const { device, tools } = await usableTools(services, grant)
  const tool = findChosenTool(tools, params.name)
  if (!device) throw new RpcError(CODE.params, 'unknown tool')
  if (!tool) return callExternal(services, device, params)
  const text = await callTool(services, device, tool, params.arguments)
  return { content: [{ type: 'text', text }], isError: false }
}
