import { buffer } from 'node:stream/consumers'
import { AD_MESSAGES, formatPackageProblem } from '@oms/contract/advertise/ad-rules.ts'
import { type Entry, open, type ZipFile } from 'yauzl'
import { FileRefusedError, sanitizeProbedText } from './probe-facts.ts'

const MAX_ENTRIES = 200
const MIB = 1024 * 1024
const MAX_UNPACKED_BYTES = 40 * MIB
const ENCRYPTED = 1
const TYPE_SHIFT = 16
const TYPE_MASK = 0o170000
const SYMLINK = 0o120000

const NAME_PROBLEM = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)/s

const broken = (cause?: unknown) => new FileRefusedError(AD_MESSAGES.pageBroken, { cause })
const refused = (problem: string, cause?: unknown) => new FileRefusedError(formatPackageProblem(problem), { cause })

/**
 * Reads an archive into memory by path. Refuses more than 200 entries, more than 40 MB unpacked, encrypted entries, links
 * and names outside the archive. Declared sizes are added up first, and an entry longer than declared fails.
 */
export async function readArchive(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await opened(path)
  try {
    const entries = await entriesOf(zip)
    const files = new Map<string, Buffer>()
    for (const entry of entries) files.set(entry.fileName, await contentOf(zip, entry))
    return files
  } catch (error) {
    throw error instanceof FileRefusedError ? error : problemOf(error)
  } finally {
    zip.close()
  }
}

/** Converts an error of yauzl to the refusal of the file. */
function problemOf(error: unknown) {
  const [, name] = NAME_PROBLEM.exec(error instanceof Error ? error.message : '') ?? []
  return name === undefined ? broken(error) : refused(`文件名「${sanitizeProbedText(name)}」不能使用`, error)
}

function opened(path: string) {
  return new Promise<ZipFile>((resolve, reject) => {
    // yauzl refuses absolute names, backslashes and `..` in names.
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true } as const
    open(path, options, (error, zip) => (zip ? resolve(zip) : reject(broken(error))))
  })
}

const isFolder = ({ fileName }: Entry) => fileName.endsWith('/')

/** Returns why an entry is refused. */
function entryProblem({ fileName, externalFileAttributes, generalPurposeBitFlag }: Entry): string | undefined {
  if ((generalPurposeBitFlag & ENCRYPTED) !== 0) return `文件「${sanitizeProbedText(fileName)}」已加密`
  const isLink = ((externalFileAttributes >>> TYPE_SHIFT) & TYPE_MASK) === SYMLINK
  return isLink ? `文件「${sanitizeProbedText(fileName)}」是链接` : undefined
}

function entriesOf(zip: ZipFile) {
  return new Promise<Entry[]>((resolve, reject) => {
    const found: Entry[] = []
    let count = 0
    let unpacked = 0
    zip.on('entry', (entry: Entry) => {
      count += 1
      unpacked += entry.uncompressedSize
      const problem =
        count > MAX_ENTRIES
          ? `文件超过${MAX_ENTRIES}个`
          : unpacked > MAX_UNPACKED_BYTES
            ? `解压后超过${MAX_UNPACKED_BYTES / MIB} MB`
            : entryProblem(entry)
      if (problem !== undefined) return reject(refused(problem))
      if (!isFolder(entry)) found.push(entry)
      return zip.readEntry()
    })
    zip.on('end', () => resolve(found))
    zip.on('error', reject)
    zip.readEntry()
  })
}

function contentOf(zip: ZipFile, entry: Entry) {
  return new Promise<Buffer>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      const damaged = (cause: unknown) => reject(refused(`文件「${sanitizeProbedText(entry.fileName)}」已损坏`, cause))
      if (!stream) return damaged(error)
      return buffer(stream).then(resolve, damaged)
    })
  })
}
