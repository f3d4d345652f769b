import { pipeline, Readable, Transform } from 'node:stream'
import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'
import { type Entry, fromBuffer, open as openFile, type ZipFile } from 'yauzl'
import {
  RATIO_FLOOR_BYTES,
  TABLE_TOO_LARGE,
  type TableLimits,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-thread.ts'

interface OpenedZip {
  /** Opens an entry by name; undefined when the entry does not exist. */
  open(name: string): Promise<Readable | undefined>
  close(): void
}

/** Reads the central directory. Refuses an archive whose unpacked size is too large before unpacking anything. */
export async function openZip(source: TableSource, limits: TableLimits): Promise<OpenedZip> {
  const zip = await openZipFile(source)
  try {
    const entries = await contents(zip, limits)
    return {
      close: () => zip.close(),
      open: (name) => {
        const entry = entries.get(name.toLowerCase())
        return entry ? member(zip, entry) : Promise.resolve(undefined)
      },
    }
  } catch (error) {
    zip.close()
    throw error instanceof UnreadableTableError ? error : unreadable(error)
  }
}

const unreadable = (cause: unknown) => new UnreadableTableError('表格内容无法识别', { cause })

function openZipFile(source: TableSource) {
  return new Promise<ZipFile>((resolve, reject) => {
    // Sizes are checked while reading: an entry longer than its declared size fails.
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const
    const done = (error: Error | null, zip?: ZipFile) => (zip ? resolve(zip) : reject(unreadable(error)))
    if ('path' in source) openFile(source.path, options, done)
    else fromBuffer(Buffer.from(source.buffer, source.byteOffset, source.byteLength), options, done)
  })
}

function contents(zip: ZipFile, limits: TableLimits) {
  return new Promise<Map<string, Entry>>((resolve, reject) => {
    const entries = new Map<string, Entry>()
    let count = 0
    let unpacked = 0
    let compressed = 0
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.toLowerCase(), entry)
      count++
      unpacked += entry.uncompressedSize
      compressed += entry.compressedSize
      const bomb = unpacked > RATIO_FLOOR_BYTES && unpacked > compressed * limits.maxRatio
      if (count > limits.maxEntries || unpacked > limits.maxUnpackedBytes || bomb)
        reject(new UnreadableTableError(TABLE_TOO_LARGE))
      else zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })
}

function member(zip: ZipFile, entry: Entry) {
  return new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) =>
      stream ? resolve(pipeline(stream, checksumGuard(entry), () => {})) : reject(unreadable(error)),
    )
  })
}

/** Returns a stream that fails at its end when the bytes do not match the checksum of the archive. */
function checksumGuard({ crc32: expected }: Entry) {
  let sum = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush: (done) => done(sum === expected ? null : new UnreadableTableError('文件已损坏，请重新导出后上传')),
  })
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export interface ZipEntry {
  readonly name: string
  /** A returned chunk is valid only until the next chunk is requested. */
  readonly source: Bytes
  readonly modified?: Date
}

interface Written {
  readonly name: Buffer
  readonly stamp: number
  readonly offset: number
  crc: number
  size: number
  compressed: number
}

const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
/** Flags: sizes follow the data because they are unknown before; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATE = 8

/** Streams a zip archive. Reads one entry at a time without buffering, so memory does not grow. */
export const writeZip = (entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>) =>
  Readable.from(zipChunks(entries), { objectMode: false, highWaterMark: 64 * 1024 })

async function* zipChunks(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>) {
  const written: Written[] = []
  const names = new Set<string>()
  let offset = 0
  for await (const { name, source, modified } of entries) {
    const entry = {
      name: Buffer.from(makeUniqueName(safeName(name), names)),
      stamp: dosTime(modified ?? new Date()),
      offset,
      crc: 0,
      size: 0,
      compressed: 0,
    }
    const header = localHeader(entry)
    yield header
    yield* deflated(source, entry)
    const trailer = descriptor(entry)
    yield trailer
    offset += header.length + entry.compressed + trailer.length
    written.push(entry)
  }
  let directory = 0
  for (const entry of written) {
    const record = centralRecord(entry)
    directory += record.length
    yield record
  }
  yield endRecords(written.length, offset, directory)
}

