import { type SQL, sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import type { Db } from '#core/database/client.ts'
import { runSteps, hasRunSteadily } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { formatLocalDay } from '#core/time/zone.ts'

const MERGE = 'ad-play-merge'
const RETENTION = 'ad-play-retention'
/** Maximum number of differences that one transaction merges. */
const MAX_MERGED_ROWS = 50_000
/** Advisory lock that lets only one transaction merge or remove sums at a time. */
const SUMS_LOCK = '7302519, 7'
/** Longest wait for a lock. The next run of the job repeats a statement that fails. */
const LOCK_TIMEOUT = '2s'
/** Number of coming days whose partitions are created. */
const AHEAD = 3
/** Age in days after which the sums by day are merged by month, and after which rejected reports are deleted. */
const DAYS_KEPT = 400
const YEARS_KEPT = 3
/** Maximum number of rows that one statement deletes. */
const MAX_DELETED_ROWS = 50_000

/** Registers the jobs of plays: merging sums every minute, partitions and retention every day. */
export function registerAdPlayJobs(services: Services) {
  let preparedDay = ''
  const merge = async (signal: AbortSignal) => {
    const day = utcDayOf(services)
    // Creates the partitions at the first run of a day, because late reports in a new installation need the partitions
    // of past days.
    const partitions = () => ensurePlayPartitions(services.database.pool, day, services.config.adPlayDays)
    const failedItems = day === preparedDay ? 0 : await runSteps({ log: services.log, kind: MERGE }, { partitions })
    if (failedItems === 0) preparedDay = day
    return { ...(await mergePlaySums(services.database.db, undefined, signal)), failedItems }
  }
  services.jobs.schedule(MERGE, (_job, _progress, signal) => merge(signal), {
    title: '广告播放统计汇总',
    cron: '25 * * * * *',
  })
  services.jobs.schedule(
    RETENTION,
    async () => maintainPlays(services, { forget: await hasRunSteadily(services, RETENTION) }),
    { title: '广告播放记录保留期处理', cron: '0 40 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 },
  )
}

const utcDayOf = ({ now }: Pick<Services, 'now'>) => now().toISOString().slice(0, 10)

/** Prepares partitions. With `forget`, removes plays and sums that are older than their retention. */
async function maintainPlays({ database, config, now, log }: Services, { forget }: { forget: boolean }) {
  const day = utcDayOf({ now })
  let dropped: string[] = []
  const failedItems = await runSteps(
    { log, kind: RETENTION },
    {
      partitions: () => ensurePlayPartitions(database.pool, day, config.adPlayDays),
      ...(forget && {
        sums: () => shrinkPlaySums(database.db, formatLocalDay(now(), config.timeZone), config.timeZone),
        plays: async () => ({ dropped } = await dropOldPlays(database.pool, day, config.adPlayDays)),
      }),
    },
  )
  return { dropped, failedItems }
}

export const lockPlaySums = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${sql.raw(SUMS_LOCK)})`)

/** Columns of the counted values, in the order of the tables. */
export const SUM_COLUMNS = ['plays', 'complete', 'partial', 'failed', 'ms', 'untrusted'] as const

/** Columns of the counted values of `ad_play_days`. */
export const DAY_SUM_COLUMNS = [...SUM_COLUMNS, 'exposure'] as const

const hourNames = sql.raw(SUM_COLUMNS.join(', '))
const hourSums = sql.raw(SUM_COLUMNS.map((name) => `sum(${name})`).join(', '))
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
      insert into ad_play_hours (hour, tenant_id, program_id, ad_id, model_id, ${hourNames})
      select hour, tenant_id, program_id, ad_id, model_id, ${hourSums} from gone group by 1, 2, 3, 4, 5
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

interface Maintenance {
  /** Called after every step. Tests interrupt the job here. */
  readonly onStep?: (step: string) => void
}

/** Creates the missing partitions of the kept days and of the coming days. `today` is a UTC day. */
export async function ensurePlayPartitions(pool: Pool, today: string, keptDays: number, { onStep }: Maintenance = {}) {
  const { rows } = await pool.query<{ day: string; stray: boolean }>(
    `select d::date::text as day, exists (select from ad_plays_other where play_day = d::date) as stray
     from generate_series($1::date - $2::int, $1::date + $3::int, interval '1 day') d
     where to_regclass('ad_plays_' || to_char(d, 'YYYYMMDD')) is null order by 1`,
    [today, keptDays, AHEAD],
  )
  const free = rows.filter(({ stray }) => !stray).map(({ day }) => day)
  if (free.length > 0)
    await withLockTimeout(pool, [['select oms_ensure_play_days($1::date[])', [free]]], () => onStep?.('partitions'))
  for (const { day } of rows.filter(({ stray }) => stray)) {
    await withLockTimeout(pool, strayMoves(day), onStep)
    onStep?.('moved')
  }
}

/**
 * Returns the statements that create the partition of a day. They first move the plays of the day out of the default
 * partition.
 */
const strayMoves = (day: string): Statement[] => [
  ['lock table ad_plays in access exclusive mode'],
  ['create temp table stray_plays on commit drop as select * from ad_plays_other where play_day = $1::date', [day]],
  ['delete from ad_plays_other where play_day = $1::date', [day]],
  ['select oms_ensure_play_days($1::date[])', [[day]]],
  ['insert into ad_plays select * from stray_plays'],
]

/** Drops the single plays older than the retention. Returns the dropped days. */
export async function dropOldPlays(pool: Pool, today: string, keptDays: number, { onStep }: Maintenance = {}) {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'ad_plays'::regclass and c.relname ~ '^ad_plays_[0-9]{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') < $1::date - $2::int order by 1`,
    [today, keptDays],
  )
  for (const { name } of rows) {
    await withLockTimeout(pool, [[`drop table "${name}"`]])
    onStep?.('dropped')
  }
  await pool.query('delete from ad_plays_other where play_day < $1::date - $2::int', [today, keptDays])
  return { dropped: rows.map(({ name }) => name.slice(-8)) }
}

