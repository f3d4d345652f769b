import type { Pool } from 'pg'

/** Number of coming months whose partitions are created. */
const AHEAD = 3

/**
 * Creates the monthly partitions of a table. Throws when a month cannot be created, after all other months were created.
 * Rows of such a month are stored in the default partition.
 */
export async function ensureMonthPartitions(pool: Pool, table: string): Promise<void> {
  const { rows } = await pool.query<{ problem: string }>('select unnest(oms_ensure_partitions($1, $2)) as problem', [
    table,
    AHEAD,
  ])
  if (rows.length > 0) throw new Error(rows.map(({ problem }) => problem).join('; '))
}