async function* deflated(source: Bytes, entry: Written) {
  const deflate = createDeflateRaw({ level: 1, chunkSize: 64 * 1024 })
  void feed(source, deflate, entry)
  for await (const chunk of deflate) {
    entry.compressed += (chunk as Buffer).length
    yield chunk as Buffer
  }
}

/** Compresses one chunk at a time and requests the next chunk afterwards, so that the source may reuse its buffer. */
async function feed(source: Bytes, deflate: DeflateRaw, entry: Written) {
  try {
    for await (const chunk of source) {
      entry.crc = crc32(chunk, entry.crc)
      entry.size += chunk.length
      await compressed(deflate, chunk)
    }
    deflate.end()
  } catch (error) {
    // The reading loop receives this error. The error is ignored when the loop has already ended.
    deflate.destroy(error as Error)
  }
}

const compressed = (deflate: DeflateRaw, chunk: Uint8Array) =>
  new Promise<void>((resolve, reject) => {
    deflate.write(chunk, (error) => (error ? reject(error) : resolve()))
  })

function localHeader({ name, stamp }: Written) {
  const header = Buffer.alloc(30 + name.length)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt16LE(DEFLATE, 8)
  header.writeUInt32LE(stamp, 10)
  header.writeUInt16LE(name.length, 26)
  name.copy(header, 30)
  return header
}

function descriptor({ crc, compressed, size }: Written) {
  const wide = compressed >= MAX_32 || size >= MAX_32
  const record = Buffer.alloc(wide ? 24 : 16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc, 4)
  if (wide) {
    record.writeBigUInt64LE(BigInt(compressed), 8)
    record.writeBigUInt64LE(BigInt(size), 16)
  } else {
    record.writeUInt32LE(compressed, 8)
    record.writeUInt32LE(size, 12)
  }
  return record
}

function centralRecord({ name, stamp, crc, compressed, size, offset }: Written) {
  const wide = compressed >= MAX_32 || size >= MAX_32 || offset >= MAX_32
  const record = Buffer.alloc(46 + name.length + (wide ? 28 : 0))
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(wide ? 45 : 20, 4)
  record.writeUInt16LE(wide ? 45 : 20, 6)
  record.writeUInt16LE(FLAGS, 8)
  record.writeUInt16LE(DEFLATE, 10)
  record.writeUInt32LE(stamp, 12)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(wide ? MAX_32 : compressed, 20)
  record.writeUInt32LE(wide ? MAX_32 : size, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(wide ? 28 : 0, 30)
  record.writeUInt32LE(wide ? MAX_32 : offset, 42)
  name.copy(record, 46)
  if (wide) {
    const extra = 46 + name.length
    record.writeUInt16LE(1, extra)
    record.writeUInt16LE(24, extra + 2)
    for (const [at, value] of [size, compressed, offset].entries())
      record.writeBigUInt64LE(BigInt(value), extra + 4 + at * 8)
  }
  return record
}

function endRecords(count: number, offset: number, size: number) {
  const wide = count >= MAX_16 || offset >= MAX_32 || size >= MAX_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, MAX_16), 8)
  end.writeUInt16LE(Math.min(count, MAX_16), 10)
  end.writeUInt32LE(Math.min(size, MAX_32), 12)
  end.writeUInt32LE(Math.min(offset, MAX_32), 16)
  if (!wide) return end
  const large = Buffer.alloc(76)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(45, 12)
  large.writeUInt16LE(45, 14)
  for (const [at, value] of [count, count, size, offset].entries()) large.writeBigUInt64LE(BigInt(value), 24 + at * 8)
  large.writeUInt32LE(0x07064b50, 56)
  large.writeBigUInt64LE(BigInt(offset + size), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, end])
}

/**
 * Returns a safe entry name without absolute paths and `..`, because programs that unpack the archive trust its names.
 */
const safeName = (name: string) =>
  name
    .toWellFormed()
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/') || 'file'

/** Returns an unused entry name: a second `a.txt` becomes `a (2).txt`. */
function makeUniqueName(name: string, names: Set<string>) {
  const [, stem = name, extension = ''] = /^(.*?)(\.[^./]*)?$/s.exec(name) ?? []
  let free = name
  for (let copy = 2; names.has(free.toLowerCase()); copy++) free = `${stem} (${copy})${extension}`
  names.add(free.toLowerCase())
  return free
}

function dosTime(at: Date) {
  const year = Math.min(Math.max(at.getFullYear(), 1980), 2107)
  const day = ((year - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate()
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}
