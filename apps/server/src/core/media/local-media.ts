import { dirname, join } from 'node:path'
import { syncDirectory, readFreeBytes, RESERVED_FREE_BYTES, sweepSpool } from '#core/storage/spool.ts'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, link, mkdir, open, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import { DiskRead } from '#core/storage/local/disk-read.ts'
import { type ByteRange, DiskFull, FileMismatch, FileMissing } from '#core/storage/store.ts'
import { WriteBehind } from '#core/storage/local/local-files.ts'
import { type MediaFiles, WrongContentError } from './media.ts'

/**
 * Runs fsync on folders with new files. While one round runs, the folders of the next round are gathered, so that a
 * folder with many new files is synced once.
 */
export class FolderSync {
  readonly #top: string
  #folders = new Set<string>()
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(top: string) {
    this.#top = top
  }

  /**
   * Resolves when the entries of this folder survive a power failure. `created` is the topmost folder that was created
   * for this file.
   */
  synced(folder: string, created?: string): Promise<void> {
    this.#folders.add(folder)
    if (created !== undefined)
      for (let each = folder; each.length >= created.length && each !== this.#top; each = dirname(each))
        this.#folders.add(dirname(each))
    this.#next ??= this.#running.then(() => this.#startRound())
    return this.#next
  }

  #startRound() {
    const round = this.#syncAll([...this.#folders])
    this.#folders = new Set()
    this.#next = undefined
    // The callers of a failed round get its error. The next round runs all the same.
    this.#running = round.catch(() => {})
    return round
  }

  async #syncAll(folders: readonly string[]) {
    // A folder that the deletion of a day has removed needs no sync.
    const ignoreGone = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    }
    await Promise.all(folders.map((folder) => syncDirectory(folder).catch(ignoreGone)))
  }
}

const STALE_MS = 60 * 60 * 1000
const FREE_CHECK_MS = 5_000
const KEY = /^v\/\d{8}\/[0-9a-f]{2}\/[\w./-]+$/

/** Limits and format check of an object that is about to be stored. */
export interface NewMediaObject {
  /** Exact number of bytes. */
  readonly bytes: number
  /** Number of bytes that `accepts` receives; fewer only when the object is shorter. Default: the first chunk. */
  readonly headBytes?: number
  /** True when the first bytes belong to the announced format. */
  accepts(head: Uint8Array): boolean
}

/** Stores videos in one directory, temporary files in its folder `tmp`. */
export class LocalMedia implements MediaFiles {
  readonly kind = 'local'
  readonly #root: string
  readonly #keepFree: number
  readonly #log: Logger | undefined
  readonly #folders: FolderSync
  #checkedAt = 0
  #hasRoom = true
  #isBroken = false

  constructor(root: string, keepFree = RESERVED_FREE_BYTES, log?: Logger) {
    this.#root = root
    this.#keepFree = keepFree
    this.#log = log
    this.#folders = new FolderSync(root)
  }

  get hasRoom() {
    if (performance.now() - this.#checkedAt >= FREE_CHECK_MS) void this.measure()
    return this.#hasRoom
  }

  /** Measures the free space now. A directory that cannot be created or read counts as full. */
  async measure() {
    this.#checkedAt = performance.now()
    try {
      await mkdir(this.#root, { recursive: true })
      this.#hasRoom = (await readFreeBytes(this.#root)) >= this.#keepFree
      this.#isBroken = false
    } catch (err) {
      this.#hasRoom = false
      if (!this.#isBroken) this.#log?.error({ err, directory: this.#root }, 'directory for videos not usable')
      this.#isBroken = true
    }
  }

  /**
   * Stores an object that survives a power failure. An existing object stays: `same` when its bytes are equal, else
   * `other`.
   */
  async put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    object: NewMediaObject,
  ): Promise<'created' | 'same' | 'other'> {
    const target = this.#path(key)
    const temporary = join(this.#root, 'tmp', `${randomUUID()}.part`)
    try {
      await this.#writeTemporary(temporary, source, object)
      const folder = dirname(target)
      const created = await mkdir(folder, { recursive: true, mode: 0o750 })
      if (!(await isLinked(temporary, target))) return (await areEqual(temporary, target)) ? 'same' : 'other'
      await this.#folders.synced(folder, created)
      return 'created'
    } catch (error) {
      throw isFull(error) ? new DiskFull('No space left on the device', { cause: error }) : error
    } finally {
      await rm(temporary, { force: true })
    }
  }

  async #writeTemporary(path: string, source: AsyncIterable<Uint8Array>, object: NewMediaObject) {
    const handle = await open(path, 'wx', 0o640).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await mkdir(dirname(path), { recursive: true, mode: 0o750 })
      return open(path, 'wx', 0o640)
    })
    await writeObject(handle, source, object)
  }

