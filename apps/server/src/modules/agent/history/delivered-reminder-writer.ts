import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import type { DueReminder } from './reminders.ts'

const FLUSH_MS = 1000
const BATCH = 5000
const MAX_WAITING = 100_000
/** Locks rows in the order of ids. Otherwise two processes with the same reminders could deadlock. */
const STORE = `with u as materialized (select * from unnest($1::bigint[], $2::float8[]) as u (id, at)),
    held as materialized (select id from agent_reminders where id in (select id from u) order by id for no key update)
  update agent_reminders r set told_count = r.told_count + 1, told_time = to_timestamp(u.at / 1000)
  from held join u on u.id = held.id where r.id = held.id`

/**
 * Marks reminders as told after a voice server received them. Writes the marks of each second with one statement. When
 * a process ends before it writes a mark, the next conversation tells the reminder again.
 */
export class DeliveredReminderWriter {
  readonly #pool: Pool
  readonly #told = new Map<number, number>()
  readonly #delayed: DelayedWrite

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'told reminders not stored')
  }

  told(reminders: readonly Pick<DueReminder, 'id'>[], now: number) {
    if (this.#told.size >= MAX_WAITING) return
    for (const { id } of reminders) this.#told.set(id, now)
    this.#delayed.schedule()
  }

  /** Writes the waiting marks. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    while (this.#told.size > 0) {
      const some = [...this.#told].slice(0, BATCH)
      for (const [id] of some) this.#told.delete(id)
      await this.#pool.query(STORE, [some.map(([id]) => id), some.map(([, at]) => at)])
    }
  }
}
