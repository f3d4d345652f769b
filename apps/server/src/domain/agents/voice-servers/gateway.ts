import { createHash } from 'node:crypto'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { ParameterValues } from '../parameters/parameters.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LIMITS = { connectMs: 3000, firstByteMs: 5000, totalMs: 5000, maxBytes: 64 * 1024 }
/** Offsets in days for which a token is tried, because the clock of the gateway may show another day. */
const DAYS = [0, -1, 1]

/** Returns the token for management calls of the gateway on the day of `ms`. */
const tokenOf = (key: string, ms: number) =>
  createHash('sha256')
    .update(`${new Date(ms).toISOString().slice(0, 10)}${key}`)
    .digest('hex')

/** True when the parameters name a gateway with its key. */
export const hasGateway = (params: ParameterValues) =>
  params.text('server.mqtt_manager_api') !== '' && params.text('server.mqtt_signature_key') !== ''

/**
 * Sends one management call to the MQTT gateway of a tenant and returns the JSON response. Throws when the call fails.
 */
export async function callGateway(
  { config, agentParameters }: Pick<Services, 'config' | 'agentParameters'>,
  params: ParameterValues,
  tenantId: number,
  { path, body }: { readonly path: string; readonly body: object },
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
      limits: LIMITS,
    })
    const chunks: Buffer[] = []
    for await (const chunk of response.body) chunks.push(chunk)
    if (response.status === 401) continue
    if (response.status !== 200) throw new Error(`gateway answered ${response.status}`)
    return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
  }
  throw new Error('gateway refused the key')
}
