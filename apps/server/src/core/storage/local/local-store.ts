import { constants } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DiskRead } from './disk-read.ts'
import { readFreeBytes, RESERVED_FREE_BYTES, spoolToFile, sweepSpool, syncDirectory } from '#core/storage/spool.ts'
import {
  assertSha256,
  type ByteRange,
  FileMissing,
  type FileStore,
  type ListedFile,
  type PutOptions,
} from '#core/storage/store.ts'

const STALE_MS = 60 * 60 * 1000
const PAIR = /^[0-9a-f]{2}$/

/** Stores files at `aa/bb/<sha256>` in one directory and temporary files in `tmp`, both on one file system. */
export class LocalStore implements FileStore {
  readonly #root: string
  readonly #keepFree: number

  constructor(root: string, keepFree = RESERVED_FREE_BYTES) {
    this.#root = root
    this.#keepFree = keepFree
  }

  async put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}) {
    const { path, file } = await spoolToFile(this.#temporary, source, { ...options, keepFree: this.#keepFree })
    try {
      await options.beforeVisible?.(file.sha256)
      const target = this.#path(file.sha256)
      await this.#makeDirectory(dirname(target))
      // Renaming over equal content repairs a damaged copy and renews its age for the cleanup of orphans.
      await rename(path, target)
      await syncDirectory(dirname(target))
      return file
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  async openRead(sha256: string, range?: ByteRange) {
    const handle = await open(this.#path(sha256)).catch(missing)
    return new DiskRead(handle, range)
  }

  async stat(sha256: string) {
    const found = await stat(this.#path(sha256)).catch(() => null)
    return found ? { size: found.size } : null
  }

  async remove(sha256: string) {
    await rm(this.#path(sha256), { force: true })
  }

  async *list(): AsyncGenerator<ListedFile> {
    for (const first of await this.#pairs(this.#root))
      for (const second of await this.#pairs(join(this.#root, first)))
        for (const sha256 of await readdir(join(this.#root, first, second)).catch(() => [])) {
          const found = await stat(join(this.#root, first, second, sha256)).catch(() => null)
          if (found?.isFile()) yield { sha256, size: found.size, modified: found.mtime }
        }
  }

  async freeBytes() {
    await mkdir(this.#root, { recursive: true })
    return readFreeBytes(this.#root)
  }

  async check() {
    await mkdir(this.#temporary, { recursive: true })
    await access(this.#temporary, constants.W_OK | constants.X_OK)
  }

  sweep(olderThanMs = STALE_MS) {
    return sweepSpool(this.#temporary, olderThanMs)
  }

  get #temporary() {
    return join(this.#root, 'tmp')
  }

  #path(sha256: string) {
    assertSha256(sha256)
    return join(this.#root, sha256.slice(0, 2), sha256.slice(2, 4), sha256)
  }

  async #pairs(directory: string) {
    return (await readdir(directory).catch(() => [])).filter((name) => PAIR.test(name)).sort()
  }

  async #makeDirectory(folder: string) {
    // `mkdir` returns the first created folder. The directory entries above it must also survive a power failure.
    const first = await mkdir(folder, { recursive: true, mode: 0o750 })
    if (first === undefined) return
    await syncDirectory(dirname(folder))
    await syncDirectory(this.#root)
  }
}

function missing(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    throw new FileMissing('No such file', { cause: error })
  throw error
}
