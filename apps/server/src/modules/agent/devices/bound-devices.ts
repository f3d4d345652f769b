import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'

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

/** The valid code of an unbound device, with the facts of the boot that stored it. */
export interface ValidCode {
  readonly code: string
  readonly board: string
  readonly version: string
  readonly clientId: string
  readonly serial: string
}

/** A MAC address with its bound device, or with the valid code of an unbound device. */
export interface KnownMac {
  readonly device: BoundDevice | undefined
  readonly code: ValidCode | undefined
}

type Row = { [Key in keyof BoundDevice]: BoundDevice[Key] | null } & { asked: string; valid: ValidCode | null }

const LOOKUP = {
  name: 'agent-known-macs',
  text: `select m.mac as asked, a.device_id as "deviceId", a.tenant_id as "tenantId", a.agent_id as "agentId", a.mac, a.board,
      a.client_id as "clientId", a.auto_update as "autoUpdate", a.other_client_id as "otherClientId",
      case when c.mac is not null then jsonb_build_object('code', c.code, 'board', c.board, 'version', c.version,
        'clientId', c.client_id, 'serial', c.serial) end as valid
    from unnest($1::varchar[]) as m (mac) left join agent_devices a on a.mac = m.mac
      left join agent_codes c on c.mac = m.mac and c.expire_time > now() and a.mac is null`,
}
const NOTHING: KnownMac = { device: undefined, code: undefined }

/**
 * Finds bound devices by MAC. Caches nothing, so a binding applies at once in every process. Simultaneous lookups share
 * a query, because thousands of devices boot together after a power failure.
 */
export class BoundDevices {
  readonly #known: BatchedRead<string, Row, KnownMac>

  constructor(pool: Pool) {
    const read = async (macs: readonly string[]) => {
      const { rows } = await pool.query<Row>({ ...LOOKUP, values: [macs] })
      return new Map(rows.map((row) => [row.asked, row]))
    }
    this.#known = new BatchedRead({ read, valueOf: knownOf })
  }

  /** `mac` has twelve lower-case hex digits. */
  async find(mac: string): Promise<KnownMac> {
    return (await this.#known.get(mac)) ?? NOTHING
  }
}

function knownOf({ valid, ...device }: Row): KnownMac {
  return { device: device.deviceId === null ? undefined : (device as BoundDevice), code: valid ?? undefined }
}