type Statement = readonly [text: string, values?: unknown[]]

/** Runs the statements in one transaction that waits only shortly for locks. */
async function withLockTimeout(pool: Pool, statements: readonly Statement[], onStep?: (step: string) => void) {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`)
    for (const [text, values] of statements) {
      await client.query(text, values)
      onStep?.(text.slice(0, 20))
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Merges the sums of a month into its first day when the whole month is older than 400 days. Removes sums and
 * periods of screens older than three years. `today` is a day of the console's time zone `zone`.
 */
export async function shrinkPlaySums(database: Db, today: string, zone: string, { onStep }: Maintenance = {}) {
  const { rows } = await database.execute<{ day: string }>(sql`
    select distinct day from ad_play_days where day < date_trunc('month', ${today}::date - ${DAYS_KEPT}::int)
      and day <> date_trunc('month', day) order by 1`)
  for (const { day } of rows) {
    await database.transaction((db) => mergeIntoMonth(db, day))
    onStep?.('day')
  }
  const oldest = sql`date_trunc('month', ${today}::date - make_interval(years => ${YEARS_KEPT}))`
  const oldestMoment = sql`${oldest}::timestamp at time zone ${zone}`
  const old = {
    ad_play_days: sql`day < ${oldest}`,
    ad_play_hours: sql`hour < extract(epoch from ${oldestMoment}) * 1000`,
    ad_screen_periods: sql`until_time < ${oldestMoment}`,
    ad_rejects: sql`day < ${today}::date - ${DAYS_KEPT}::int`,
  }
  for (const [table, condition] of Object.entries(old)) {
    await deleteRows(database, table, condition)
    onStep?.(table)
  }
}

/** Merges the sums of a day into the sums of the first day of its month. */
async function mergeIntoMonth(db: Db, day: string) {
  await lockPlaySums(db)
  await db.execute(sql`
    with gone as (delete from ad_play_days where day = ${day} returning *)
    insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, ${dayNames}, first_start, last_end)
    select date_trunc('month', day)::date, device_id, program_id, ad_id, tenant_id, ${daySums},
      min(first_start), max(last_end)
    from gone group by 1, 2, 3, 4, 5
    on conflict (day, device_id, program_id, ad_id, tenant_id) do update set ${ADD_DAY_SUMS_SQL}, ${WIDEN_TIMES_SQL}`)
}

/** Deletes the rows of a condition in short statements. */
async function deleteRows(database: Db, table: string, condition: SQL) {
  const name = sql.identifier(table)
  for (let count = MAX_DELETED_ROWS; count === MAX_DELETED_ROWS; ) {
    const some = sql`select ctid from ${name} where ${condition} limit ${MAX_DELETED_ROWS}`
    count = (await database.execute(sql`delete from ${name} where ctid = any(array(${some}))`)).rowCount ?? 0
  }
}
