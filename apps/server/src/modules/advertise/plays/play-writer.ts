import { type RejectReason, PLAY_RESULT } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { BatchQueue } from '#core/database/statements/batch-queue.ts'
import { splitOverlaps, type PlayRow, MAX_OVERLAP_MS } from './play-row.ts'

const BATCH_ROWS = 5000
const PAUSE_MS = 50
const MAX_ROWS = 50_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Tolerance by which the summed plays of an hour may exceed the hour. */
const SLACK_MS = 60_000
/**
 * Maximum sum of the plays without a trusted clock that arrive on one day. A screen may be without network and clock
 * for days.
 */
const UNTRUSTED_MS = 7 * DAY_MS
/** Shortest time that a reported play occupies the screen. */
const LEAST_MS = 1000
const MAX_RECENT = 50_000

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

const playKeyOf = ({ playDay, deviceId, reportId }: PlayRow) => `${playDay}:${deviceId}:${reportId}`

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
      const key = playKeyOf(row)
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
      const first = outcomes.get(byKey.get(playKeyOf(row))!)!
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

const COLUMNS = [
  ['date', 'playDay'],
  ['int', 'deviceId'],
  ['uuid', 'reportId'],
  ['bigint', 'startMs'],
  ['int', 'ms'],
  ['int', 'planned'],
  ['int', 'tenantId'],
  ['int', 'modelId'],
  ['int', 'programId'],
  ['int', 'programVer'],
  ['int', 'itemId'],
  ['int', 'adId'],
  ['int', 'adVer'],
  ['int', 'materialId'],
  ['smallint', 'result'],
  ['smallint', 'clock'],
  ['int', 'count'],
  ['bigint', 'hour'],
  ['date', 'day'],
  ['boolean', 'mayOverlap'],
] as const satisfies readonly (readonly [string, keyof PlayRow])[]

const REJECTS = [
  ['int', 'deviceId'],
  ['int', 'tenantId'],
  ['text', 'reason'],
  ['int', 'n'],
] as const satisfies readonly (readonly [string, keyof RejectedPlay])[]

const PARAMETERS = [...COLUMNS.map(([type]) => `${type}[]`), 'date', ...REJECTS.map(([type]) => `${type}[]`)]
const STORE = `select oms_store_plays(${PARAMETERS.map((type, at) => `$${at + 1}::${type}`).join(', ')}) as outcomes`

const OUTCOMES: readonly PlayOutcome[] = ['duplicate', 'accepted', 'overlap']

interface Batch {
  readonly rows: readonly PlayRow[]
  readonly rejects: readonly RejectedPlay[]
  /** Day of arrival in the console's zone. */
  readonly today: string
}

/** Stores plays, their sums and the rejected reports in one transaction. Returns one outcome per row. */
async function storePlays(pool: Pool, { rows, rejects, today }: Batch): Promise<PlayOutcome[]> {
  if (rows.length + rejects.length === 0) return []
  const values = [
    ...COLUMNS.map(([, field]) => rows.map((row) => row[field])),
    today,
    ...REJECTS.map(([, field]) => rejects.map((reject) => reject[field])),
  ]
  const { rows: found } = await pool.query<{ outcomes: number[] | null }>({ name: 'ad-plays', text: STORE, values })
  return (found[0]?.outcomes ?? []).map((outcome) => OUTCOMES[outcome]!)
}

const OCCUPIED = `sum(greatest(p.ms, p.count * ${LEAST_MS}))::float8 as ms`

const HOURS = `select p.device_id as "deviceId", k.hour as "from",
    case when p.result = ${PLAY_RESULT.failed} then 'failed'
      when (v.body->>'insertMode')::int > 0 then 'takeover' else 'program' end as kind, ${OCCUPIED}
  from (select distinct * from unnest($1::int[], $2::bigint[]) as k (device_id, hour)) k
  join ad_plays p on p.device_id = k.device_id and p.start_ms >= k.hour and p.start_ms < k.hour + ${HOUR_MS}
    and p.play_day = (to_timestamp(k.hour / 1000) at time zone 'UTC')::date
  left join ad_program_versions v on v.program_id = p.program_id and v.ver_no = p.program_ver
  where p.clock > 0 and p.report_id <> all($3::uuid[])
  group by 1, 2, 3`

