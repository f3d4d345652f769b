import type { Pool } from 'pg'

/** A device that is bound to an agent. */
export interface BoundDevice {
  readonly deviceId: number
  readonly tenantId: number
  readonly agentId: number
  /** Twelve hex digits. */
  readonly mac: string
  readonly board: string
  /** Client-Id that the device must use; empty until the first boot. */
  readonly clientId: string
  readonly autoUpdate: number
  readonly otherClientId: string
}

/** A MAC address with its bound device, or with the valid code of an unbound device. */
export interface KnownMac {
  readonly device: BoundDevice | undefined
  readonly code: string | undefined
}

type Row = { [Key in keyof BoundDevice]: BoundDevice[Key] | null } & { asked: string; code: string | null }

const LOOKUP = {
  name: 'agent-known-macs',
  text: `select m.mac as asked, a.device_id as "deviceId", a.tenant_id as "tenantId", a.agent_id as "agentId", a.mac, a.board,
      a.client_id as "clientId", a.auto_update as "autoUpdate", a.other_client_id as "otherClientId", c.code
    from unnest($1::varchar[]) as m (mac) left join agent_devices a on a.mac = m.mac
      left join agent_codes c on c.mac = m.mac and c.expire_time > now() and a.mac is null`,
}
const MAX_BATCH = 500
const NOTHING: KnownMac = { device: undefined, code: undefined }

interface Waiting {
  readonly found: Promise<KnownMac>
  readonly done: (known: KnownMac) => void
  readonly fail: (error: unknown) => void
}

/**
 * Finds bound devices by MAC without a cache, so that a binding counts at once in every process. Lookups that arrive
 * during a query share the next query: thousands of devices boot together after a power failure.
 */
export class BoundDevices {
  readonly #pool: Pool
  #waiting = new Map<string, Waiting>()
  #isRunning = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** `mac` has twelve lower-case hex digits. */
  find(mac: string): Promise<KnownMac> {
    const earlier = this.#waiting.get(mac)
    if (earlier) return earlier.found
    const { promise: found, resolve: done, reject: fail } = Promise.withResolvers<KnownMac>()
    this.#waiting.set(mac, { found, done, fail })
    if (!this.#isRunning) void this.#run()
    return found
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      const batch = new Map([...this.#waiting].slice(0, MAX_BATCH))
      for (const mac of batch.keys()) this.#waiting.delete(mac)
      await this.#answer(batch)
    }
    this.#isRunning = false
  }

  async #answer(batch: ReadonlyMap<string, Waiting>) {
    try {
      const { rows } = await this.#pool.query<Row>({ ...LOOKUP, values: [[...batch.keys()]] })
      const known = new Map(rows.map((row) => [row.asked, knownOf(row)]))
      for (const [mac, { done }] of batch) done(known.get(mac) ?? NOTHING)
    } catch (error) {
      for (const { fail } of batch.values()) fail(error)
    }
  }
}

function knownOf({ code, ...device }: Row): KnownMac {
  return { device: device.deviceId === null ? undefined : (device as BoundDevice), code: code ?? undefined }
}
