import type { Pool, PoolClient } from 'pg'
import { BatchQueue } from '#core/database/statements/batch-queue.ts'
import { runTransaction } from '#core/database/transactions.ts'
import type { Segment } from './segment.ts'

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

/** A key of a stored segment, as text. */
const formatRowKey = ({ expireDay, deviceId, channel, format, startMs }: Omit<Segment, 'salt'> | Segment) =>
  `${expireDay}:${deviceId}:${channel}:${format === 3 ? 2 : 1}:${startMs}`

const COLUMNS = [
  ['expire_day', 'date', 'expireDay'],
  ['device_id', 'int', 'deviceId'],
  ['channel', 'smallint', 'channel'],
  ['start_ms', 'bigint', 'startMs'],
  ['duration_ms', 'int', 'durationMs'],
  ['bytes', 'int', 'bytes'],
  ['session', 'int', 'session'],
  ['seq', 'int', 'seq'],
  ['tenant_id', 'int', 'tenantId'],
  ['owner_id', 'int', 'ownerId'],
  ['entitlement_id', 'int', 'entitlementId'],
  ['model_id', 'int', 'modelId'],
  ['init_bytes', 'int', 'initBytes'],
  ['salt', 'int', 'salt'],
  ['day', 'date', 'day'],
  ['format', 'smallint', 'format'],
  ['record_type', 'smallint', 'recordType'],
] as const

const NAMES = COLUMNS.map(([name]) => name).join(', ')
const ARRAYS = COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')
/**
 * Condition of segments whose interval was deleted early: by the user, or after the end of the last package. A camera
 * without network uploads such recordings later.
 */
const DELETED_EARLY = `(
  exists (select from oss_queues q where q.device_id = x.device_id and q.channel = x.channel
    and extract(epoch from q.purged_end) * 1000 > x.start_ms)
  or exists (select from oss_purges p where p.device_id = x.device_id and p.tenant_id = x.tenant_id
    and (p.owner_id = 0 or p.owner_id = x.owner_id) and (p.channel is null or p.channel = x.channel)
    and x.start_ms >= p.from_ms and x.start_ms < p.until_ms))`

/**
 * Inserts the segments whose device still belongs to the tenant and the App account of the permit, unless their
 * interval was deleted. Rows are inserted in the order of their keys, so that two processes do not deadlock.
 */
const INSERT_SEGMENTS = `
  insert into oss_segments (${NAMES}, kind)
  select ${COLUMNS.map(([name]) => `x.${name}`).join(', ')}, case when x.format = 3 then 2 else 1 end
  from unnest(${ARRAYS}) as x (${NAMES})
  join devices d on d.id = x.device_id and d.tenant_id = x.tenant_id and coalesce(d.app_account_id, 0) = x.owner_id
    and d.deleted_at is null and (d.owner_time is null or extract(epoch from d.owner_time) * 1000 <= x.start_ms)
  where not ${DELETED_EARLY}
  order by x.expire_day, x.device_id, x.channel, x.start_ms
  on conflict do nothing
  returning expire_day as "expireDay", device_id as "deviceId", channel, start_ms as "startMs", format`

type Inserted = Pick<Segment, 'expireDay' | 'deviceId' | 'channel' | 'startMs' | 'format'>

/** Inserts segments. Returns the keys of the inserted rows. */
async function insertSegments(client: PoolClient, segments: readonly Segment[]): Promise<Set<string>> {
  const values = COLUMNS.map(([, , field]) => segments.map((segment) => segment[field]))
  const { rows } = await client.query<Inserted>({ name: 'oss-segments', text: INSERT_SEGMENTS, values })
  return new Set(rows.map((row) => formatRowKey(row as Segment)))
}

interface EventRow {
  readonly expireDay: string
  readonly deviceId: number
  readonly channel: number
  readonly eventNo: number
  readonly type: number
  startMs: number
  endMs: number
  pictureMs: number | null
  segments: number
  readonly tenantId: number
  readonly ownerId: number
  readonly entitlementId: number
  readonly day: string
}

