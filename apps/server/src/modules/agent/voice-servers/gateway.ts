import { createHash } from 'node:crypto'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { ParameterValues } from '../parameters/parameters.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LIMITS = { connectMs: 3000, firstByteMs: 5000, totalMs: 5000, maxBytes: 64 * 1024 }
const MAX_REASON = 200
/** Offsets in days for which a token is tried, because the date of the gateway's clock may differ. */
const DAYS = [0, -1, 1]

/** Returns the token for management calls of the gateway on the day of `ms`. */
const tokenOf = (key: string, ms: number) =>
  createHash('sha256')
    .update(`${new Date(ms).toISOString().slice(0, 10)}${key}`)
    .digest('hex')

/** True when the parameters name a gateway with its key. */
export const hasGateway = (params: ParameterValues) =>
  params.text('server.mqtt_manager_api') !== '' && params.text('server.mqtt_signature_key') !== ''

/** Refusal of a management call by the gateway. The message is the reason of the gateway, empty without a reason. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal'
}

interface ManagementCall {
  readonly path: string
  readonly body: object
  /** Milliseconds until the complete response; defaults to five seconds. */
  readonly timeoutMs?: number
}

/**
 * Sends one management call to the MQTT gateway of a tenant and returns the JSON response. Throws a `GatewayRefusal`
 * when the gateway refuses the call, and another error when the gateway does not respond.
 */
export async function callGateway(
  { config, agentParameters }: Pick<Services, 'config' | 'agentParameters'>,
  params: ParameterValues,
  tenantId: number,
  { path, body, timeoutMs = LIMITS.totalMs }: ManagementCall,
): Promise<Record<string, unknown>> {
  const address = params.text('server.mqtt_manager_api')
  // A tenant that uses the gateway of the platform may call its private address.
  const platform = await agentParameters.of(PLATFORM_TENANT_ID)
  const isShared = address === platform.text('server.mqtt_manager_api')
  const owner = tenantId === PLATFORM_TENANT_ID || isShared ? 'platform' : 'tenant'
  const key = params.text('server.mqtt_signature_key')
  if (owner === 'tenant' && key === platform.text('server.mqtt_signature_key'))
    throw new Error('the key of the platform is not sent to the gateway of a tenant')
  for (const days of DAYS) {
    const response = await sendOutbound({
      url: `http://${address}${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${tokenOf(key, Date.now() + days * DAY_MS)}`,
      },
      body: JSON.stringify(body),
      policy: selectAddressPolicy(config, owner),
      limits: { ...LIMITS, firstByteMs: timeoutMs, totalMs: timeoutMs },
    })
    const chunks: Buffer[] = []
    for await (const chunk of response.body) chunks.push(chunk)
    if (response.status === 401) continue
    const text = Buffer.concat(chunks).toString()
    if (response.status !== 200) throw new GatewayRefusal(reasonOf(text))
    return JSON.parse(text) as Record<string, unknown>
  }
  throw new Error('gateway refused the key')
}

/** Returns the `error` of a refusal without control characters. Bodies without an error give an empty text. */
function reasonOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string'
      ? error
          .toWellFormed()
          .replaceAll(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, MAX_REASON)
      : ''
  } catch {
    return ''
  }
}
