import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { advanceQueue } from './queue.ts'
import { saveQueues } from './queue-save.ts'
import { recordQueueChange, loadQueues, type QueueKey } from './queue-store.ts'
import { mergeEqualKeys, mergeVideoSums } from './video/sums.ts'
import { toSeconds } from './entitlements/open-prepare.ts'

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
