import { PLAY_RESULT } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { MAX_OVERLAP_MS } from '../overlap.ts'
import type { PlayRow } from '../plays/play-row.ts'

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

const keyOf = ({ deviceId, from, kind }: Share) => `${deviceId}:${from}:${kind}`

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
    for (const row of rows) occupied.set(keyOf(row), row.ms)
  }
  return occupied
}

/**
 * Splits rows into those that fit into the time of their screens, and the rest. Within one hour a screen shows programs
 * for at most one hour, takeovers for at most one hour and failures for at most one hour. A single play may cross the
 * end of the hour. Reads stored plays only for periods with plays that the overlap check does not limit.
 */
export async function splitFullHours(
  pool: Pick<Pool, 'query'>,
  rows: readonly PlayRow[],
): Promise<{ fitting: PlayRow[]; rest: PlayRow[] }> {
  const shares = new Map(
    rows
      .filter(isUnlimited)
      .map(shareOf)
      .map((share) => [keyOf(share), share]),
  )
  if (shares.size === 0) return { fitting: [...rows], rest: [] }
  const reportIds = rows.map(({ reportId }) => reportId)
  const occupied = await occupiedShares(pool, [...shares.values()], reportIds)
  const fitting: PlayRow[] = []
  const rest: PlayRow[] = []
  for (const row of rows) {
    const share = shareOf(row)
    const key = keyOf(share)
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
