import { type AGENT_EVENT, AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Db, Database } from '#core/database/client.ts'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import { isolateRows } from '#core/database/statements/rows.ts'

export interface DeviceEvent {
  readonly mac: string
  /** Absent for an unbound device. */
  readonly tenantId?: number | undefined
  readonly kind: keyof typeof AGENT_EVENT
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

/**
 * Inserts events into the timelines of devices. Passes all events in one parameter. With a parameter for each value,
 * thousands of events would cost more than the calls that caused them.
 */
export async function addEvents(db: Pick<Db, 'execute'>, events: readonly DeviceEvent[]) {
  if (events.length === 0) return
  await db.execute(sql`
    insert into agent_events (mac, tenant_id, kind, detail)
    select mac, "tenantId", kind, coalesce(detail, '{}')
    from json_to_recordset(${JSON.stringify(events)}::json) as e (mac varchar, "tenantId" int, kind smallint, detail jsonb)`)
}

const EVENT_FLUSH_MS = 1000
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
    this.#delayed = new DelayedWrite(EVENT_FLUSH_MS, () => this.#write(), log, 'steps of voice devices not stored')
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

const BOOT_FLUSH_MS = 2000
/** A further boot with the same version and board within this time adds no event to the timeline. */
const EVENT_MS = 600_000

/** A boot of a bound device. */
interface DeviceBoot {
  readonly mac: string
  readonly tenantId: number
  readonly at: number
  readonly board: string
  readonly version: string
  readonly clientId: string
  /** True when the response contained a token for the voice server. */
  readonly hasToken: boolean
}

const UPDATE = `update agent_devices a set boot_time = greatest(a.boot_time, to_timestamp(b.at / 1000)),
    board = coalesce(nullif(b.board, ''), a.board), app_version = coalesce(nullif(b.version, ''), a.app_version),
    client_id = case when a.client_id = '' then b."clientId" else a.client_id end
  from (select b.*, row_number() over () from jsonb_to_recordset($1::jsonb)
      as b (mac text, at float8, board text, version text, "clientId" text)) b
    join (select mac from agent_devices where mac = any($2) order by device_id for no key update) held on held.mac = b.mac
  where a.mac = b.mac`

/** Collects the boots of bound devices in memory and writes them in batches. */
export class BootTimes {
  readonly #database: Database
  readonly #log: Logger
  readonly #waiting = new Map<string, DeviceBoot>()
  /** Time, version and board of the last timeline event of each device. */
  readonly #lastEvents = new Map<string, Pick<DeviceBoot, 'at' | 'version' | 'board'>>()
  readonly #delayed: DelayedWrite

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
    this.#delayed = new DelayedWrite(BOOT_FLUSH_MS, () => this.#write(), log, 'boots of voice devices not stored')
  }

  saw(boot: DeviceBoot) {
    this.#waiting.set(boot.mac, boot)
    this.#delayed.schedule()
  }

  /** Writes the waiting boots. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    while (this.#waiting.size > 0) {
      const boots = [...this.#waiting.values()].slice(0, BATCH)
      for (const { mac } of boots) this.#waiting.delete(mac)
      await isolateRows(
        boots,
        (some) => this.#store(some),
        ({ mac }, err) => this.#log.warn({ err, mac }, 'boot of a voice device dropped'),
      )
    }
  }

  async #store(boots: readonly DeviceBoot[]) {
    await this.#database.pool.query(UPDATE, [JSON.stringify(boots), boots.map(({ mac }) => mac)])
    await addEvents(this.#database.db, this.#newEvents(boots).map(eventOf))
  }

  #newEvents(boots: readonly DeviceBoot[]) {
    if (this.#lastEvents.size > MAX_REMEMBERED) this.#lastEvents.clear()
    return boots.filter((boot) => {
      const last = this.#lastEvents.get(boot.mac)
      const isSame = last && last.version === boot.version && last.board === boot.board && boot.at - last.at < EVENT_MS
      if (!isSame) this.#lastEvents.set(boot.mac, boot)
      return !isSame
    })
  }
}

const eventOf = ({ mac, tenantId, board, version, hasToken }: DeviceBoot) => ({
  mac,
  tenantId,
  kind: AGENT_EVENT_KIND.boot,
  detail: { board, version, token: hasToken },
})
