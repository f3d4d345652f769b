import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Maximum number of differences that one transaction merges. */
const MAX_MERGED_ROWS = 50_000
/** Advisory lock that lets only one transaction merge or remove sums at a time. */
const SUMS_LOCK = '7302519, 7'

export const lockPlaySums = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${sql.raw(SUMS_LOCK)})`)

/** Columns of the counted values, in the order of the tables. */
export const SUM_COLUMNS = ['plays', 'complete', 'partial', 'failed', 'ms', 'untrusted'] as const

/** Columns of the counted values of `ad_play_days`. */
export const DAY_SUM_COLUMNS = [...SUM_COLUMNS, 'exposure'] as const

const names = sql.raw(SUM_COLUMNS.join(', '))
const sums = sql.raw(SUM_COLUMNS.map((name) => `sum(${name})`).join(', '))
const dayNames = sql.raw(DAY_SUM_COLUMNS.join(', '))
const daySums = sql.raw(DAY_SUM_COLUMNS.map((name) => `sum(${name})`).join(', '))
const buildAssignments = (table: string, columns: readonly string[]) =>
  sql.raw(columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', '))
const ADD_HOUR_SUMS_SQL = buildAssignments('ad_play_hours', SUM_COLUMNS)
/** Assignments that add the new row to the stored row of `ad_play_days`. */
export const ADD_DAY_SUMS_SQL = buildAssignments('ad_play_days', DAY_SUM_COLUMNS)

/**
 * Returns the expression for the exposure of a row of differences in hundredths: plays × audience factor of the screen at
 * the start of the hour. A row contains the plays of one report within an hour, so a finer moment would depend on how a
 * player groups its plays. Plays before the first period of a screen count with its first factor. Plays of a device
 * that was never a screen count with 1. `table` is the name or alias of the differences.
 */
export function buildExposureExpression(table: string): SQL {
  const factor = (order: string, condition = '') =>
    `(select h.audience_factor from ad_screen_periods h where h.device_id = ${table}.device_id ${condition}
      order by h.from_time ${order} limit 1)`
  const atPlay = factor('desc', `and h.from_time < to_timestamp(${table}.hour / 1000.0)`)
  return sql.raw(
    `(${table}.plays + ${table}.untrusted)::bigint * (coalesce(${atPlay}, ${factor('asc')}, 1) * 100)::int`,
  )
}

/** Assignments that widen the first start and last end of a stored row of `ad_play_days`. */
export const WIDEN_TIMES_SQL = sql.raw(`first_start = least(ad_play_days.first_start, excluded.first_start),
  last_end = greatest(ad_play_days.last_end, excluded.last_end)`)

/**
 * Merges the differences of plays into the sums by hour and by day. Each transaction moves differences, so a reader
 * that adds sums and differences gets the same totals before and after. The next run merges differences that are
 * written during this run.
 */
export async function mergePlaySums(
  database: Db,
  atOnce = MAX_MERGED_ROWS,
  signal?: AbortSignal,
): Promise<{ merged: number }> {
  let merged = 0
  for (let count = atOnce; count === atOnce; merged += count) {
    signal?.throwIfAborted()
    count = await database.transaction((db) => mergeSome(db, atOnce))
  }
  return { merged }
}

async function mergeSome(db: Db, atOnce: number): Promise<number> {
  await lockPlaySums(db)
  const { rows } = await db.execute<{ count: number }>(sql`
    with gone as (
      delete from ad_play_fresh where id in (select id from ad_play_fresh order by id limit ${atOnce}) returning *),
    exposed as (select gone.*, ${buildExposureExpression('gone')} as exposure from gone),
    hours as (
      insert into ad_play_hours (hour, tenant_id, program_id, ad_id, model_id, ${names})
      select hour, tenant_id, program_id, ad_id, model_id, ${sums} from gone group by 1, 2, 3, 4, 5
      on conflict (hour, tenant_id, program_id, ad_id, model_id) do update set ${ADD_HOUR_SUMS_SQL}),
    days as (
      insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, ${dayNames}, first_start, last_end)
      select day, device_id, program_id, ad_id, tenant_id, ${daySums}, min(first_start), max(last_end)
      from exposed group by 1, 2, 3, 4, 5
      on conflict (day, device_id, program_id, ad_id, tenant_id) do update set ${ADD_DAY_SUMS_SQL}, ${WIDEN_TIMES_SQL}),
    named as (
      insert into ad_names (kind, id, name, deleted)
      select 3, id, sn, (deleted_at is not null)::int from devices where id in (select device_id from gone)
      on conflict do nothing)
    select count(*)::int as count from gone`)
  return rows[0]!.count
}
