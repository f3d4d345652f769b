import type { Pool, PoolClient } from 'pg'
import { BatchQueue } from '#core/database/statements/batched-read.ts'
import { runTransaction } from '#core/database/transactions.ts'
import type { Segment } from './segment.ts'
import {
  findDeletedSegments,
  readStoredSegments,
  insertSegments,
  formatRowKey,
  saveDays,
  saveEvents,
  type StoredSegment,
} from './segment-rows.ts'

const BATCH_ROWS = 5000
const PAUSE_MS = 20
const MAX_ROWS = 100_000

/**
 * `stored`: the row exists, from this or an earlier call with the same object. `same`: an equal recording with the same
 * start is stored in another object. `other`: a different recording with the same start is stored. `deleted`: the videos
 * of this interval were deleted early, so the recording is accepted but not stored. `gone`: the device no longer belongs
 * to the App account or tenant of the permit.
 */
export type WriteOutcome = 'stored' | 'same' | 'other' | 'deleted' | 'gone'

/** Too many segments wait for the database. */
export class SegmentWriterBusyError extends Error {
  override readonly name = 'SegmentWriterBusyError'
}

/** Gathers committed segments of all devices into transactions of up to 5,000 rows or 20 ms. */
export class SegmentWriter {
  readonly #pool: Pool
  /** Expire days whose partitions exist. */
  readonly #days = new Set<string>()
  readonly #queue: BatchQueue<Segment, WriteOutcome>

  constructor(pool: Pool) {
    this.#pool = pool
    this.#queue = new BatchQueue({
      rowsOf: () => 1,
      batchRows: BATCH_ROWS,
      pauseMs: PAUSE_MS,
      maxRows: MAX_ROWS,
      busy: () => new SegmentWriterBusyError('too many segments wait'),
      write: (segments) => this.#write(segments),
    })
  }

  /** Stores a segment whose object is in the store. Resolves after the commit. */
  add(segment: Segment): Promise<WriteOutcome> {
    return this.#queue.add(segment)
  }

  /** Returns whether a segment needs no object: an equal recording is stored in another object, or was deleted. */
  async isDone(segment: Segment): Promise<boolean> {
    const [stored] = (await readStoredSegments(this.#pool, [segment])).values()
    if (stored) return outcomeOf(segment, stored) === 'same'
    return (await findDeletedSegments(this.#pool, [segment])).size > 0
  }

  /** Writes the waiting segments. */
  close() {
    return this.#queue.written()
  }

  async #write(segments: readonly Segment[]): Promise<WriteOutcome[]> {
    const byKey = new Map<string, Segment>()
    for (const segment of segments) if (!byKey.has(formatRowKey(segment))) byKey.set(formatRowKey(segment), segment)
    await this.#ensureDays(new Set(segments.map(({ expireDay }) => expireDay)))
    const { stored, deleted } = await runTransaction(this.#pool, (client) => storeSegments(client, [...byKey.values()]))
    return segments.map((segment) => {
      const key = formatRowKey(segment)
      return deleted.has(key) ? 'deleted' : outcomeOf(segment, stored.get(key))
    })
  }

  /** Creates the partitions of days that this process has not seen. */
  async #ensureDays(days: ReadonlySet<string>) {
    const unknown = [...days].filter((day) => !this.#days.has(day)).toSorted()
    if (unknown.length === 0) return
    await this.#pool.query('select oms_ensure_video_days($1::date[])', [unknown])
    for (const day of unknown) this.#days.add(day)
  }
}

interface StoreResult {
  /** The row that now exists, by its key. */
  readonly stored: ReadonlyMap<string, StoredSegment>
  /** Keys of the segments that were not stored because their interval was deleted. */
  readonly deleted: ReadonlySet<string>
}

/** Inserts segments with their events and days. */
async function storeSegments(client: PoolClient, segments: readonly Segment[]): Promise<StoreResult> {
  const inserted = await insertSegments(client, segments)
  const fresh = segments.filter((segment) => inserted.has(formatRowKey(segment)))
  if (fresh.length > 0) await saveDays(client, fresh, await saveEvents(client, fresh))
  const rest = segments.filter((segment) => !inserted.has(formatRowKey(segment)))
  const stored = rest.length > 0 ? await readStoredSegments(client, rest) : new Map<string, StoredSegment>()
  const missing = rest.filter((segment) => !stored.has(formatRowKey(segment)))
  const deleted = missing.length > 0 ? await findDeletedSegments(client, missing) : new Set<string>()
  for (const segment of fresh) stored.set(formatRowKey(segment), segment)
  return { stored, deleted }
}

function outcomeOf({ bytes, durationMs, salt }: Segment, stored: StoredSegment | undefined): WriteOutcome {
  if (!stored) return 'gone'
  if (stored.salt === salt) return 'stored'
  return stored.bytes === bytes && stored.durationMs === durationMs ? 'same' : 'other'
}
