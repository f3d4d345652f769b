import type { ContextFact } from '@oms/contract/agent/agents/agent-input.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { readContextToken, createContextToken } from './context-token.ts'
import { buildDeviceContext } from '../../devices/device-context.ts'
import { parseMacDigits } from '../../devices/mac.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { notFound } from '#modules/device/wire/response.ts'
import type { XiaozhiCall } from './call.ts'
import { CallRefusedError, RESPONSE_CODE, sendData, sendRefusal } from './envelope.ts'

/** True for the context source, given the parts of the path below `/xiaozhi/`. */
export const isContextPath = (path: readonly string[]) => path.length === 1 && path[0] === 'context'

/**
 * Handles `GET /xiaozhi/context`: returns facts of the device in `device-id`, for the prompt of its agent. Voice
 * servers send the headers of `buildContextProviders`. Checks the token before any other part of the request.
 */
export async function handleContextRequest(call: XiaozhiCall) {
  const { request, response, side, now } = call
  const { config, database, voiceServers } = side.services
  const agentId = readContextToken(config.secretKey, readBearerToken(request), now)
  if (agentId === undefined)
    return sendRefusal(response, new CallRefusedError(RESPONSE_CODE.unauthorized, '令牌不正确或已过期'))
  if (request.method !== 'GET') throw notFound('call')
  const mac = parseMacDigits(String(request.headers['device-id'] ?? ''))
  const { device } = mac === undefined ? {} : await voiceServers.reads.devices.of(mac)
  const isOwn = device?.isOpen === true && device.agent?.id === agentId && device.agent.tenantId === device.tenantId
  if (!isOwn) return sendData(response, {})
  const facts = await buildDeviceContext(database.pool, device, factsOf(device.agent))
  const detail = { facts: Object.keys(facts).join('、') }
  voiceServers.events.add({ mac: mac!, tenantId: device.tenantId, kind: AGENT_EVENT_KIND.context, detail }, now)
  return sendData(response, facts)
}

const factsOf = ({ contextFacts }: { readonly contextFacts: readonly string[] }) => contextFacts as ContextFact[]

interface Asker {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/**
 * Returns the entry of `context_providers` with which a voice server reads the chosen facts. Empty when no fact is
 * chosen.
 */
export function buildContextProviders(
  { secretKey, origin, now }: Asker,
  { id, contextFacts }: { readonly id: number; readonly contextFacts: readonly string[] },
) {
  if (contextFacts.length === 0) return []
  const headers = { Authorization: `Bearer ${createContextToken(secretKey, id, now)}` }
  return [{ url: `${origin}/xiaozhi/context`, headers }]
}
