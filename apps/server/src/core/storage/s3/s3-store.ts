import { constants } from 'node:fs'
import { access, mkdir, rm, readFile } from 'node:fs/promises'
import type { S3Bucket } from './s3-bucket.ts'
import { RESERVED_FREE_BYTES, spoolToFile, sweepSpool } from '#core/storage/spool.ts'
import {
  assertSha256,
  type ByteRange,
  FileMismatch,
  type FileStore,
  type ListedFile,
  type PutOptions,
  FileMissing,
} from '#core/storage/store.ts'
import {
  assertUploadId,
  sortParts,
  type PartStore,
  PLAN_FILE_NAME,
  formatPartName,
  parsePartName,
  parsePlan,
  type UploadPart,
  type UploadPlan,
} from '#core/storage/part-store.ts'

const STALE_MS = 60 * 60 * 1000
const FOLDER = 'files/'

/**
 * Stores files at `files/<sha256>` of a bucket. A local temporary file is hashed first, because the digest is the key.
 * A visible object is therefore complete and needs no copy inside the bucket.
 */
export class S3Store implements FileStore {
  readonly #s3: S3Bucket
  readonly #temporary: string
  readonly #keepFree: number

  constructor(s3: S3Bucket, temporary: string, keepFree = RESERVED_FREE_BYTES) {
    this.#s3 = s3
    this.#temporary = temporary
    this.#keepFree = keepFree
  }

  async put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}) {
    const { path, file } = await spoolToFile(this.#temporary, source, { ...options, keepFree: this.#keepFree })
    try {
      await options.beforeVisible?.(file.sha256)
      const key = FOLDER + file.sha256
      await this.#s3.upload(key, path, options.signal)
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
    return removed + (await this.#s3.abortUploads(FOLDER, Date.now() - olderThanMs).catch(() => 0))
  }
}

const PARTS_FOLDER = 'uploads/'

/**
 * Stores parts as objects of a bucket, for processes without a shared directory. Any process may receive the next part.
 */
export class S3PartStore implements PartStore {
  readonly #s3: S3Bucket
  readonly #temporary: string
  readonly #keepFree: number

  constructor(s3: S3Bucket, temporary: string, keepFree = RESERVED_FREE_BYTES) {
    this.#s3 = s3
    this.#temporary = temporary
    this.#keepFree = keepFree
  }

  async savePlan(plan: UploadPlan) {
    await this.#s3.put(folderOf(plan.id) + PLAN_FILE_NAME, Buffer.from(JSON.stringify(plan)))
  }

  async plan(id: string) {
    try {
      const chunks = await (await this.#s3.get(folderOf(id) + PLAN_FILE_NAME)).toArray()
      return parsePlan(Buffer.concat(chunks).toString())
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  async put(
    id: string,
    index: number,
    source: AsyncIterable<Uint8Array>,
    expect: { readonly size: number; readonly sha256?: string },
    signal?: AbortSignal,
  ) {
    const folder = folderOf(id)
    const limits = { expect, maxBytes: expect.size, keepFree: this.#keepFree, ...(signal ? { signal } : {}) }
    // Buffers parts on disk instead of in memory, because twenty slow clients would hold twenty parts in memory.
    const { path, file } = await spoolToFile(this.#temporary, source, limits)
    try {
      const part = { index, sha256: file.sha256, size: file.size }
      await this.#s3.put(folder + formatPartName(part), await readFile(path), signal)
      return part
    } finally {
      await rm(path, { force: true })
    }
  }

  async list(id: string) {
    const folder = folderOf(id)
    const parts: UploadPart[] = []
    for await (const { key, size } of this.#s3.list(folder)) {
      const part = parsePartName(key.slice(folder.length), size)
      if (part) parts.push(part)
    }
    return sortParts(parts)
  }

  open(id: string, part: UploadPart) {
    return this.#s3.get(folderOf(id) + formatPartName(part))
  }

  async drop(id: string) {
    const folder = folderOf(id)
    // Deletes the plan first, so that no further part is accepted.
    await this.#s3.remove(folder + PLAN_FILE_NAME)
    for await (const { key } of this.#s3.list(folder)) await this.#s3.remove(key)
  }

  async *uploads() {
    const touched = new Map<string, Date>()
    for await (const { key, modified } of this.#s3.list(PARTS_FOLDER)) {
      const id = key.slice(PARTS_FOLDER.length).split('/')[0] as string
      const known = touched.get(id)
      if (!known || known < modified) touched.set(id, modified)
    }
    for (const [id, last] of touched) yield { id, touched: last }
  }
}

function folderOf(id: string) {
  assertUploadId(id)
  return `${PARTS_FOLDER}${id}/`
}
