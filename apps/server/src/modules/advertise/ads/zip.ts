import { crc32 } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly bytes: Buffer
}

/** Name, size and CRC-32 of an entry, without its bytes. */
interface ZipEntryFacts {
  readonly name: string
  readonly size: number
  readonly crc: number
}

const UTF8_NAMES = 0x0800
/** Date of every entry, 1980-01-01, so that equal entries make equal bytes. */
const DATE = 0x0021
const VERSION = 20

/** Returns a zip file with uncompressed entries. Equal entries make equal bytes. */
export function createZip(entries: readonly ZipEntry[]): Buffer {
  const { heads, end } = layOutZip(entries.map(({ name, bytes }) => ({ name, size: bytes.length, crc: crc32(bytes) })))
  return Buffer.concat([...entries.flatMap(({ bytes }, at) => [heads[at]!, bytes]), end])
}

/** Returns the bytes of a zip file that precede each uncompressed entry, and the bytes after the last entry. */
export function layOutZip(entries: readonly ZipEntryFacts[]): { heads: Buffer[]; end: Buffer } {
  const heads: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, size, crc } of entries) {
    const encoded = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(VERSION, 0)
    facts.writeUInt16LE(UTF8_NAMES, 2)
    facts.writeUInt16LE(DATE, 8)
    facts.writeUInt32LE(crc, 10)
    facts.writeUInt32LE(size, 14)
    facts.writeUInt32LE(size, 18)
    facts.writeUInt16LE(encoded.length, 22)
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, encoded])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([VERSION, 0]), facts, tail, encoded]))
    heads.push(head)
    offset += head.length + size
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return { heads, end: Buffer.concat([central, end]) }
}
