import { createCipheriv, createHash } from 'node:crypto'
import * as z from 'zod'
import type { Config } from '#core/config/config.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError, sendOutbound } from '#core/outbound/outbound.ts'
import { callSocket } from '#core/outbound/socket-call.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { isFeaturePermitted } from '../parameter-values.ts'

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

const KEY_SIZES = new Set([16, 24, 32])
const LONGEST_KEY = 32

/**
 * Returns the token of an agent at the MCP end point service: the agent's id, encrypted with the service's key. The
 * service prescribes AES-ECB with PKCS7 padding, and keys of another length padded with zeros or cut to 32 bytes.
 */
export function createMcpToken(key: string, agentId: string): string {
  const given = Buffer.from(key)
  const padded = KEY_SIZES.has(given.length)
    ? given
    : Buffer.concat([given, Buffer.alloc(LONGEST_KEY)]).subarray(0, LONGEST_KEY)
  const cipher = createCipheriv(`aes-${padded.length * 8}-ecb`, padded, null)
  const plain = JSON.stringify({ agentId: createHash('md5').update(agentId).digest('hex') })
  return Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]).toString('base64')
}

/**
 * Returns a WebSocket address of an agent at the MCP access point: `call` is the address at which a voice server
 * reaches the tools, `mcp` the address at which a tool provider attaches them. `endpoint` is the value of
 * `server.mcp_endpoint`. Returns undefined when the address in `endpoint` has no key.
 */
export function buildMcpAddress(endpoint: string, side: 'call' | 'mcp', agentId: number): string | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  const key = url.searchParams.get('key')
  if (!key) return undefined
  const scheme = url.protocol === 'https:' ? 'wss' : 'ws'
  const prefix = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  return `${scheme}://${url.host}${prefix}/${side}/?token=${encodeURIComponent(createMcpToken(key, String(agentId)))}`
}

const LIMITS = { connectMs: 3000, firstByteMs: 3000, idleMs: 3000, totalMs: 5000, maxBytes: 100_000 }

/**
 * Calls the health address of an MCP end point server. Returns the problem in Chinese, or undefined when the response
 * contains `success`. Only the platform may name a private address.
 */
export async function findMcpEndpointProblem(
  config: Pick<Config, 'outboundPrivate'>,
  tenantId: number,
  url: string,
): Promise<string | undefined> {
  const policy = selectAddressPolicy(config, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  try {
    const { status, body } = await sendOutbound({ url, policy, limits: LIMITS })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    const isHealthy = status === 200 && Buffer.concat(chunks).toString('utf8').includes('success')
    return isHealthy ? undefined : `MCP 接入点没有返回 success（状态 ${status}），请检查地址和 key`
  } catch (error) {
    if (error instanceof OutboundError) return `MCP 接入点无法连接：${error.message}`
    throw error
  }
}
