import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { toSeconds } from './entitlements/open-prepare.ts'
import { saveQueues } from './queue-save.ts'
import { recordQueueChange, loadQueues, type QueueKey } from './queue-store.ts'
import { advanceQueue } from './queue.ts'

/**
 * Maximum number of queues that one transaction of the scheduled job changes. Computing more at once delays the permits
 * of cameras in the same process.
 */
const MAX_CHANGED_QUEUES = 100
/**
 * Pause after each transaction, as a fraction of its duration. Thousands of packages can end in one minute. Without
 * pauses, the job would take the CPU time that the permits of cameras need.
 */
const PAUSE_SHARE = 0.2
const KIND = 'oss-clock'
const MERGE = 'oss-fold'
/** Advisory lock of the transactions that merge or drop sums: a merge must not save the sums of a dropped day. */
const SUMS_LOCK = '7302519, 5'
/** Maximum number of rows that one transaction merges. */
const MAX_MERGED_ROWS = 50_000

export function registerStorageSchedule(services: Services) {
  services.jobs.schedule(KIND, () => recordDueEntitlements(services), { title: '云存储到期处理', cron: '35 * * * * *' })
  services.jobs.schedule(MERGE, () => mergeStorageSums(services), {
    title: '云存储统计汇总',
    cron: '45 */10 * * * *',
  })
}

/**
 * Records the ends and starts that time has decided, at their true times. When a transaction of many queues fails, each
 * queue gets a transaction of its own, so that one queue does not stop the others.
 */
export async function recordDueEntitlements(services: Services) {
  let queues = 0
  try {
    for (let count = MAX_CHANGED_QUEUES; count === MAX_CHANGED_QUEUES; queues += count) {
      const begin = performance.now()
      count = await recordDue(services)
      if (count === MAX_CHANGED_QUEUES) await sleep((performance.now() - begin) * PAUSE_SHARE)
    }
    return { queues, failedItems: 0 }
  } catch (error) {
    services.log.warn({ err: error, kind: KIND }, 'the due queues are recorded one by one')
  }
  const { rows } = await services.database.db.execute<Due>(sql`${DUE} where ${isDue(services)} order by next_time`)
  const isolation = { log: services.log, kind: KIND, name: ({ deviceId, channel }: Due) => ({ deviceId, channel }) }
  const { done, failed } = await forEachIsolated(rows, isolation, (queue) => recordDue(services, queue))
  return { queues: queues + done, failedItems: failed.length }
}

type Due = QueueKey & Record<string, unknown>
const DUE = sql`select device_id as "deviceId", channel, tenant_id as "tenantId" from oss_queues`
const isDue = ({ now }: Services) => sql`next_time <= to_timestamp(${toSeconds(now())}::float8)`

/** Records the due queues, or only the given one if it is still due. Returns their number. */
const recordDue = (services: Services, only?: Due) =>
  services.database.db.transaction(async (db) => {
    const { events, now, config } = services
    const at = toSeconds(now())
    const given = only ? sql`and device_id = ${only.deviceId} and channel = ${only.channel}` : sql``
    const { rows } = await db.execute<Due>(sql`${DUE} where ${isDue(services)} ${given}
      order by next_time, device_id, channel limit ${MAX_CHANGED_QUEUES} for update skip locked`)
    if (rows.length === 0) return 0
    const works = [...(await loadQueues(db, rows, false)).values()]
    for (const work of works) recordQueueChange(work, advanceQueue(work.queue, at, config.timeZone))
    await saveQueues(db, works, { uid: null, operName: '系统', reason: '到期自动处理', now: at, zone: config.timeZone })
    await events.publish(db, 'changed', { resource: 'oss', tenantId: null })
    return rows.length
  })

/**
 * Merges the appended additions and subtractions in the statistics tables of entitlements and videos. The next run
 * merges the rows that are written during the merge.
 */
