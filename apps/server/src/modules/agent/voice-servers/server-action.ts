import { randomUUID } from 'node:crypto'
import type { VoiceServerAction } from '@oms/contract/agent/parameters/params.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { callSocket } from '#core/outbound/socket-call.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { createAccessToken } from './access-token.ts'
import { SERVER_SECRET_CODE } from '../parameters/parameters.ts'

const LIMITS = { connectMs: 3000, responseMs: 120_000 }
/** Stores a temporary id. The voice server requests its configuration with this id while the action runs. */
const INSERT = `insert into challenges (id, kind, answer_hash, expire_time) values ($1, 'voice-action', ''::bytea, now() + interval '5 minutes')`

interface Target {
  readonly tenantId: number
  readonly address: string
}

async function socketOf(services: Services, { tenantId, address }: Target) {
  const secret = (await services.agentParameters.of(tenantId)).text(SERVER_SECRET_CODE)
  const ids = { deviceId: randomUUID(), clientId: randomUUID() }
  const headers = {
    'device-id': ids.deviceId,
    'client-id': ids.clientId,
    authorization: `Bearer ${createAccessToken(secret, ids, Date.now())}`,
  }
  const policy = selectAddressPolicy(services.config, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  return { secret, ids, call: { url: address, headers, policy, ...LIMITS } }
}

/**
 * Sends an action to a voice server: read the configuration again, or restart. Holds no transaction, because the server
 * calls OMS before it confirms. Throws `OutboundError` when the server does not confirm.
 */
export async function sendServerAction(
  services: Services,
  target: Target,
  action: VoiceServerAction,
  limits: Partial<typeof LIMITS> = {},
): Promise<string> {
  const { secret, ids, call } = await socketOf(services, target)
  await services.database.pool.query(INSERT, [ids.deviceId])
  const answer = await callSocket({
    ...call,
    ...limits,
    messages: [JSON.stringify({ type: 'server', action, content: { secret } })],
    parseResponse: (message) => confirmation(message, action),
  })
  if (!answer?.isGood) throw new OutboundError('connection', answer?.words || '语音服务没有执行')
  return answer.words
}

/** Parses the confirmation of the server. Returns undefined for frames of the voice protocol. */
function confirmation(text: string, action: VoiceServerAction) {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return undefined
  }
  const { type, status, message, content } = (frame ?? {}) as Record<string, unknown>
  if (type !== 'server') return undefined
  const acted = (content as Record<string, unknown> | undefined)?.['action']
  if (status === 'success' && acted !== action) return undefined
  return { isGood: status === 'success', words: String(message ?? '').slice(0, 200) }
}

/** Opens and closes a connection to a voice server. Throws `OutboundError` when the server cannot be reached. */
export async function checkServerConnection(services: Services, target: Target): Promise<void> {
  const { call } = await socketOf(services, target)
  await callSocket(call)
}
