import { randomInt } from 'node:crypto'
import type { Pool } from 'pg'

/** Facts of an unbound device for the person who binds the device. */
export interface UnboundDevice {
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

export interface CreatedCode {
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
