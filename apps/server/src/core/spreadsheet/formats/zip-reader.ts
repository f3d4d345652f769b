import { pipeline, type Readable, Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, open as openFile, type ZipFile } from 'yauzl'
import {
  RATIO_FLOOR_BYTES,
  TABLE_TOO_LARGE,
  type TableLimits,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-limits.ts'

export interface OpenedZip {
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
