import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { forEachIsolated, runSteps, hasRunSteadily } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

const JOB = 'logRetention'
const LOGS = [
  { table: 'oper_logs', time: 'oper_time' },
  { table: 'login_logs', time: 'login_time' },
] as const

/** Registers the daily job that creates partitions for future months and drops months beyond the retention. */
export function registerLogRetention(services: Services) {
  const options = { title: '日志保留期处理', cron: '0 30 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 }
  services.jobs.schedule(
    JOB,
    async () => maintainLogPartitions(services, { forget: await mayRemoveOldLogs(services) }),
    options,
  )
}

/** True when old rows may be removed. */
export const mayRemoveOldLogs = (services: Services) => hasRunSteadily(services, JOB)

/**
 * Creates the partitions of future months. With `forget`, drops months whose rows are all older than the retention.
 */
export async function maintainLogPartitions(
  { database: { pool }, config, log }: Services,
  { forget }: { forget: boolean },
) {
  const dropped: string[] = []
  let failedItems = 0
  for (const { table, time } of LOGS) {
    const oldRows = `delete from "${table}_other" where ${time} < now() - make_interval(days => $1)`
    failedItems += await runSteps(
      { log, kind: JOB },
      {
        [`partitions of ${table}`]: () => ensureMonthPartitions(pool, table),
        ...(forget && { [`${table}_other`]: () => pool.query(oldRows, [config.logRetentionDays]) }),
      },
    )
    if (!forget) continue
    const old = await outdated(pool, table, config.logRetentionDays)
    const isolation = { log, kind: JOB, name: (partition: string) => ({ partition }) }
    const { failed } = await forEachIsolated(old, isolation, async (partition) => {
      await pool.query(`drop table "${partition}"`)
      dropped.push(partition)
    })
    failedItems += failed.length
  }
  return { dropped, failedItems }
}

/** Returns the names of monthly partitions that ended before the retention period. */
async function outdated(pool: Services['database']['pool'], table: string, days: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i
     join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname = $1 and c.relname ~ ('^' || $1 || '_[0-9]{6}$')
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => $2)
     order by 1`,
    [table, days],
  )
  return rows.map(({ name }) => name)
}
