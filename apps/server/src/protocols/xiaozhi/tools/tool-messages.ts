import * as z from 'zod'
import type { Services } from '#core/services.ts'
import { resolveAgentOfDevice } from '#domain/agents/agents/agent-of-device.ts'
import { isFeatureEnabled } from '#domain/agents/parameters/features.ts'
import type { AgentTool } from '@oms/contract/agent/agents/agent-input.ts'
import { callTool } from './tool-calls.ts'
import { findChosenTool, TOOL_DESCRIPTIONS } from './tool-list.ts'
import type { ToolGrant } from './tool-token.ts'

const PROTOCOL = '2024-11-05'
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
    return { protocolVersion: PROTOCOL, capabilities: { tools: {} }, serverInfo: { name: 'OMS', version: '1' } }
  if (method === 'ping') return {}
  if (method === 'tools/list')
    return { tools: (await usableTools(services, grant)).tools.map((tool) => TOOL_DESCRIPTIONS[tool]) }
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

/** Calls a tool that the agent of the device has chosen. */
async function call(services: Services, grant: ToolGrant, given: unknown) {
  const params = CallParams.safeParse(given).data
  if (!params) throw new RpcError(CODE.params, 'name and arguments are needed')
  const { device, tools } = await usableTools(services, grant)
  const tool = findChosenTool(tools, params.name)
  if (!device || !tool) throw new RpcError(CODE.params, 'unknown tool')
  const text = await callTool(services, device, tool, params.arguments)
  return { content: [{ type: 'text', text }], isError: false }
}
