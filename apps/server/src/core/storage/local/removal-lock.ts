import pg from 'pg'

/** Advisory lock: a backup holds it shared while it copies files; removal of stored files tries it exclusively. */
const COPYING = '7302515, 5'
/** Class id of the advisory locks of contents. The object id is the hash of the content's digest. */
const CONTENT = 7_302_517

/** Runs `work` while no process of this installation removes stored files. */
export async function withoutFileRemoval<T>(connection: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('set lock_timeout = 0')
    await client.query('set statement_timeout = 0')
    await client.query(`select pg_advisory_lock_shared(${COPYING})`)
    return await work()
  } finally {
    await client.end()
  }
}

/** Claims a content before it is stored, so that cleanup does not remove the file before its row is written. */
export async function claimFileContent(pool: pg.Pool, sha256: string): Promise<void> {
  await pool.query(
    `insert into file_claims (sha256) select $1 from (select pg_advisory_xact_lock(${CONTENT}, hashtext($1))) as locked
     on conflict (sha256) do update set claim_time = now()`,
    [sha256],
  )
}

/**
 * Removes a content without a row or a claim. Returns true when the content was removed. A concurrent upload of the
 * same content waits for the removal. Nothing is removed while a backup copies files.
 */
export async function removeUnused(
  pool: pg.Pool,
  files: { remove(sha256: string): Promise<void> },
  sha256: string,
): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_xact_lock(${COPYING}) as free`)
    await client.query(`select pg_advisory_xact_lock(${CONTENT}, hashtext($1))`, [sha256])
    const { rowCount } = await client.query(
      'select from files where sha256 = $1 union all select from file_claims where sha256 = $1 limit 1',
      [sha256],
    )
    const isUnused = rows[0]?.free === true && rowCount === 0
    if (isUnused) await files.remove(sha256)
    await client.query('commit')
    return isUnused
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
