import pg, { type Pool, type PoolClient } from 'pg'
import { sql } from 'drizzle-orm'
import { type NodePgDatabase, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres'
import type { PgDialect } from 'drizzle-orm/pg-core'

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

type Schema = Record<string, never>
type Transaction = NodePgTransaction<Schema, Schema>

/**
 * Replaces drizzle's own `transaction`, which sends BEGIN before its `try`. A connection lost at that moment never
 * returns to the pool, and ten lost connections block the process. Also keeps the first error when ROLLBACK fails.
 * Supports no isolation level, because no caller needs one.
 */
export function replaceDrizzleTransaction(db: NodePgDatabase<Schema>, pool: pg.Pool) {
  const { dialect } = db as unknown as { dialect: PgDialect }
  const transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    const session = new NodePgSession<Schema, Schema>(client, dialect, undefined)
    const tx: Transaction = new NodePgTransaction<Schema, Schema>(dialect, session, undefined)
    let isBroken = false
    try {
      await tx.execute(sql`begin`)
      const result = await work(tx)
      await tx.execute(sql`commit`)
      return result
    } catch (error) {
      await tx.execute(sql`rollback`).catch(() => {
        isBroken = true
      })
      throw error
    } finally {
      client.release(isBroken)
    }
  }
  Object.assign(db, { transaction })
}
