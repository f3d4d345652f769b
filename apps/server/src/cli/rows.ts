import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { PassThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { quote, type Table } from './catalog.ts'

export type Copied = { readonly rows: number; readonly sha256: string }

const listOf = ({ columns }: Table) => columns.map(quote).join(', ')
const selection = (table: Table) => `copy (select ${listOf(table)} from ${quote(table.name)}) to stdout`

/** Lets bytes through and sums them up. */
export function summed(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
}

/** Writes the rows of a table as one compressed member. */
export async function writeRows(client: pg.Client, table: Table, path: string) {
  const [plain, member] = [createHash('sha256'), createHash('sha256')]
  const source = client.query(copyTo(selection(table)))
  const target = createWriteStream(path, { flush: true, mode: 0o600 })
  await pipeline(source, summed(plain), createZstdCompress(), summed(member), target)
  return { rows: source.rowCount, sha256: plain.digest('hex'), memberSha256: member.digest('hex') }
}

export async function loadRows(client: pg.Client, table: Table, path: string): Promise<Copied> {
  const plain = createHash('sha256')
  const target = client.query(copyFrom(`copy ${quote(table.name)} (${listOf(table)}) from stdin`))
  await pipeline(createReadStream(path), createZstdDecompress(), summed(plain), target)
  return { rows: target.rowCount, sha256: plain.digest('hex') }
}

/** What `writeRows` would write, without writing it: equal sums are equal rows. */
export async function sumRows(client: pg.Client, table: Table): Promise<Copied> {
  const plain = createHash('sha256')
  const source = client.query(copyTo(selection(table)))
  await pipeline(source, summed(plain), new PassThrough().resume())
  return { rows: source.rowCount, sha256: plain.digest('hex') }
}

export async function sumFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
