import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { S3Client } from './s3-client.ts'
import { RESERVED_FREE_BYTES, spoolToFile, sweepSpool } from '#core/storage/spool.ts'
import {
  assertSha256,
  type ByteRange,
  FileMismatch,
  type FileStore,
  type ListedFile,
  type PutOptions,
  type StoredFile,
} from '#core/storage/store.ts'

const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 3
const STALE_MS = 60 * 60 * 1000
const FOLDER = 'files/'

/**
 * Stores files at `files/<sha256>` of a bucket. A local temporary file is hashed first, because the digest is the key.
 * A visible object is therefore complete and needs no copy inside the bucket.
 */
export class S3Store implements FileStore {
  readonly #s3: S3Client
  readonly #temporary: string
  readonly #keepFree: number

  constructor(s3: S3Client, temporary: string, keepFree = RESERVED_FREE_BYTES) {
    this.#s3 = s3
    this.#temporary = temporary
    this.#keepFree = keepFree
  }

  async put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}) {
    const { path, file } = await spoolToFile(this.#temporary, source, { ...options, keepFree: this.#keepFree })
    try {
      await options.beforeVisible?.(file.sha256)
      const key = FOLDER + file.sha256
      await this.#upload(path, key, file, options.signal)
      const size = await this.#s3.size(key)
      if (size !== file.size) {
        await this.#s3.remove(key)
        throw new FileMismatch(`The store holds ${size} of ${file.size} bytes`)
      }
      return file
    } finally {
      await rm(path, { force: true })
    }
  }

  async openRead(sha256: string, range?: ByteRange) {
    assertSha256(sha256)
    return this.#s3.get(FOLDER + sha256, range)
  }

  async stat(sha256: string) {
    assertSha256(sha256)
    const size = await this.#s3.size(FOLDER + sha256)
    return size === null ? null : { size }
  }

  async remove(sha256: string) {
    assertSha256(sha256)
    await this.#s3.remove(FOLDER + sha256)
  }

  async *list(): AsyncGenerator<ListedFile> {
    for await (const { key, size, modified } of this.#s3.list(FOLDER))
      yield { sha256: key.slice(FOLDER.length), size, modified }
  }

  async freeBytes() {
    return null
  }

  async check() {
    await mkdir(this.#temporary, { recursive: true })
    await access(this.#temporary, constants.W_OK | constants.X_OK)
    await this.#s3.check()
  }

  async sweep(olderThanMs = STALE_MS) {
    const removed = await sweepSpool(this.#temporary, olderThanMs)
    // Some servers do not list unfinished uploads, and the bucket may have its own cleanup rule.
    const unfinished = await this.#s3.unfinished(FOLDER).catch(() => [])
    const stale = unfinished.filter(({ since }) => Date.now() - since.getTime() >= olderThanMs)
    for (const { key, uploadId } of stale) await this.#s3.abortMultipart(key, uploadId).catch(() => undefined)
    return removed + stale.length
  }

  async #upload(path: string, key: string, { size }: StoredFile, signal?: AbortSignal) {
    const handle = await open(path)
    try {
      if (size <= PART_BYTES) await this.#s3.put(key, await read(handle, 0, size), signal)
      else await this.#uploadParts(handle, key, size, signal)
    } finally {
      await handle.close()
    }
  }

  async #uploadParts(handle: FileHandle, key: string, size: number, signal?: AbortSignal) {
    const uploadId = await this.#s3.startMultipart(key, signal)
    try {
      const etags = Array.from({ length: Math.ceil(size / PART_BYTES) }, () => '')
      await eachAtOnce(etags.length, async (at) => {
        const start = at * PART_BYTES
        const bytes = await read(handle, start, Math.min(PART_BYTES, size - start))
        etags[at] = await this.#s3.putPart(key, uploadId, at + 1, bytes, signal)
      })
      await this.#s3.completeMultipart(key, uploadId, etags, signal)
    } catch (error) {
      await this.#s3.abortMultipart(key, uploadId).catch(() => undefined)
      throw error
    }
  }
}

/**
 * Runs tasks concurrently. After a failure, starts no further task but waits for running tasks, because a part may not
 * arrive after the abort.
 */
async function eachAtOnce(count: number, run: (at: number) => Promise<void>) {
  let next = 0
  const worker = async () => {
    try {
      for (let at = next++; at < count; at = next++) await run(at)
    } catch (error) {
      next = count
      throw error
    }
  }
  for (const outcome of await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, worker)))
    if (outcome.status === 'rejected') throw outcome.reason
}

async function read(handle: FileHandle, start: number, length: number) {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, start + done)
    if (bytesRead === 0) throw new FileMismatch('The temporary file became shorter')
    done += bytesRead
  }
  return bytes
}
