import type { RejectReason } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { BatchQueue } from '#core/database/statements/batch-queue.ts'
import { splitOverlaps } from '../overlap.ts'
import type { PlayRow } from './play-row.ts'
import { splitFullHours } from '../screens/screen-hours.ts'
import { RecentPlays } from './recent-plays.ts'
import { storePlays } from './store-plays.ts'

const BATCH_ROWS = 5000
const PAUSE_MS = 50
const MAX_ROWS = 50_000

export type PlayOutcome = 'accepted' | 'duplicate' | 'overlap'

export interface RejectedPlay {
  readonly deviceId: number
  readonly tenantId: number
  readonly reason: RejectReason
  readonly n: number
}

/** Plays and rejected reports of one call. */
interface Reports {
  readonly rows: readonly PlayRow[]
  readonly rejects: readonly RejectedPlay[]
}

/** Thrown when too many plays wait for the database. */
export class PlayWriterBusyError extends Error {
  override readonly name = 'PlayWriterBusyError'
}

const keyOf = ({ playDay, deviceId, reportId }: PlayRow) => `${playDay}:${deviceId}:${reportId}`

const overlapReject = ({ deviceId, tenantId }: PlayRow): RejectedPlay => ({
  deviceId,
  tenantId,
  reason: 'overlap',
  n: 1,
})

/** Writes the reports of all devices in batches of about 5,000 rows or 50 ms. One statement runs at a time. */
export class PlayWriter {
  readonly #pool: Pool
  readonly #dayOf: (ms: number) => string
  /** Days whose partitions exist. */
  readonly #days = new Set<string>()
  readonly #recent = new RecentPlays()
  readonly #queue: BatchQueue<Reports, PlayOutcome[]>

  constructor(pool: Pool, dayOf: (ms: number) => string) {
    this.#pool = pool
    this.#dayOf = dayOf
    this.#queue = new BatchQueue({
      rowsOf: ({ rows }) => rows.length,
      batchRows: BATCH_ROWS,
      pauseMs: PAUSE_MS,
      maxRows: MAX_ROWS,
      busy: () => new PlayWriterBusyError('too many plays wait'),
      write: (calls) => this.#writeCalls(calls),
    })
  }

  /**
   * Stores the plays of one call and counts its rejected reports. Resolves after the commit with one outcome per row.
   */
  add(rows: readonly PlayRow[], rejects: readonly RejectedPlay[]): Promise<PlayOutcome[]> {
    return rows.length + rejects.length === 0 ? Promise.resolve([]) : this.#queue.add({ rows, rejects })
  }

  /** Writes the waiting plays. */
  close() {
    return this.#queue.written()
  }

  async #writeCalls(calls: readonly Reports[]): Promise<PlayOutcome[][]> {
    const outcomes = await this.#write(
      calls.flatMap(({ rows }) => rows),
      calls.flatMap(({ rejects }) => rejects),
    )
    return calls.map(({ rows }) => rows.map((row) => outcomes.get(row)!))
  }

  /** Writes rows in at most two rounds: a play that overlaps another row of the batch waits for that row's outcome. */
  async #write(rows: readonly PlayRow[], rejects: readonly RejectedPlay[]): Promise<Map<PlayRow, PlayOutcome>> {
    const outcomes = new Map<PlayRow, PlayOutcome>()
    const byKey = new Map<string, PlayRow>()
    for (const row of rows) {
      const key = keyOf(row)
      if (this.#recent.has(key)) outcomes.set(row, 'duplicate')
      else if (!byKey.has(key)) byKey.set(key, row)
    }
    await this.#ensureDays(new Set(rows.map(({ playDay }) => playDay)))
    const hours = await splitFullHours(this.#pool, [...byKey.values()])
    const first = splitOverlaps(hours.fitting)
    const second = splitOverlaps(first.rest)
    const rounds = [
      { rows: first.apart, rejects: [...rejects, ...hours.rest.map(overlapReject)] },
      { rows: second.apart, rejects: second.rest.map(overlapReject) },
    ]
    for (const row of [...hours.rest, ...second.rest]) outcomes.set(row, 'overlap')
    for (const [at, round] of rounds.entries()) {
      if (at > 0 && round.rows.length + round.rejects.length === 0) continue
      const stored = await storePlays(this.#pool, { ...round, today: this.#dayOf(Date.now()) })
      for (const [place, row] of round.rows.entries()) outcomes.set(row, stored[place]!)
    }
    for (const row of rows) {
      if (outcomes.has(row)) continue
      const first = outcomes.get(byKey.get(keyOf(row))!)!
      outcomes.set(row, first === 'accepted' ? 'duplicate' : first)
    }
    for (const [key, row] of byKey) if (outcomes.get(row) === 'accepted') this.#recent.add(key)
    return outcomes
  }

  /** Creates the partitions of days that this process has not seen. */
  async #ensureDays(days: ReadonlySet<string>) {
    const unknown = [...days].filter((day) => !this.#days.has(day)).toSorted()
    if (unknown.length === 0) return
    await this.#pool.query('select oms_ensure_play_days($1::date[])', [unknown])
    for (const day of unknown) this.#days.add(day)
  }
}
