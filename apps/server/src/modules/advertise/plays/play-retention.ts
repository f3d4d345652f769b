import { type SQL, sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import type { Db } from '#core/database/client.ts'
import { ADD_DAY_SUMS_SQL, DAY_SUM_COLUMNS, lockPlaySums, WIDEN_TIMES_SQL } from './play-sums.ts'

/** Longest wait for a lock. The next run of the job repeats a statement that fails. */
const LOCK_TIMEOUT = '2s'
/** Number of coming days whose partitions are created. */
const AHEAD = 3
/** Age in days after which the sums by day are merged by month, and after which rejected reports are deleted. */
const DAYS_KEPT = 400
const YEARS_KEPT = 3
/** Maximum number of rows that one statement deletes. */
const MAX_DELETED_ROWS = 50_000

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

const names = sql.raw(DAY_SUM_COLUMNS.join(', '))
const sums = sql.raw(DAY_SUM_COLUMNS.map((name) => `sum(${name})`).join(', '))

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
    insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, ${names}, first_start, last_end)
    select date_trunc('month', day)::date, device_id, program_id, ad_id, tenant_id, ${sums},
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
