import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { CommandError } from './command.ts'
import pg from 'pg'
import { hash, createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { PassThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

const digest = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * Manifest of a backup. The manifest is written last, so a folder without it is no backup. Format 1 has no
 * `rowsDigest`: its tables are compared only by loaded bytes and number of rows.
 */
const manifest = z.object({
  format: z.union([z.literal(1), z.literal(2)]),
  takenAt: z.string(),
  postgres: z.string(),
  migrations: z.array(z.object({ tag: z.string(), checksum: z.string() })),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.number(),
      /** Digest of the uncompressed rows. */
      sha256: digest,
      /** Digest of the set of rows, see `RowsDigest`. */
      rowsDigest: digest.optional(),
      /** Digest of the compressed file in the folder. */
      memberSha256: digest,
    }),
  ),
  partitions: z.array(z.object({ name: z.string(), parent: z.string(), bound: z.string() })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), called: z.boolean() })),
  files: z.array(z.object({ sha256: digest, size: z.number() })),
  /** True when the folder contains the key that encrypts secrets in the rows; false when the operator keeps the key. */
  secretKey: z.boolean(),
})

export type Manifest = z.output<typeof manifest>

export const BACKUP_MANIFEST_FILE = 'manifest.json'
export const SECRET_KEY = 'secret.key'
export const rowsPath = (folder: string, table: string) => join(folder, 'rows', `${table}.copy.zst`)
export const filePath = (folder: string, sha256: string) => join(folder, 'files', sha256.slice(0, 2), sha256)

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, BACKUP_MANIFEST_FILE), 'utf8').catch(() => {
    throw new CommandError(`${folder} 不是完整的备份：没有 ${BACKUP_MANIFEST_FILE}`)
  })
  const parsed = manifest.safeParse(JSON.parse(text))
  if (!parsed.success) throw new CommandError(`${folder} 的 ${BACKUP_MANIFEST_FILE} 读不懂，可能由更新的程序生成`)
  return parsed.data
}

type Table = { readonly name: string; readonly columns: string[] }

export const quoteIdentifier = (name: string) => pg.escapeIdentifier(name)

/** Opens a session without time limits and with fixed output formats. */
export async function openSession(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
     set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
     set row_security = off; set synchronize_seqscans = off; set max_parallel_workers_per_gather = 0`,
  )
  return client
}

/** Table in the target of a restore that lists the rows and files added so far. */
export const RESTORE_TABLE = 'restore_in_progress'

/** Returns every table with its own rows. Rows of partitions are read through their parent. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, coalesce(json_agg(a.attname order by a.attnum)
        filter (where a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '[]') as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('schema_migrations', $1)
     group by c.relname order by c.relname`,
    [RESTORE_TABLE],
  )
  return rows
}

export async function listPartitions(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string; parent: string; bound: string }>(
    `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relispartition order by c.relname`,
  )
  return rows
}

/**
 * Returns the values of all sequences. Read after the rows: sequences do not belong to a snapshot, and larger values do
 * no harm.
 */
export async function readSequences(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  )
  const sequences: { name: string; value: string; called: boolean }[] = []
  for (const { name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoteIdentifier(name)}`,
    )
    sequences.push(...state.rows.map((row) => ({ name, ...row })))
  }
  return sequences
}

export async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${quoteIdentifier(name)}`,
  ])
  return rows[0]?.found === true
}

const NEWLINE = 0x0a
const LANES = 8

/**
 * Digest of rows in COPY text format that does not depend on their order: the sum of the SHA-256 of every row, in eight
 * lanes of 32 bits. PostgreSQL returns rows in physical order, which differs after a restore. An order by text columns
 * would depend on the collation of each database.
 */
export class RowsDigest {
  readonly #sum = new Uint32Array(LANES)
  #rows = 0
  /** Bytes of an incomplete row. */
  #rest: Buffer[] = []

  /** Adds the next bytes of the stream. COPY escapes newlines in values, so a newline byte always ends a row. */
  update(chunk: Buffer) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(this.#rest.length > 0 ? this.#join(chunk.subarray(start, end)) : chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start))
  }

  /** Number of complete rows, and of the last row after `digest`. */
  get rows(): number {
    return this.#rows
  }

  digest(): string {
    if (this.#rest.length > 0) this.#add(this.#join(Buffer.alloc(0)))
    return Array.from(this.#sum, (lane) => lane.toString(16).padStart(8, '0')).join('')
  }

  #join(last: Buffer): Buffer {
    const row = Buffer.concat([...this.#rest, last])
    this.#rest = []
    return row
  }

  #add(row: Buffer) {
    this.#rows += 1
    const digest = hash('sha256', row, 'buffer')
    for (let lane = 0; lane < LANES; lane += 1)
      this.#sum[lane] = ((this.#sum[lane] ?? 0) + digest.readUInt32LE(lane * 4)) >>> 0
  }
}

type RowsSummary = {
  readonly rows: number
  /** Digest of the set of rows, independent of their order. */
  readonly rowsDigest: string
}

const listOf = ({ columns }: Table) => columns.map(quoteIdentifier).join(', ')
// The stream of `copyTo` may end before its `rowCount` is set, so the digest counts the rows.
const selection = (table: Table) => `copy (select ${listOf(table)} from ${quoteIdentifier(table.name)}) to stdout`

/** Passes bytes through and updates the digest with them. */
export function createDigestStream(digest: Pick<Hash, 'update'> | RowsDigest): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
}

/** Writes the rows of a table to a compressed file. */
export async function writeRows(client: pg.Client, table: Table, path: string) {
  const [plain, member, rows] = [createHash('sha256'), createHash('sha256'), new RowsDigest()]
  const source = client.query(copyTo(selection(table)))
  const target = createWriteStream(path, { flush: true, mode: 0o600 })
  await pipeline(
    source,
    createDigestStream(plain),
    createDigestStream(rows),
    createZstdCompress(),
    createDigestStream(member),
    target,
  )
  const memberSha256 = member.digest('hex')
  return { rows: rows.rows, sha256: plain.digest('hex'), rowsDigest: rows.digest(), memberSha256 }
}

/** Loads the file that `writeRows` wrote; returns the SHA-256 of the uncompressed bytes. */
export async function loadRows(client: pg.Client, table: Table, path: string): Promise<string> {
  const plain = createHash('sha256')
  const target = client.query(copyFrom(`copy ${quoteIdentifier(table.name)} (${listOf(table)}) from stdin`))
  await pipeline(createReadStream(path), createZstdDecompress(), createDigestStream(plain), target)
  return plain.digest('hex')
}

/** Reads all rows of a table. Two tables with equal rows have equal digests, in whatever order the rows are stored. */
export async function summarizeRows(client: pg.Client, table: Table): Promise<RowsSummary> {
  const digest = new RowsDigest()
  const source = client.query(copyTo(selection(table)))
  await pipeline(source, createDigestStream(digest), new PassThrough().resume())
  return { rows: digest.rows, rowsDigest: digest.digest() }
}

export async function computeFileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
