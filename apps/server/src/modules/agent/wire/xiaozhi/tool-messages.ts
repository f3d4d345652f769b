import type { AgentTool } from '@oms/contract/agent/agents/agent-input.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { MAX_REMINDER, MAX_REMINDER_DAYS } from '@oms/contract/agent/history/reminder.ts'
import { PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import * as z from 'zod'
import { OutboundError } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { resolveAgentOfDevice } from '../../agents/device-agent.ts'
import type { EnabledAgentDevice } from '../../devices/bound-devices.ts'
import { isFeatureEnabled } from '../../parameter-values.ts'
import { callAttachedTool, listAttachedTools, MCP_PROTOCOL } from '../../voice-servers/mcp.ts'
import { callTool } from './tool-calls.ts'
import type { ToolGrant } from './tool-endpoint.ts'

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

/** Description of a tool, as a language model reads it. */
interface ToolDescription {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

const NO_INPUT = { type: 'object', properties: {}, required: [] }

/** Tools by their name in the contract. Names are Latin, because language models accept no other names of functions. */
const TOOL_DESCRIPTIONS: Readonly<Record<AgentTool, ToolDescription>> = {
  repair: {
    name: 'open_repair_ticket',
    description: '为当前设备报修。用户说设备有故障、要求维修或售后时调用；先问清故障现象。返回工单编号。',
    inputSchema: {
      type: 'object',
      properties: {
        problem: { type: 'string', description: '故障现象，用用户的原话，2 到 500 个字' },
        type: { type: 'string', enum: Object.values(PROBLEM_TYPE), description: '问题类型，不确定时不填' },
        contact: { type: 'string', description: '用户愿意留下的联系方式，没有则不填' },
      },
      required: ['problem'],
    },
  },
  warranty: {
    name: 'query_warranty',
    description: '查询当前设备的型号和保修期。用户询问保修、是否过保时调用。',
    inputSchema: NO_INPUT,
  },
  firmware: {
    name: 'query_firmware',
    description: '查询当前设备的固件版本和升级情况。用户询问版本、能否升级、升级是否成功时调用。',
    inputSchema: NO_INPUT,
  },
  reminder: {
    name: 'set_reminder',
    description:
      '为当前设备记下一个提醒。用户要求在某个时间提醒他做某事时调用。设备不会在那个时间自己出声：到时间后，用户下次和设备对话时才会先告诉他，必须把这一点告诉用户。需要准时响铃的闹钟不适用。',
    inputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string', description: `提醒的内容，用用户的原话，不超过 ${MAX_REMINDER} 个字` },
        time: {
          type: 'string',
          description: `提醒的时间，格式 yyyy-MM-dd HH:mm，用户当地时间，${MAX_REMINDER_DAYS} 天以内`,
        },
        minutes: { type: 'integer', description: '用户说“过多久”时，从现在起的分钟数；填了它就不填 time' },
      },
      required: ['content'],
    },
  },
}

/** Returns the tool with this name, if the agent has chosen the tool. */
const findChosenTool = (chosen: readonly string[], name: unknown): AgentTool | undefined =>
  (Object.keys(TOOL_DESCRIPTIONS) as AgentTool[]).find(
    (tool) => chosen.includes(tool) && TOOL_DESCRIPTIONS[tool].name === name,
  )
