import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import type { FileHandle } from 'node:fs/promises'

/**
 * Creates a folder from the configuration with its parents. Node's recursive `mkdir` loops for ever on file systems
 * that refuse new folders, such as `/proc`.
 */
export function makeDirectory(path: string, mode?: number) {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    makeDirectory(parent, mode)
    mkdirSync(path, { mode })
  }
}

/** Advisory lock: a backup holds it shared while it copies files; removal of stored files tries it exclusively. */
const COPYING = '7302515, 5'
/** Class id of the advisory locks of contents. The object id is the hash of the content's digest. */
const CONTENT = 7_302_517

/** Runs `work` while no process of this installation removes stored files. */
export async function blockFileRemoval<T>(connection: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
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
export async function removeUnusedContents(
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

const MIB = 1024 * 1024
const BEHIND_BYTES = 2 * MIB
const FLUSH_BYTES = 32 * MIB

/** Writes a file while its producer continues: joins small chunks into one write and flushes completed ranges. */
export class WriteBehind {
  readonly #handle: FileHandle
  #queue: Uint8Array[] = []
  #queued = 0
  #sinceFlush = 0
  #writing: Promise<void> | undefined
  #flushing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Adds a chunk. Resolves when the next chunk can be accepted. Rejects with an earlier failure. */
  async add(chunk: Uint8Array) {
    this.#queue.push(chunk)
    this.#queued += chunk.length
    this.#writing ??= this.#drain()
    while (this.#queued > BEHIND_BYTES && !this.#failure) await this.#writing
    if (this.#failure) throw this.#failure.error
  }

  /** Resolves when all bytes are on disk. */
  async end() {
    await this.#writing
    await this.#flushing
    if (this.#failure) throw this.#failure.error
    await this.#handle.sync()
  }

  async #drain() {
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue
        this.#queue = []
        const length = batch.reduce((sum, chunk) => sum + chunk.length, 0)
        await this.#write(batch, length)
        this.#queued -= length
        this.#sinceFlush += length
        this.#flush()
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#writing = undefined
  }

  async #write(batch: Uint8Array[], length: number) {
    const { bytesWritten } = await this.#handle.writev(batch)
    if (bytesWritten === length) return
    // A short write means that the disk is full or that a limit is reached. Writing the rest throws the specific error.
    const rest = Buffer.concat(batch).subarray(bytesWritten)
    for (let done = 0; done < rest.length; ) done += (await this.#handle.write(rest, done)).bytesWritten
  }

  /** Flushes while more data arrives, so that the last flush of a large file is short. */
  #flush() {
    if (this.#sinceFlush < FLUSH_BYTES || this.#flushing) return
    this.#sinceFlush = 0
    this.#flushing = this.#handle.datasync().then(
      () => {
        this.#flushing = undefined
      },
      (error: unknown) => {
        this.#failure = { error }
      },
    )
  }
}
