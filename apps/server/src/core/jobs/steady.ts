import type { Services } from '#core/services.ts'

const STEADY_RUNS = 7

/**
 * Returns true when the daily job of this kind succeeded seven times in 14 days. The job must store its successful
 * runs. A clock that jumped a year ahead would make all rows too old. A week gives operators time to notice, and
 * keeping rows one week longer is harmless.
 */
export async function hasRunSteadily(
  { database: { pool } }: Pick<Services, 'database'>,
  kind: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ runs: number }>(
    `select count(*)::int as runs from jobs where kind = $1 and state = 'done'
     and finish_time between now() - interval '14 days' and now()`,
    [kind],
  )
  return (rows[0]?.runs ?? 0) >= STEADY_RUNS
}
