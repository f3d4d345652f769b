import { forEachIsolated } from '#core/jobs/isolated.ts'
import { hasRunSteadily } from '#core/jobs/steady.ts'
import type { Services } from '#core/services.ts'

const JOB = 'logRetention'
const LOGS = [
  { table: 'oper_logs', time: 'oper_time' },
  { table: 'login_logs', time: 'login_time' },
] as const
/** Number of future months whose partitions are created. */
const AHEAD = 3

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
  for (const { table, time } of LOGS) {
    await pool.query('select oms_ensure_partitions($1, $2)', [table, AHEAD]).catch((err: unknown) => {
      // Rows with a wrong future time are in the default partition, which prevents the partition of that month. No
      // row is lost.
      log.error({ err, table }, 'partitions of the coming months could not be prepared')
    })
    if (!forget) continue
    const old = await outdated(pool, table, config.logRetentionDays)
    const isolation = { log, kind: JOB, name: (partition: string) => ({ partition }) }
    await forEachIsolated(old, isolation, async (partition) => {
      await pool.query(`drop table "${partition}"`)
      dropped.push(partition)
    })
    await pool.query(`delete from "${table}_other" where ${time} < now() - make_interval(days => $1)`, [
      config.logRetentionDays,
    ])
  }
  return { dropped }
}

/** Returns the names of monthly partitions that ended before the retention period. */
async function outdated(pool: Services['database']['pool'], table: string, days: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i
     join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname = $1 and c.relname ~ ('^' || $1 || '_[0-9]{6}$')
       and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= now() - make_interval(days => $2)
     order by 1`,
    [table, days],
  )
  return rows.map(({ name }) => name)
}
