import type { Services } from '#core/services.ts'

const STEADY_RUNS = 7

/**
 * True when the daily job of this kind ran for a week; the job must keep its runs. A clock that jumped a year ahead would
 * make all rows too old. A week gives operators time to notice, and keeping rows one week longer is harmless.
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
