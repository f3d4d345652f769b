import type { Pool, QueryResultRow } from 'pg'

/**
 * Returns the rows of a query that runs without the statement timeout of the pool. For checks that read whole tables,
 * which take minutes on a large installation.
 */
export async function queryWithoutTimeout<R extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin; set local statement_timeout = 0')
    const { rows } = await client.query<R>(text, [...values])
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}
