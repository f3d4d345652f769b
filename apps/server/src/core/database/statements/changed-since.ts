import type pg from 'pg'

/** Returns the current snapshot of the database, which states the transactions that have been committed. */
export async function readSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
  return rows[0]!.snapshot
}

/**
 * Returns the condition for rows whose column `changed` names a transaction that had not been committed at the snapshot.
 * A transaction that stays open for hours does not repeat the rows of the other transactions.
 */
export function changedSince(snapshot: string) {
  const [, next, open] = /^\d{1,20}:(\d{1,20}):([\d,]*)$/.exec(snapshot) ?? []
  if (next === undefined) throw new Error(`not a snapshot: ${snapshot}`)
  return `(changed >= '${next}'::xid8 or changed = any('{${open}}'::xid8[]))`
}
