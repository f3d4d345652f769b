import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { markOnline } from './mark-online.ts'

const FLUSH_MS = 1000
/** Locks rows in the order of ids. Otherwise two processes with the same devices could deadlock. */
const STORE = `with u as materialized (select * from unnest($1::int[], $2::float8[]) as u (id, at)),
    held as materialized (select device_id from agent_devices where device_id in (select id from u)
      order by device_id for no key update)
  update agent_devices d set session_time = greatest(d.session_time, to_timestamp(u.at / 1000))
  from held join u on u.id = held.device_id where d.device_id = held.device_id`

/**
 * Stores when devices connected to a voice server, and marks the devices online. Writes the connections of each second
 * with one statement.
 */
export class DeviceMarks {
  readonly #pool: Pool
  readonly #log: Logger
  #connected = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  connected(deviceId: number, now: number) {
    this.#connected.set(deviceId, now)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes the waiting times. Coalesces simultaneous calls. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#running ??= this.#write()
      .catch((err: unknown) => this.#log.warn({ err }, 'connections of voice devices not stored'))
      .finally(() => (this.#running = undefined)))
  }

  async #write() {
    const connected = this.#connected
    this.#connected = new Map()
    if (connected.size === 0) return
    const ids = [...connected.keys()]
    await this.#pool.query(STORE, [ids, [...connected.values()]])
    await markOnline(this.#pool, ids)
  }
}
