import type { Services } from '#core/services.ts'
import { SLOT_FLAG } from '../fleet/slots.ts'

const FLUSH_MS = 10_000
/** A poll is stored only when the stored time is older than this. */
export const MIN_LAST_POLL_UPDATE_SECONDS = 600
const BATCH = 10_000

/**
 * Keeps the time of each device's last poll in memory and writes in batches. A million devices polling every five
 * minutes would otherwise cause 3,333 updates a second.
 */
export class Presence {
  readonly #services: Services
  readonly #ips = new Map<number, string>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined

  constructor(services: Services) {
    this.#services = services
  }

  start() {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush()
  }

  saw(slot: number, ip: string, nowMs: number) {
    const { slots } = this.#services.fleet
    const now = Math.floor(nowMs / 1000)
    slots.seen[slot] = now
    if (now - slots.saved[slot]! <= MIN_LAST_POLL_UPDATE_SECONDS || (slots.flags[slot]! & SLOT_FLAG.pending) !== 0)
      return
    slots.flags[slot]! |= SLOT_FLAG.pending
    this.#ips.set(slot, ip)
  }

  /** Writes the changed times. Coalesces simultaneous calls. */
  flush(): Promise<void> {
    return (this.#flushing ??= this.#write()
      .catch((error: unknown) => this.#services.log.warn({ err: error }, 'signs of life not stored, trying again'))
      .finally(() => (this.#flushing = undefined)))
  }

  async #write() {
    const { slots } = this.#services.fleet
    const waiting = [...this.#ips]
    for (let at = 0; at < waiting.length; at += BATCH) {
      const some = waiting.slice(at, at + BATCH)
      const rows = some.map(([slot, ip]) => ({ slot, id: slots.ids[slot]!, seen: slots.seen[slot]!, ip }))
      // Locks rows in the order of ids for every query plan, otherwise processes that saw the same devices could
      // deadlock. `no key update` permits the creation of tasks meanwhile.
      await this.#services.database.pool.query(
        `with u as materialized (select * from unnest($1::int[], $2::float8[], $3::text[]) as u (id, seen, ip)),
           held as materialized (select id from devices where id in (select id from u) order by id for no key update)
         update devices d set last_online_time = greatest(d.last_online_time, to_timestamp(u.seen)), ip = u.ip, online = 1,
           activate_time = coalesce(d.activate_time, to_timestamp(u.seen))
         from held join u using (id) where d.id = held.id`,
        [
          rows.map(({ id }) => id),
          rows.map(({ seen }) => seen),
          rows.map(({ ip }) => ip.replace(/^::ffff:/, '').slice(0, 45)),
        ],
      )
      for (const { slot, seen } of rows) {
        this.#ips.delete(slot)
        slots.saved[slot] = seen
        slots.flags[slot]! &= ~SLOT_FLAG.pending
      }
    }
  }
}

const TELL_MS = 1000

/** Publishes changes of tasks and devices to consoles, at most once per second and tenant. */
export class ChangePublisher {
  readonly #services: Services
  readonly #waiting = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(services: Services) {
    this.#services = services
  }

  moved(tenantId: number) {
    this.#waiting.add(tenantId)
    this.#timer ??= setTimeout(() => void this.#tell(), TELL_MS).unref()
  }

  close() {
    clearTimeout(this.#timer)
  }

  async #tell() {
    const tenants = [...this.#waiting]
    this.#waiting.clear()
    this.#timer = undefined
    const { events, database, log } = this.#services
    try {
      for (const tenantId of tenants)
        for (const resource of ['upgrade', 'device'])
          await events.publish(database.db, 'changed', { resource, tenantId })
    } catch (error) {
      log.warn({ err: error }, 'consoles not told')
    }
  }
}
