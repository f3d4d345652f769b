import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { MediaFiles } from '#core/media/media.ts'
import { formatObjectKey, type SegmentKey } from './recordings/segment.ts'

const ROWS_AT_ONCE = 1000
const PURGES_AT_ONCE = 200
/** Age until which a purge runs again, because uploads may have been in progress when the purge was added. */
const SETTLED = `interval '1 minute'`

interface Purging {
  readonly pool: Pool
  readonly media: MediaFiles
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
  /** Called after every step, so that tests can interrupt the job there. */
  readonly onStep?: (step: string) => void
}

interface Purge {
  readonly id: number
  readonly tenantId: number
  readonly ownerId: number
  readonly deviceId: number
  readonly channel: number | null
  readonly fromMs: number
  readonly untilMs: number
}

/** Rows of a table that a purge covers; the first seven parameters are those of `parametersOf`. */
const COVERED = `device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
  and start_ms >= $5::bigint and start_ms < $6::bigint and expire_day = $7::date`

const parametersOf = ({ deviceId, tenantId, ownerId, channel, fromMs, untilMs }: Purge) => [
  deviceId,
  tenantId,
  ownerId,
  channel,
  fromMs,
  untilMs,
]

/**
 * Adds purges for channels whose last package ended more than `keepDays` days ago. A renewal before that moves the end,
 * so the videos stay.
 */
export async function addExpiryPurges(pool: Pool, nowMs: number, keepDays: number) {
  await pool.query(
    `with ended as (update oss_queues set purged_end = end_time
       where suspended = 0 and end_time < to_timestamp($1::float8 / 1000) - make_interval(days => $2)
         and purged_end is distinct from end_time
       returning device_id, channel, tenant_id)
     insert into oss_purges (tenant_id, device_id, channel, reason, until_ms)
     select tenant_id, device_id, channel, 1, $1::float8::bigint from ended e
     where exists (select from oss_device_days o where o.device_id = e.device_id and o.channel = e.channel
       and o.expire_days <> '{}')`,
    [nowMs, keepDays],
  )
}

/** Deletes the videos of all waiting purges: objects first, then rows. A failed purge does not stop the others. */
export async function runPurges(purging: Purging): Promise<{ readonly purges: number; readonly failedItems: number }> {
  const { log, signal } = purging
  const isolation = { log, signal, kind: 'oss-purge', name: ({ id }: Purge) => ({ purgeId: id }) }
  let last = 0
  for (let [purges, failedItems] = [0, 0]; ; ) {
    const { rows } = await purging.pool.query<Purge>(
      `select id, tenant_id as "tenantId", owner_id as "ownerId", device_id as "deviceId", channel, from_ms as "fromMs",
         until_ms as "untilMs" from oss_purges where state = 0 and id > $1 order by id limit ${PURGES_AT_ONCE}`,
      [last],
    )
    const { done, failed } = await forEachIsolated(rows, isolation, (purge) => runPurge(purging, purge))
    last = rows.at(-1)?.id ?? last
    purges += done
    failedItems += failed.length
    if (rows.length < PURGES_AT_ONCE) return { purges, failedItems }
  }
}

async function runPurge(purging: Purging, purge: Purge) {
  const { pool, onStep } = purging
  const { rows } = await pool.query<{ day: string }>(
    `select distinct unnest(expire_days) as day from oss_device_days
     where device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
     order by 1`,
    parametersOf(purge).slice(0, 4),
  )
  for (const { day } of rows) {
    while ((await removeSome(purging, purge, day)) === ROWS_AT_ONCE) purging.signal?.throwIfAborted()
    await pool.query(`delete from oss_events where ${COVERED}`, [...parametersOf(purge), day])
    onStep?.('events')
  }
  await pool.query(CALENDAR, parametersOf(purge).slice(0, 4))
  onStep?.('calendar')
  await pool.query(
    `update oss_purges set state = 1, done_time = now() where id = $1 and create_time < now() - ${SETTLED}`,
    [purge.id],
  )
}

/** Removes the expiry dates without remaining rows from the calendar. */
const CALENDAR = `
  update oss_device_days o set expire_days = array(
    select day from unnest(o.expire_days) day where exists (select from oss_segments s where s.expire_day = day
      and s.device_id = o.device_id and s.channel = o.channel and s.day = o.day and s.tenant_id = o.tenant_id
      and s.owner_id = o.owner_id and (o.entitlement_id = 0 or s.entitlement_id = o.entitlement_id)))
  where device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
    and expire_days <> '{}'`

interface Row extends SegmentKey {
  readonly kind: number
  readonly bytes: number
}

/** Removes the objects and the rows of up to 1,000 segments. Returns their number. */
async function removeSome({ pool, media, onStep }: Purging, purge: Purge, day: string): Promise<number> {
  const { rows } = await pool.query<Row>(
    `select expire_day as "expireDay", device_id as "deviceId", channel, kind, start_ms as "startMs", salt, format, bytes
     from oss_segments where ${COVERED} limit ${ROWS_AT_ONCE}`,
    [...parametersOf(purge), day],
  )
  if (rows.length === 0) return 0
  await media.remove(rows.map(formatObjectKey))
  onStep?.('objects')
  await pool.query(
    `with deleted as (delete from oss_segments s using unnest($3::smallint[], $4::smallint[], $5::bigint[]) as x (channel, kind, start_ms)
       where s.expire_day = $1 and s.device_id = $2 and s.channel = x.channel and s.kind = x.kind and s.start_ms = x.start_ms
       returning s.bytes)
     update oss_purges set segments = segments + (select count(*) from deleted),
       bytes = bytes + (select coalesce(sum(bytes), 0) from deleted) where id = $6`,
    [
      day,
      purge.deviceId,
      rows.map(({ channel }) => channel),
      rows.map(({ kind }) => kind),
      rows.map(({ startMs }) => startMs),
      purge.id,
    ],
  )
  onStep?.('rows')
  return rows.length
}
