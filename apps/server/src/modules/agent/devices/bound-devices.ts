import { randomInt } from 'node:crypto'
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
interface KnownMac {
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

/** Facts of an unbound device for the person who binds the device. */
interface UnboundDevice {
  readonly mac: string
  readonly board: string
  readonly version: string
  readonly clientId: string
  readonly serial: string
  readonly ip: string
}

const HOURS = 24
const PER_ADDRESS_AND_HOUR = 2000
const MAX_ALIVE = 200_000
const TRIES = 20
/** Time for which the number of valid codes is cached in memory. */
const COUNT_MS = 5000
const UNIQUE_VIOLATION = '23505'

/**
 * Inserts the activation code of a MAC address, or keeps its valid code. Inserts nothing for a bound device, or when an
 * IP address has reached its limit of new codes.
 */
const INSERT = {
  name: 'agent-code',
  text: `insert into agent_codes as c (mac, code, board, version, client_id, serial, ip, create_time, expire_time)
    select $1::varchar, $2, $3, $4, $5, $6, $7::varchar, now(), now() + make_interval(hours => ${HOURS})
    where not exists (select from agent_devices where mac = $1::varchar) and ($8::boolean or (select count(*) from (select from agent_codes
      where ip = $7::varchar and create_time > now() - interval '1 hour' limit ${PER_ADDRESS_AND_HOUR}) n) < ${PER_ADDRESS_AND_HOUR})
    on conflict (mac) do update set board = excluded.board, version = excluded.version, client_id = excluded.client_id,
      serial = excluded.serial, ip = excluded.ip,
      code = case when c.expire_time > now() then c.code else excluded.code end,
      create_time = case when c.expire_time > now() then c.create_time else excluded.create_time end,
      expire_time = case when c.expire_time > now() then c.expire_time else excluded.expire_time end
    returning code`,
}

interface CreatedCode {
  readonly code: string
  readonly isNew: boolean
}

/** Creates the activation codes that unbound devices read aloud. */
export class ActivationCodes {
  readonly #pool: Pool
  readonly #random: () => number
  #validCodes = 0
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(pool: Pool, random = () => randomInt(1_000_000)) {
    this.#pool = pool
    this.#random = random
  }

  /**
   * Returns the activation code of a device; a code is valid for 24 hours. Returns undefined when a limit of new codes
   * is reached, or when the device was bound meanwhile. `isLocal`: the limit per IP address does not apply.
   */
  async create(device: UnboundDevice, isLocal: boolean): Promise<CreatedCode | undefined> {
    if ((await this.#count()) >= MAX_ALIVE) return undefined
    const { mac, board, version, clientId, serial, ip } = device
    for (let tries = 0; tries < TRIES; tries += 1) {
      const code = String(this.#random()).padStart(6, '0')
      try {
        const values = [mac, code, board, version, clientId, serial, ip, isLocal]
        const { rows } = await this.#pool.query<{ code: string }>({ ...INSERT, values })
        return rows[0] && { code: rows[0].code, isNew: rows[0].code === code }
      } catch (error) {
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
      }
    }
    return undefined
  }

  async #count() {
    const now = performance.now()
    if (now - this.#countedAt < COUNT_MS) return this.#validCodes
    this.#countedAt = now
    const { rows } = await this.#pool.query<{ n: number }>(
      `select count(*)::int as n from (select from agent_codes where expire_time > now() limit ${MAX_ALIVE}) c`,
    )
    this.#validCodes = rows[0]?.n ?? 0
    return this.#validCodes
  }
}

/** A bound, enabled device of an enabled tenant with an enabled agent. */
export interface EnabledAgentDevice {
  readonly deviceId: number
  readonly tenantId: number
  readonly agentId: number
  /** Twelve hex digits. */
  readonly mac: string
  readonly sn: string
}

const READ = `select d.device_id as "deviceId", d.tenant_id as "tenantId", d.agent_id as "agentId", d.mac, x.sn
  from agent_devices d
    join devices x on x.id = d.device_id and x.deleted_at is null and x.status = 1
    join tenants t on t.id = d.tenant_id and t.deleted_at is null and t.status = 1
    join agents a on a.id = d.agent_id and a.deleted_at is null and a.status = 1
  where d.device_id = any($1::int[])`

/**
 * Reads enabled devices by id. Caches nothing. Simultaneous calls share a statement, so hundreds of completions that
 * start together do not delay the queries of other calls.
 */
export class EnabledAgentDevices {
  readonly #devices: BatchedRead<number, EnabledAgentDevice, EnabledAgentDevice>

  constructor(pool: Pool) {
    const read = async (ids: readonly number[]) => {
      const { rows } = await pool.query<EnabledAgentDevice>({
        name: 'agent-enabled-devices',
        text: READ,
        values: [ids],
      })
      return new Map(rows.map((row) => [row.deviceId, row]))
    }
    this.#devices = new BatchedRead({ read, valueOf: (row) => Object.freeze(row) })
  }

  /**
   * Returns the device of a key that names device and agent. Returns undefined when the device was unbound, moved or
   * disabled since the key was issued. Returns undefined when its tenant or agent was disabled.
   */
  async ofKey({
    deviceId,
    agentId,
  }: Pick<EnabledAgentDevice, 'deviceId' | 'agentId'>): Promise<EnabledAgentDevice | undefined> {
    const device = await this.#devices.get(deviceId)
    return device?.agentId === agentId ? device : undefined
  }
}