function eventsOf(segments: readonly Segment[]) {
  const events = new Map<string, EventRow>()
  for (const { eventNo, eventType, startMs, durationMs, format, ...segment } of segments) {
    if (eventNo === 0) continue
    const { expireDay, deviceId, channel, tenantId, ownerId, entitlementId, day } = segment
    const key = `${expireDay}:${deviceId}:${channel}:${tenantId}:${ownerId}:${eventNo}`
    const endMs = startMs + durationMs
    const known = events.get(key)
    const event = known ?? {
      expireDay,
      deviceId,
      channel,
      tenantId,
      ownerId,
      entitlementId,
      day,
      eventNo,
      type: eventType,
      startMs,
      endMs,
      pictureMs: null,
      segments: 0,
    }
    if (!known) events.set(key, event)
    event.segments += 1
    event.startMs = Math.min(event.startMs, startMs)
    event.endMs = Math.max(event.endMs, endMs)
    if (format === 3) event.pictureMs = startMs
  }
  return [...events].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event)
}

const UPSERT_EVENTS = `
  insert into oss_events as e (expire_day, device_id, channel, event_no, type, start_ms, end_ms, picture_ms, tenant_id, owner_id,
    segments)
  select * from unnest($1::date[], $2::int[], $3::smallint[], $4::int[], $5::smallint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::int[], $10::int[], $11::int[])
  on conflict (expire_day, device_id, channel, tenant_id, owner_id, event_no) do update
    set start_ms = least(e.start_ms, excluded.start_ms), end_ms = greatest(e.end_ms, excluded.end_ms),
      picture_ms = coalesce(excluded.picture_ms, e.picture_ms),
      segments = e.segments + excluded.segments
  returning segments`

/** Stores the events of inserted segments. Returns the new events. */
async function saveEvents(client: PoolClient, segments: readonly Segment[]): Promise<readonly EventRow[]> {
  const events = eventsOf(segments)
  if (events.length === 0) return events
  const fields = [
    'expireDay',
    'deviceId',
    'channel',
    'eventNo',
    'type',
    'startMs',
    'endMs',
    'pictureMs',
    'tenantId',
    'ownerId',
    'segments',
  ] as const
  const values = fields.map((field) => events.map((event) => event[field]))
  const { rows } = await client.query<{ segments: number }>({ name: 'oss-events', text: UPSERT_EVENTS, values })
  return events.filter(({ segments: added }, at) => rows[at]?.segments === added)
}

/** Sums of one channel on one day, under one entitlement. */
interface DayRow {
  readonly deviceId: number
  readonly channel: number
  readonly day: string
  readonly tenantId: number
  readonly ownerId: number
  readonly entitlementId: number
  readonly modelId: number
  readonly recordType: number
  readonly expireDays: Set<string>
  segments: number
  events: number
  durationMs: number
  bytes: number
  firstMs: number
  lastMs: number
}

const dayKeyOf = ({
  deviceId,
  channel,
  day,
  tenantId,
  ownerId,
  entitlementId,
}: Pick<DayRow, 'deviceId' | 'channel' | 'day' | 'tenantId' | 'ownerId' | 'entitlementId'>) =>
  `${deviceId}:${channel}:${day}:${tenantId}:${ownerId}:${entitlementId}`

function daysOf(segments: readonly Segment[], newEvents: readonly EventRow[]) {
  const days = new Map<string, DayRow>()
  for (const segment of segments) {
    const { deviceId, channel, day, tenantId, ownerId, entitlementId, modelId, recordType } = segment
    const { startMs, durationMs, bytes } = segment
    const key = dayKeyOf(segment)
    const made = {
      segments: 0,
      events: 0,
      durationMs: 0,
      bytes: 0,
      firstMs: startMs,
      lastMs: startMs,
      expireDays: new Set<string>(),
    }
    const facts = { deviceId, channel, day, tenantId, ownerId, entitlementId, modelId, recordType }
    const row = days.get(key) ?? { ...facts, ...made }
    days.set(key, row)
    row.segments += 1
    row.durationMs += durationMs
    row.bytes += bytes
    row.firstMs = Math.min(row.firstMs, startMs)
    row.lastMs = Math.max(row.lastMs, startMs + durationMs)
    row.expireDays.add(segment.expireDay)
  }
  for (const event of newEvents) days.get(dayKeyOf(event))!.events += 1
  return [...days.values()].toSorted(compareDays)
}

/** One order for all processes, so that two of them do not deadlock. */
const compareDays = (a: DayRow, b: DayRow) =>
  a.deviceId - b.deviceId || a.channel - b.channel || a.day.localeCompare(b.day) || a.entitlementId - b.entitlementId

