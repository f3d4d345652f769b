import { setTimeout } from 'node:timers/promises'
import { DatabaseError, type Pool } from 'pg'
import type { Logger } from 'pino'
import { runTransaction } from '#core/database/transactions.ts'
import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { MediaFiles } from '#core/media/media.ts'
import { formatDayPrefix, FOLDERS_PER_DAY } from './recordings/segment.ts'

const REMOVED_AT_ONCE = 1000
/**
 * Longest wait for the lock of a table. Every read of recordings queues behind a waiting lock, so the wait is short and
 * repeated. The next run tries again after the last attempt.
 */
const LOCK_TIMEOUT = '150ms'
/** SQLSTATE of an expired `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'
const LOCK_ATTEMPTS = 6
const LOCK_PAUSE_MS = 500

interface Sweep {
  readonly pool: Pool
  readonly media: MediaFiles
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
  /** Called after every step, so that tests can interrupt the job there. */
  readonly onStep?: (step: string) => void
}

/**
 * Deletes everything of the days that are over: objects folder by folder, then the partitions with their sums. Continues
 * where an interrupted run stopped. A day that fails does not stop the others. Returns the deleted days.
 */
export async function removeExpiredDays(
  sweep: Sweep,
  today: string,
): Promise<{ swept: string[]; failedItems: number }> {
  await addUnknownDays(sweep.pool, today)
  const { rows } = await sweep.pool.query<{ expireDay: string; progress: number }>(
    `select expire_day as "expireDay", progress from oss_days where state < 3 and expire_day <= $1 order by expire_day`,
    [today],
  )
  const swept: string[] = []
  const { log, signal } = sweep
  const isolation = { log, signal, kind: 'oss-sweep', name: ({ expireDay }: { expireDay: string }) => ({ expireDay }) }
  const { failed } = await forEachIsolated(rows, isolation, async ({ expireDay, progress }) => {
    await removeObjects(sweep, expireDay, progress)
    await dropWhenUnlocked(sweep, expireDay)
    swept.push(expireDay)
  })
  return { swept, failedItems: failed.length }
}

/**
 * Adds the days without a row since the last deleted day. A restored database does not know the days that were created
 * after its backup, but their objects exist.
 */
const addUnknownDays = (pool: Pool, today: string) =>
  pool.query(
    `insert into oss_days (expire_day)
     select d::date from (select max(expire_day) as last from oss_days where state = 3) o,
       generate_series(o.last, $1::date, '1 day') d
     on conflict do nothing`,
    [today],
  )

async function removeObjects({ pool, media, signal, onStep }: Sweep, expireDay: string, from: number) {
  const note = (state: number, progress: number, objects: number) =>
    pool.query(
      `update oss_days set state = $2, progress = $3, objects = objects + $4, update_time = now() where expire_day = $1`,
      [expireDay, state, progress, objects],
    )
  for (let folder = from; folder < FOLDERS_PER_DAY; folder += 1) {
    let removed = 0
    for (let count = REMOVED_AT_ONCE; count === REMOVED_AT_ONCE; removed += count) {
      signal?.throwIfAborted()
      count = await media.removePrefix(formatDayPrefix(expireDay, folder), REMOVED_AT_ONCE)
      onStep?.(`objects of folder ${folder}`)
    }
    if (removed > 0 || folder === from) await note(1, folder, removed)
  }
  // Removes objects that cameras uploaded during the deletion, and the folder of the day.
  const late = await media.removePrefix(formatDayPrefix(expireDay), REMOVED_AT_ONCE)
  await note(2, FOLDERS_PER_DAY, late)
  onStep?.('objects')
}

/** Drops the partitions of a day, and repeats the attempt while another transaction uses the tables. */
async function dropWhenUnlocked(sweep: Sweep, expireDay: string) {
  for (let attempt = 1; ; attempt += 1) {
    sweep.signal?.throwIfAborted()
    try {
      return await dropDay(sweep, expireDay)
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE)
        throw error
      await setTimeout(LOCK_PAUSE_MS)
    }
  }
}

/**
 * Drops the partitions of a day. Deletes the sums of the day in the same transaction, because dropping a partition
 * fires no triggers.
 */
async function dropDay({ pool, onStep }: Sweep, expireDay: string) {
  const part = expireDay.replaceAll('-', '')
  await runTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; select pg_advisory_xact_lock(7302519, 5)`)
    for (const table of ['oss_segments', 'oss_events']) {
      const name = `${table}_${part}`
      const { rows } = await client.query<{ found: boolean }>(
        `select exists (select from pg_inherits where inhrelid = to_regclass($1) and inhparent = $2::regclass) as found`,
        [name, table],
      )
      // Detaching first keeps the exclusive lock of the parent short.
      if (rows[0]?.found) await client.query(`alter table ${table} detach partition ${name}`)
      onStep?.(`detached ${table}`)
      await client.query(`drop table if exists ${name}`)
      await client.query(`delete from ${table}_other where expire_day = $1`, [expireDay])
    }
    await client.query('delete from oss_stored where expire_day = $1', [expireDay])
    onStep?.('sums')
    await client.query('update oss_days set state = 3, update_time = now() where expire_day = $1', [expireDay])
  })
  onStep?.('dropped')
}

/** Number of coming days whose partitions the job creates. The writer creates them only when the job did not run. */
const AHEAD = 3
/** Age in days after which a month of `oss_device_days` and of its sums is deleted. */
const KEPT_DAYS = 400

/**
 * Creates the partitions of the coming days for all storage times in use, and deletes old months of device days. Returns
 * the number of failed steps.
 */
export const maintainVideoPartitions = ({ pool, log, signal }: Omit<Sweep, 'media'>, today: string) =>
  runSteps(
    { log, kind: 'oss-sweep', signal },
    {
      days: () => pool.query(ENSURE_DAYS, [today, AHEAD]),
      months: () => ensureMonthPartitions(pool, 'oss_device_days'),
      oldMonths: () => dropOldMonths(pool, today),
      oldDays: () => deleteOldDays(pool, today),
    },
  )

const ENSURE_DAYS = `select oms_ensure_video_days(array(
  select distinct $1::date + storage_days + 1 + n from (
    select distinct storage_days from oss_entitlements where state in (0, 1)) s, generate_series(0, $2) n order by 1))`

async function dropOldMonths(pool: Pool, today: string) {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'oss_device_days'::regclass and c.relname ~ '_[0-9]{6}$'
       and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= $1::date - $2::int order by 1`,
    [today, KEPT_DAYS],
  )
  for (const { name } of rows) await pool.query(`drop table "${name}"`)
}

/** Deletes the sums of the months that `oss_device_days` no longer has, each day with a statement of its own. */
async function deleteOldDays(pool: Pool, today: string) {
  const { rows } = await pool.query<{ day: string }>(
    `select distinct day from oss_usage_days where day < date_trunc('month', $1::date - $2::int) order by day`,
    [today, KEPT_DAYS],
  )
  for (const { day } of rows) await pool.query('delete from oss_usage_days where day = $1', [day])
}
