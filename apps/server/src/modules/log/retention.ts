import type { Kernel } from '#kernel/kernel.ts'

const DAY_MS = 86_400_000
const JOB = 'logRetention'
const STEADY_RUNS = 7
const LOGS = [
  { table: 'oper_logs', time: 'oper_time' },
  { table: 'login_logs', time: 'login_time' },
] as const
/** Months prepared ahead. */
const AHEAD = 3

/** Once a day: room for the months to come, and an end to months past keeping. */
export function registerLogRetention(kernel: Kernel) {
  kernel.jobs.register(JOB, async () => keepLogs(kernel, { forget: await isSteady(kernel) }), { everyMs: DAY_MS })
}

/**
 * Has the clock gone on day by day? One that jumped a year ahead would call everything old; a week of runs is time for
 * somebody to notice, and a month kept a week longer harms nobody.
 */
export async function isSteady({ database: { pool } }: Kernel): Promise<boolean> {
  const { rows } = await pool.query<{ runs: number }>(
    `select count(*)::int as runs from jobs where kind = $1 and state = 'done'
     and finish_time between now() - interval '14 days' and now()`,
    [JOB],
  )
  return (rows[0]?.runs ?? 0) >= STEADY_RUNS
}

/** Prepares the months to come and, where `forget`, drops whole months in which every line is older than the retention. */
export async function keepLogs({ database: { pool }, config, log }: Kernel, { forget }: { forget: boolean }) {
  const dropped: string[] = []
  for (const { table, time } of LOGS) {
    await pool.query('select oms_ensure_partitions($1, $2)', [table, AHEAD]).catch((err: unknown) => {
      // Lines of a clock far off lie in the partition for the rest; that month stays there, and nothing is lost.
      log.error({ err, table }, 'partitions of the coming months could not be prepared')
    })
    if (!forget) continue
    for (const partition of await outdated(pool, table, config.logRetentionDays)) {
      await pool.query(`drop table "${partition}"`)
      dropped.push(partition)
    }
    await pool.query(`delete from "${table}_other" where ${time} < now() - make_interval(days => $1)`, [
      config.logRetentionDays,
    ])
  }
  return { dropped }
}

/** Monthly partitions, by their names, that ended before the retention began. */
async function outdated(pool: Kernel['database']['pool'], table: string, days: number): Promise<string[]> {
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