export async function mergeStorageSums({ database: { db }, log }: Pick<Services, 'database' | 'log'>) {
  const counts = 'tenant_id, package_id, record_type, source, state'
  const flows = 'day, tenant_id, package_id, source, kind'
  const failedItems = await runSteps(
    { log, kind: MERGE },
    {
      counts: () => mergeEqualKeys(db, { table: 'oss_counts', key: counts, amounts: ['n'] }),
      flows: () => mergeEqualKeys(db, { table: 'oss_flows', key: flows, amounts: ['n', 'amount'] }),
      ends: () => mergeEqualKeys(db, { table: 'oss_ends', key: 'day, tenant_id, package_id', amounts: ['n'] }),
      videos: () => mergeVideoSums(db),
    },
  )
  return { failedItems }
}

const lockVideoSums = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${sql.raw(SUMS_LOCK)})`)

/**
 * Merges the appended additions and subtractions in the statistics tables of videos. The next run merges the rows that
 * are written during the merge.
 */
export async function mergeVideoSums(database: Db, atOnce = MAX_MERGED_ROWS) {
  const key = 'tenant_id, model_id, record_type'
  await mergeEqualKeys(
    database,
    { table: 'oss_stored', key: `expire_day, ${key}`, amounts: ['segments', 'bytes'] },
    atOnce,
  )
  const amounts = ['segments', 'duration_ms', 'bytes', 'device_days']
  const usage = { table: 'oss_usage_days', key: `day, ${key}`, amounts }
  await repeatMerge(database, buildAppendedMerge(usage, atOnce), atOnce)
}

interface SumTable {
  readonly table: string
  /** Columns that identify a sum. */
  readonly key: string
  /** Columns that are summed. */
  readonly amounts: readonly string[]
}

const listSums = (amounts: readonly string[]) => amounts.map((column) => `sum(${column})`).join(', ')

/** Replaces rows of equal keys by their sum. A row whose key is unique is not written again. */
function mergeEqualKeys(database: Db, { table, key, amounts }: SumTable, atOnce = MAX_MERGED_ROWS) {
  const merge = `
    with chosen as (
      select id from (select id, ${key}, count(*) over (partition by ${key}) as equal from ${table}) r
      where equal > 1 order by ${key} limit ${atOnce}),
    deleted as (delete from ${table} using chosen where ${table}.id = chosen.id returning ${table}.*),
    added as (
      insert into ${table} (${key}, ${amounts.join(', ')})
      select ${key}, ${listSums(amounts)} from deleted group by ${key}
      having ${amounts.map((column) => `sum(${column}) <> 0`).join(' or ')})
    select count(*)::int as count from deleted`
  return repeatMerge(database, merge, atOnce)
}

/**
 * Returns the statement that adds the appended rows to the merged row of their key. The statement reads only the appended
 * rows and the merged rows that change, because this table keeps more than a year.
 */
function buildAppendedMerge({ table, key, amounts }: SumTable, atOnce: number): string {
  const changes = amounts.map((column) => `${column} = ${table}.${column} + excluded.${column}`)
  return `
    with appended as (
      delete from ${table} where id in (select id from ${table} where folded = 0 order by id limit ${atOnce}) returning *),
    added as (
      insert into ${table} (${key}, ${amounts.join(', ')}, folded)
      select ${key}, ${listSums(amounts)}, 1 from appended group by ${key}
      on conflict (${key}) where folded = 1 do update set ${changes.join(', ')})
    select count(*)::int as count from appended`
}

/** Repeats a merge of at most `atOnce` rows, each time in a transaction of its own, until fewer rows remain. */
async function repeatMerge(database: Db, merge: string, atOnce: number) {
  for (let count = atOnce; count >= atOnce; )
    count = await database.transaction(async (db) => {
      await lockVideoSums(db)
      const { rows } = await db.execute<{ count: number }>(sql.raw(merge))
      return rows[0]!.count
    })
}
