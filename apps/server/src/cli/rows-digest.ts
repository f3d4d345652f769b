import { hash } from 'node:crypto'

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