  async peek(key: string, bytes: number) {
    const handle = await open(this.#path(key)).catch(() => null)
    if (!handle) return null
    try {
      const { size } = await handle.stat()
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
      return { size, head: buffer.subarray(0, bytesRead) }
    } finally {
      await handle.close()
    }
  }

  async openRead(key: string, range?: ByteRange) {
    const handle = await open(this.#path(key)).catch((error: unknown) => {
      throw new FileMissing('No such object', { cause: error })
    })
    return new DiskRead(handle, range)
  }

  async remove(keys: readonly string[]) {
    for (const key of keys) await rm(this.#path(key), { force: true })
    await removeEmpty(keys.map((key) => dirname(this.#path(key))))
  }

  async removePrefix(prefix: string, most: number) {
    const keys: string[] = []
    for await (const { key } of this.list(prefix)) if (keys.push(key) === most) break
    for (const key of keys) await rm(this.#path(key), { force: true })
    if (keys.length < most) await rm(join(this.#root, prefix), { recursive: true, force: true })
    return keys.length
  }

  async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
    const entries = await readdir(join(this.#root, prefix), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      if (entry.isDirectory()) yield* this.list(`${prefix}${entry.name}/`)
      else yield { key: prefix + entry.name, size: (await stat(join(this.#root, prefix, entry.name))).size }
  }

  async check() {
    const temporary = join(this.#root, 'tmp')
    await mkdir(temporary, { recursive: true })
    await access(temporary, constants.W_OK | constants.X_OK)
  }

  /** Deletes the remains of uploads that an earlier process did not finish. */
  sweep(olderThanMs = STALE_MS) {
    return sweepSpool(join(this.#root, 'tmp'), olderThanMs)
  }

  async close() {}

  #path(key: string) {
    if (!KEY.test(key) || key.includes('..')) throw new FileMissing('Not a key of a video')
    return join(this.#root, key)
  }
}

/**
 * Creates a hard link. Returns false when the name exists, also from a simultaneous call; `rename` would replace the
 * file.
 */
const isLinked = (path: string, name: string) =>
  link(path, name).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** Writes an object to a new file and closes the file. */
async function writeObject(
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { bytes, headBytes = 0, accepts }: NewMediaObject,
) {
  try {
    const disk = new WriteBehind(handle)
    let size = 0
    for await (const chunk of joinHead(source, headBytes)) {
      if (size === 0 && !accepts(chunk)) throw new WrongContentError('The content is not of the announced format')
      size += chunk.length
      if (size > bytes) break
      await disk.add(chunk)
    }
    if (size !== bytes) throw new FileMismatch(`Expected ${bytes} bytes, got ${size}`)
    await disk.end()
  } finally {
    await handle.close()
  }
}

/** Yields the chunks of a source. Joins the first chunks until they have `headBytes` bytes. */
async function* joinHead(source: AsyncIterable<Uint8Array>, headBytes: number) {
  const head: Uint8Array[] = []
  let length = 0
  let isJoined = false
  for await (const chunk of source) {
    if (isJoined) {
      yield chunk
      continue
    }
    head.push(chunk)
    length += chunk.length
    isJoined = length >= headBytes
    if (isJoined) yield head.length === 1 ? chunk : Buffer.concat(head)
  }
  if (!isJoined && length > 0) yield Buffer.concat(head)
}

async function areEqual(one: string, other: string) {
  const [a, b] = await Promise.all([readFile(one), readFile(other)])
  return a.equals(b)
}

/** Removes the folders of removed objects, as far as they are empty: of the channel and of the device. */
async function removeEmpty(folders: readonly string[]) {
  for (const folder of new Set(folders))
    for (const each of [folder, dirname(folder)]) {
      const isRemoved = await rmdir(each).then(
        () => true,
        () => false,
      )
      if (!isRemoved) break
    }
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
