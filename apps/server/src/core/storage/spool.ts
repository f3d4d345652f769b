import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { Digests } from './hash-pool.ts'
import { DiskFull, FileMismatch, FileTooLarge, type PutOptions, type StoredFile } from './store.ts'
import { WriteBehind } from './local/local-files.ts'

const MIB = 1024 * 1024
/** Free space below which uploads are refused, because the database may use the same disk. */
export const RESERVED_FREE_BYTES = 1024 * MIB
const FREE_CHECK_BYTES = 64 * MIB

/** Writes a new temporary file in `directory` and flushes it to disk. Deletes the file after a failure. */
export async function spoolToFile(
  directory: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions & { readonly keepFree?: number } = {},
): Promise<{ readonly path: string; readonly file: StoredFile }> {
  const { expect, maxBytes = Number.POSITIVE_INFINITY, signal, keepFree = RESERVED_FREE_BYTES } = options
  signal?.throwIfAborted()
  if (expect?.size !== undefined && expect.size > maxBytes) throw new FileTooLarge(maxBytes)
  await mkdir(directory, { recursive: true })
  await assertRoom(directory, Math.max(keepFree, 3 * (expect?.size ?? 0)))
  if (signal && source instanceof Readable) addAbortSignal(signal, source)
  const path = join(directory, `${randomUUID()}.part`)
  try {
    const file = await writeHashed(path, source, { maxBytes, signal, checkRoom: () => assertRoom(directory, keepFree) })
    assertExpected(file, expect)
    return { path, file }
  } catch (error) {
    await rm(path, { force: true })
    throw isFull(error) ? new DiskFull('No space left on the device', { cause: error }) : error
  }
}

interface Limits {
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
  checkRoom(): Promise<void>
}

async function writeHashed(path: string, source: AsyncIterable<Uint8Array>, { maxBytes, signal, checkRoom }: Limits) {
  const handle = await open(path, 'wx', 0o640)
  const digests = new Digests()
  try {
    const disk = new WriteBehind(handle)
    let checkAt = FREE_CHECK_BYTES
    for await (const chunk of source) {
      signal?.throwIfAborted()
      if (digests.size + chunk.length > maxBytes) throw new FileTooLarge(maxBytes)
      // Writing and hashing run concurrently.
      const room = disk.add(chunk)
      await digests.add(chunk)
      await room
      if (digests.size >= checkAt) {
        await checkRoom()
        checkAt += FREE_CHECK_BYTES
      }
    }
    const [file] = await Promise.all([digests.end(), disk.end()])
    return file
  } catch (error) {
    digests.abandon()
    throw error
  } finally {
    await handle.close()
  }
}

function assertExpected(file: StoredFile, expect: PutOptions['expect']) {
  if (expect?.size !== undefined && expect.size !== file.size)
    throw new FileMismatch(`Expected ${expect.size} bytes, got ${file.size}`)
  if (expect?.sha256 !== undefined && expect.sha256.toLowerCase() !== file.sha256)
    throw new FileMismatch(`Expected sha256 ${expect.sha256}, got ${file.sha256}`)
}

async function assertRoom(directory: string, needed: number) {
  const free = await readFreeBytes(directory)
  if (free < needed) throw new DiskFull(`${free} bytes free, ${needed} needed`)
}

/** Returns the free bytes for unprivileged users. */
export async function readFreeBytes(directory: string) {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Runs fsync on a directory, so that a rename or a new entry survives a power failure. */
export async function syncDirectory(directory: string) {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Deletes temporary files without writes for this time. Files in use are younger. */
export async function sweepSpool(directory: string, olderThanMs: number) {
  let removed = 0
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    const found = await stat(path).catch(() => null)
    if (!found?.isFile() || !name.endsWith('.part') || Date.now() - found.mtimeMs < olderThanMs) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
