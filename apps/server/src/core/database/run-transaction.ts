import type { Pool, PoolClient } from 'pg'

/**
 * Runs plain SQL statements in one transaction on a connection of the pool. Rolls back when `work` throws, keeps the
 * error of `work`, and closes a connection whose ROLLBACK fails.
 */
export async function runTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}
