import type { Logger } from 'pino'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import type { Database } from '#core/database/client.ts'
import { isolateRows } from '#core/database/statements/rows.ts'
import { addEvents, type DeviceEvent } from './device-events.ts'

const FLUSH_MS = 1000
const BATCH = 5000
const MAX_WAITING = 20_000
/** A repetition of the last event of a device within this time is not stored. */
const REPEAT_MS = 600_000
const MAX_REMEMBERED = 200_000

/** Writes timeline events in batches, so that no response waits for the database. */
export class EventWriter {
  readonly #database: Pick<Database, 'db'>
  readonly #log: Logger
  /** Last event of each device. */
  readonly #last = new Map<string, { readonly key: string; readonly at: number }>()
  #waiting: DeviceEvent[] = []
  readonly #delayed: DelayedWrite

  constructor(database: Pick<Database, 'db'>, log: Logger) {
    this.#database = database
    this.#log = log
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'steps of voice devices not stored')
  }

  /** Adds an event. Drops a repeated event, and every event while too many events wait. */
  add(event: DeviceEvent, now: number) {
    const key = JSON.stringify([event.kind, event.tenantId, event.detail])
    const last = this.#last.get(event.mac)
    if (last?.key === key && now - last.at < REPEAT_MS) return
    if (this.#waiting.length >= MAX_WAITING) return
    if (this.#last.size >= MAX_REMEMBERED) this.#last.clear()
    this.#last.set(event.mac, { key, at: now })
    this.#waiting.push(event)
    this.#delayed.schedule()
  }

  /** Writes the waiting events. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    while (this.#waiting.length > 0)
      await isolateRows(
        this.#waiting.splice(0, BATCH),
        (some) => addEvents(this.#database.db, some),
        ({ mac }, err) => this.#log.warn({ err, mac }, 'step of a voice device dropped'),
      )
  }
}
