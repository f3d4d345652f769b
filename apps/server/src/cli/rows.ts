import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { PassThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { quoteIdentifier, type Table } from './catalog.ts'
import { RowsDigest } from './rows-digest.ts'

export type RowsSummary = {
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