/** Plays without a trusted clock belong to the day of their arrival. */
const DAYS = `select p.device_id as "deviceId", k.day as "from", 'untrusted' as kind, ${OCCUPIED}
  from (select distinct * from unnest($1::int[], $2::bigint[]) as k (device_id, day)) k
  join ad_plays p on p.device_id = k.device_id and p.play_day = (to_timestamp(k.day / 1000) at time zone 'UTC')::date
  where p.clock = 0 and p.report_id <> all($3::uuid[])
  group by 1, 2`

/** Plays of one screen, period and kind, which share one time limit. */
interface Share {
  readonly deviceId: number
  /** Epoch milliseconds: start of the hour, or for untrusted plays start of the UTC day of arrival. */
  readonly from: number
  readonly kind: 'program' | 'takeover' | 'failed' | 'untrusted'
}

function shareOf({ deviceId, hour, clock, result, isTakeover }: PlayRow): Share {
  if (clock === 0) return { deviceId, from: hour - (hour % DAY_MS), kind: 'untrusted' }
  return { deviceId, from: hour, kind: result === PLAY_RESULT.failed ? 'failed' : isTakeover ? 'takeover' : 'program' }
}

const hourKeyOf = ({ deviceId, from, kind }: Share) => `${deviceId}:${from}:${kind}`

/** Returns true for plays that the overlap check does not limit: summed, short and untrusted plays, and takeovers. */
const isUnlimited = ({ mayOverlap, ms }: PlayRow) => mayOverlap || ms <= MAX_OVERLAP_MS

const occupiedBy = ({ ms, count }: PlayRow) => Math.max(ms, count * LEAST_MS)

/** Returns the stored milliseconds of each share by its key, without the plays that are reported now. */
async function occupiedShares(pool: Pick<Pool, 'query'>, shares: readonly Share[], reportIds: readonly string[]) {
  const occupied = new Map<string, number>()
  const [days, hours] = [
    shares.filter(({ kind }) => kind === 'untrusted'),
    shares.filter(({ kind }) => kind !== 'untrusted'),
  ]
  for (const [name, text, some] of [
    ['ad-screen-hours', HOURS, hours],
    ['ad-screen-days', DAYS, days],
  ] as const) {
    if (some.length === 0) continue
    const values = [some.map(({ deviceId }) => deviceId), some.map(({ from }) => from), reportIds]
    const { rows } = await pool.query<Share & { ms: number }>({ name, text, values })
    for (const row of rows) occupied.set(hourKeyOf(row), row.ms)
  }
  return occupied
}

/**
 * Splits rows into those that fit into the time of their screens, and the rest. Within one hour a screen shows programs
 * for at most one hour, takeovers for at most one hour and failures for at most one hour. A single play may cross the
 * end of the hour. Reads stored plays only for periods with plays that the overlap check does not limit.
 */
async function splitFullHours(
  pool: Pick<Pool, 'query'>,
  rows: readonly PlayRow[],
): Promise<{ fitting: PlayRow[]; rest: PlayRow[] }> {
  const shares = new Map(
    rows
      .filter(isUnlimited)
      .map(shareOf)
      .map((share) => [hourKeyOf(share), share]),
  )
  if (shares.size === 0) return { fitting: [...rows], rest: [] }
  const reportIds = rows.map(({ reportId }) => reportId)
  const occupied = await occupiedShares(pool, [...shares.values()], reportIds)
  const fitting: PlayRow[] = []
  const rest: PlayRow[] = []
  for (const row of rows) {
    const share = shareOf(row)
    const key = hourKeyOf(share)
    const room = share.kind === 'untrusted' ? UNTRUSTED_MS : HOUR_MS
    const before = occupied.get(key) ?? 0
    const after = before + occupiedBy(row)
    const fits = after <= room + SLACK_MS || (row.count === 1 && before <= room)
    if (shares.has(key) && !fits) rest.push(row)
    else {
      fitting.push(row)
      occupied.set(key, after)
    }
  }
  return { fitting, rest }
}

/**
 * Keys of the plays that this process stored last. A player repeats a call within seconds when the response was lost.
 * This cache recognises such repetitions without a query. The database recognises all other repetitions.
 */
export class RecentPlays {
  #keys = new Set<string>()
  #older = new Set<string>()

  has(key: string): boolean {
    return this.#keys.has(key) || this.#older.has(key)
  }

  /**
   * Adds the key of a stored play. Discards the older half of the keys when the newer half is full. Deleting single
   * keys from the front of a large set becomes slower with every deleted key.
   */
  add(key: string) {
    if (this.#keys.size >= MAX_RECENT / 2) [this.#older, this.#keys] = [this.#keys, new Set()]
    this.#keys.add(key)
  }
}
