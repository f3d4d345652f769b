import { createHash } from 'node:crypto'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import type { Logger } from 'pino'
import * as z from 'zod'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { ParameterValues } from '../parameter-values.ts'

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

/** Time for which a state is used again. */
const FRESH_MS = 15_000
/** Time for which a gateway that did not respond is not called. */
const AWAY_MS = 30_000
/** Longest wait of a reader. A slower response serves the next readers. */
const WAIT_MS = 1500
const BATCH = 100
const MAX_KNOWN = 50_000

const Statuses = z.record(
  z.string(),
  z.object({ isAlive: z.boolean().nullish().catch(null), exists: z.boolean().catch(false) }),
)
type Parts = Pick<Services, 'config' | 'agentParameters'> & { readonly log: Pick<Logger, 'warn'> }
interface Known {
  readonly isOnline: boolean
  readonly until: number
}
/** Devices of one gateway. All of them have the same address and key. */
interface Group {
  readonly gateway: string
  readonly params: ParameterValues
  readonly devices: readonly GatewayDevice[]
}

const keyOf = ({ tenantId, mac, board }: GatewayDevice) => `${tenantId} ${mac} ${board}`

/** Connections of devices as the MQTT gateways report them, cached in this process for some seconds. */
export class GatewayStatus {
  readonly #parts: Parts
  readonly #now: () => number
  readonly #known = new Map<string, Known>()
  readonly #away = new Map<string, number>()
  readonly #running = new Map<string, Promise<void>>()

  constructor(parts: Parts, now = () => performance.now()) {
    this.#parts = parts
    this.#now = now
  }

  /**
   * Returns whether each device is connected. Devices without a gateway are absent, and devices whose gateway has not
   * responded within the wait.
   */
  async read<D extends GatewayDevice>(devices: readonly D[], waitMs = WAIT_MS): Promise<ReadonlyMap<D, boolean>> {
    const wanted = devices.filter((device) => this.#fresh(device) === undefined)
    const calls = (await this.#groups(wanted)).map((group) => this.#ask(group))
    if (calls.length > 0) await Promise.race([Promise.all(calls), delayed(waitMs)])
    const found = devices.map((device) => [device, this.#fresh(device)?.isOnline] as const)
    return new Map(found.filter((entry): entry is readonly [D, boolean] => entry[1] !== undefined))
  }

  #fresh(device: GatewayDevice): Known | undefined {
    const known = this.#known.get(keyOf(device))
    return known && known.until > this.#now() ? known : undefined
  }

  /** Groups devices by gateway, without gateways that did not respond a short time ago. */
  async #groups(devices: readonly GatewayDevice[]): Promise<readonly Group[]> {
    const groups = new Map<string, { params: ParameterValues; devices: GatewayDevice[] }>()
    for (const [tenantId, own] of Map.groupBy(devices, (device) => device.tenantId)) {
      const params = await this.#parts.agentParameters.of(tenantId)
      if (!hasGateway(params)) continue
      const gateway = `${params.text('server.mqtt_manager_api')} ${params.text('server.mqtt_signature_key')}`
      if ((this.#away.get(gateway) ?? 0) > this.#now()) continue
      const group = groups.get(gateway) ?? { params, devices: [] }
      group.devices.push(...own)
      groups.set(gateway, group)
    }
    return [...groups].map(([gateway, group]) => ({ gateway, ...group }))
  }

  /** Asks a gateway for devices. Simultaneous readers of a device share one call. Never rejects. */
  async #ask({ gateway, params, devices }: Group): Promise<void> {
    const shared = devices.flatMap((device) => this.#running.get(keyOf(device)) ?? [])
    const rest = devices.filter((device) => !this.#running.has(keyOf(device)))
    const batches = Array.from({ length: Math.ceil(rest.length / BATCH) }, (_, at) =>
      rest.slice(at * BATCH, (at + 1) * BATCH),
    )
    const own = batches.map((batch) => {
      const call = this.#askBatch({ gateway, params, devices: batch }).finally(() => {
        for (const device of batch) this.#running.delete(keyOf(device))
      })
      for (const device of batch) this.#running.set(keyOf(device), call)
      return call
    })
    await Promise.all([...shared, ...own])
  }

  async #askBatch({ gateway, params, devices }: Group) {
    const { tenantId } = devices[0]!
    const body = { clientIds: devices.flatMap(buildGatewayClientIds) }
    try {
      const answer = await callGateway(this.#parts, params, tenantId, { path: '/api/devices/status', body })
      const statuses = Statuses.parse(answer)
      const until = this.#now() + FRESH_MS
      if (this.#known.size > MAX_KNOWN) this.#known.clear()
      for (const device of devices) {
        const isOnline = buildGatewayClientIds(device).some((id) => isConnected(statuses[id]))
        this.#known.set(keyOf(device), { isOnline, until })
      }
    } catch (err) {
      this.#away.set(gateway, this.#now() + AWAY_MS)
      this.#parts.log.warn({ err, tenantId }, 'the MQTT gateway did not report the state of devices')
    }
  }
}

/** A gateway that cannot judge a connection (`isAlive` null) still knows that it exists. */
const isConnected = (status: z.output<typeof Statuses>[string] | undefined) =>
  status !== undefined && (status.isAlive === true || (status.isAlive !== false && status.exists))

const delayed = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())

const UNBOUND_GROUP = 'GID_default'

/** A device as the MQTT gateway knows it. */
export interface GatewayDevice {
  readonly tenantId: number
  /** Twelve hex digits. */
  readonly mac: string
  readonly board: string
}

/**
 * Returns the client ids that the device may have at the gateway. The group in the id is the board, or the default
 * group when the device was unbound at its last boot.
 */
export function buildGatewayClientIds({ mac, board }: GatewayDevice): readonly string[] {
  const part = formatMac(mac, '_')
  const groups = board === '' ? [UNBOUND_GROUP] : [board.replaceAll(':', '_'), UNBOUND_GROUP]
  return groups.map((group) => `${group}@@@${part}@@@${part}`)
}
