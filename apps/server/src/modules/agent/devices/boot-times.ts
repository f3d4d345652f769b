import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import type { Logger } from 'pino'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import type { Database } from '#core/database/client.ts'
import { isolateRows } from '#core/database/statements/rows.ts'
import { addEvents } from './device-events.ts'

const FLUSH_MS = 2000
const BATCH = 5000
/** A further boot with the same version and board within this time adds no event to the timeline. */
const EVENT_MS = 600_000
const MAX_REMEMBERED = 200_000

/** A boot of a bound device. */
export interface DeviceBoot {
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
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'boots of voice devices not stored')
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
