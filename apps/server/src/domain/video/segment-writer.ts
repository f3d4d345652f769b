import type { Pool, PoolClient } from 'pg'
import type { Segment } from './segment.ts'
import { earlierSegments, insertSegments, rowKeyOf, saveDays, saveEvents, type EarlierSegment } from './segment-rows.ts'

const MOST = 5000
const PAUSE_MS = 200
/** Segments that may wait; more would only time out. */
const MAX_WAITING = 100_000

/**
 * `stored`: the row exists, from this or an earlier call with the same object. `same`: an equal recording with the same
 * start is stored in another object. `other`: a different recording with the same start is stored. `gone`: the device
 * no longer belongs to the App account or tenant of the permit.
 */
export type Outcome = 'stored' | 'same' | 'other' | 'gone'

interface Waiting {
  readonly segment: Segment
  readonly done: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

/** Too many segments wait for the database. */
export class WriterBusy extends Error {
  override readonly name = 'WriterBusy'
}

/** Gathers committed segments of all devices into transactions of up to 5,000 rows or 200 ms. */
export class SegmentWriter {
  readonly #pool: Pool
  /** Expire days whose partitions exist. */
  readonly #days = new Set<string>()
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Stores a segment whose object is in the store. Resolves after the commit. */
  add(segment: Segment): Promise<Outcome> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new WriterBusy('too many segments wait'))
    return new Promise((done, fail) => {
      this.#waiting.push({ segment, done, fail })
      if (this.#waiting.length >= MOST) this.#start()
      else this.#timer ??= setTimeout(() => this.#start(), PAUSE_MS)
    })
  }

  /** Writes the waiting segments. */
  async close() {
    while (this.#waiting.length > 0 || this.#running) {
      this.#start()
      await this.#running
    }
  }

  #start() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#start(), PAUSE_MS)
    })
  }

  async #writeAll() {
    const batch = this.#waiting.slice(0, MOST)
    this.#waiting = this.#waiting.slice(MOST)
    try {
      const outcomes = await this.#write(batch.map(({ segment }) => segment))
      for (const [at, { done }] of batch.entries()) done(outcomes[at]!)
    } catch (error) {
      for (const { fail } of batch) fail(error)
    }
  }

  async #write(segments: readonly Segment[]): Promise<Outcome[]> {
    const byKey = new Map<string, Segment>()
    for (const segment of segments) if (!byKey.has(rowKeyOf(segment))) byKey.set(rowKeyOf(segment), segment)
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      await this.#ensureDays(client, new Set(segments.map(({ expireDay }) => expireDay)))
      await client.query('begin')
      const stored = await storeSegments(client, [...byKey.values()])
      await client.query('commit')
      return segments.map((segment) => outcomeOf(segment, stored.get(rowKeyOf(segment))))
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** Creates the partitions of days that this process has not seen. */
  async #ensureDays(client: PoolClient, days: ReadonlySet<string>) {
    const unknown = [...days].filter((day) => !this.#days.has(day)).toSorted()
    if (unknown.length === 0) return
    await client.query('select oms_ensure_video_days($1::date[])', [unknown])
    for (const day of unknown) this.#days.add(day)
  }
}

/** Inserts segments with their events and days. Returns the row that now exists for each key. */
async function storeSegments(client: PoolClient, segments: readonly Segment[]): Promise<Map<string, EarlierSegment>> {
  const inserted = await insertSegments(client, segments)
  const fresh = segments.filter((segment) => inserted.has(rowKeyOf(segment)))
  if (fresh.length > 0) await saveDays(client, fresh, await saveEvents(client, fresh))
  const rest = segments.filter((segment) => !inserted.has(rowKeyOf(segment)))
  const stored = rest.length > 0 ? await earlierSegments(client, rest) : new Map<string, EarlierSegment>()
  for (const segment of fresh) stored.set(rowKeyOf(segment), segment)
  return stored
}

function outcomeOf({ bytes, durationMs, salt }: Segment, stored: EarlierSegment | undefined): Outcome {
  if (!stored) return 'gone'
  if (stored.salt === salt) return 'stored'
  return stored.bytes === bytes && stored.durationMs === durationMs ? 'same' : 'other'
}