const UPSERT_DAYS = `
  insert into oss_device_days as o (device_id, channel, day, tenant_id, owner_id, model_id, record_type, expire_days,
    segments, events, duration_ms, bytes, first_ms, last_ms, entitlement_id)
  select a, b, c, d, e, f, g, string_to_array(h, ',')::date[], i, j, k, l, m, n, p
  from unnest($1::int[], $2::smallint[], $3::date[], $4::int[], $5::int[], $6::int[], $7::smallint[], $8::text[],
    $9::int[], $10::int[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::int[])
    as x (a, b, c, d, e, f, g, h, i, j, k, l, m, n, p)
  on conflict (device_id, channel, day, tenant_id, owner_id, entitlement_id) do update set
    expire_days = case when o.expire_days @> excluded.expire_days then o.expire_days
      else (select array_agg(distinct y order by y) from unnest(o.expire_days || excluded.expire_days) y) end,
    segments = o.segments + excluded.segments, events = o.events + excluded.events,
    duration_ms = o.duration_ms + excluded.duration_ms, bytes = o.bytes + excluded.bytes,
    first_ms = least(o.first_ms, excluded.first_ms), last_ms = greatest(o.last_ms, excluded.last_ms)`

/** Adds inserted segments and new events to the days of their channels. */
async function saveDays(client: PoolClient, segments: readonly Segment[], newEvents: readonly EventRow[]) {
  const days = daysOf(segments, newEvents)
  const numbers = ['segments', 'events', 'durationMs', 'bytes', 'firstMs', 'lastMs'] as const
  const facts = ['deviceId', 'channel', 'day', 'tenantId', 'ownerId', 'modelId', 'recordType'] as const
  const values = [
    ...facts.map((field) => days.map((day) => day[field])),
    days.map(({ expireDays }) => [...expireDays].join(',')),
    ...numbers.map((field) => days.map((day) => day[field])),
    days.map(({ entitlementId }) => entitlementId),
  ]
  await client.query({ name: 'oss-device-days', text: UPSERT_DAYS, values })
}

const EARLIER = `
  select s.expire_day as "expireDay", s.device_id as "deviceId", s.channel, s.start_ms as "startMs", s.format, s.bytes,
    s.duration_ms as "durationMs", s.salt
  from unnest($1::date[], $2::int[], $3::smallint[], $4::smallint[], $5::bigint[],
    $6::int[], $7::int[]) as x (expire_day, device_id, channel, kind, start_ms, tenant_id, owner_id)
  join oss_segments s using (expire_day, device_id, channel, kind, start_ms, tenant_id, owner_id)`

type StoredSegment = Pick<Segment, 'bytes' | 'durationMs' | 'salt'>

/** Returns the stored segments with the keys of these segments. */
async function readStoredSegments(client: Pick<PoolClient, 'query'>, segments: readonly Segment[]) {
  const values = [
    segments.map(({ expireDay }) => expireDay),
    segments.map(({ deviceId }) => deviceId),
    segments.map(({ channel }) => channel),
    segments.map(({ format }) => (format === 3 ? 2 : 1)),
    segments.map(({ startMs }) => startMs),
    segments.map(({ tenantId }) => tenantId),
    segments.map(({ ownerId }) => ownerId),
  ]
  const { rows } = await client.query<StoredSegment & Inserted>(EARLIER, values)
  return new Map<string, StoredSegment>(rows.map((row) => [formatRowKey(row as unknown as Segment), row]))
}

const COVERED = `
  select x.at from unnest($1::int[], $2::smallint[], $3::bigint[], $4::int[], $5::int[])
    with ordinality as x (device_id, channel, start_ms, tenant_id, owner_id, at)
  where ${DELETED_EARLY}`

/** Returns the keys of the segments whose interval was deleted early. */
async function findDeletedSegments(
  client: Pick<PoolClient, 'query'>,
  segments: readonly Segment[],
): Promise<Set<string>> {
  const values = [
    segments.map(({ deviceId }) => deviceId),
    segments.map(({ channel }) => channel),
    segments.map(({ startMs }) => startMs),
    segments.map(({ tenantId }) => tenantId),
    segments.map(({ ownerId }) => ownerId),
  ]
  const { rows } = await client.query<{ at: number }>(COVERED, values)
  return new Set(rows.map(({ at }) => formatRowKey(segments[at - 1]!)))
}
