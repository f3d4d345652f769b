import * as z from 'zod'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { callSocket } from '#core/outbound/socket-call.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { isFeaturePermitted } from '../parameters/features.ts'
import { buildMcpAddress } from './mcp-address.ts'

export const MCP_PROTOCOL = '2024-11-05'
const ENDPOINT = 'server.mcp_endpoint'
const CONNECT_MS = 3000
const LIST_MS = 5000
const MAX_TOOLS = 100
/** Ids of the two requests of a connection. */
const [HELLO, REQUEST] = [1, 2]

interface AgentRef {
  readonly agentId: number
  readonly tenantId: number
}

/** Returns the value of the parameter `server.mcp_endpoint` for the tenant; empty while the feature is switched off. */
async function endpointOf({ agentParameters }: Services, tenantId: number) {
  const params = await agentParameters.of(tenantId)
  return isFeaturePermitted(params, 'mcp') ? params.text(ENDPOINT) : ''
}

/** Returns the address at which a tool provider attaches tools to the agent; undefined without an access point. */
export const readMcpProviderAddress = async (services: Services, { agentId, tenantId }: AgentRef) =>
  buildMcpAddress(await endpointOf(services, tenantId), 'mcp', agentId)

const Reply = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string().catch('') }).optional(),
})

/** Returns the response to the request. Returns the error that the access point sends when no tools are attached. */
function parseReply(text: string) {
  try {
    const { data } = Reply.safeParse(JSON.parse(text))
    return data && (data.id === REQUEST || (data.id === HELLO && data.error)) ? data : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends a request of the Model Context Protocol to the tools that are attached to the agent. Returns undefined without
 * an access point. Throws `OutboundError`, also for an error of the tools.
 */
async function request(services: Services, agent: AgentRef, method: string, params: object, responseMs: number) {
  const endpoint = await endpointOf(services, agent.tenantId)
  const url = buildMcpAddress(endpoint, 'call', agent.agentId)
  if (url === undefined) return undefined
  const shared = await endpointOf(services, PLATFORM_TENANT_ID)
  const clientInfo = { name: 'OMS', version: '1' }
  const reply = await callSocket({
    url,
    headers: {},
    policy: selectAddressPolicy(services.config, endpoint === shared ? 'platform' : 'tenant'),
    messages: [
      { id: HELLO, method: 'initialize', params: { protocolVersion: MCP_PROTOCOL, capabilities: {}, clientInfo } },
      { method: 'notifications/initialized' },
      { id: REQUEST, method, params },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })),
    parseResponse: parseReply,
    connectMs: CONNECT_MS,
    responseMs,
  })
  if (!reply?.result)
    throw new OutboundError('connection', reply?.error?.message.slice(0, 200) || 'MCP 接入点返回的内容有误')
  return reply.result
}

const Tools = z.object({
  tools: z.array(z.looseObject({ name: z.string().min(1), description: z.string().catch('') })),
})

/** Returns the tools that are attached to the agent now; none without an access point. Throws `OutboundError`. */
export async function listAttachedTools(services: Services, agent: AgentRef) {
  const { data } = Tools.safeParse(await request(services, agent, 'tools/list', {}, LIST_MS))
  return (data?.tools ?? []).slice(0, MAX_TOOLS)
}

/** Calls an attached tool and returns its result; undefined without an access point. Throws `OutboundError`. */
export async function callAttachedTool(
  services: Services,
  agent: AgentRef,
  call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
) {
  const seconds = (await services.agentParameters.of(agent.tenantId)).number('tool_call_timeout')
  return request(services, agent, 'tools/call', call, seconds * 1000)
}
