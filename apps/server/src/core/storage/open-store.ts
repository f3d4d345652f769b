import type { FileStore, PutOptions, StoredFile, ByteRange } from './store.ts'
import type pg from 'pg'
import { claimFileContent } from './local/local-files.ts'
import { join } from 'node:path'
import { LocalStore } from './local/local-store.ts'
import { LocalPartStore } from './local/local-parts.ts'
import type { PartStore } from './part-store.ts'
import type { S3Config } from './s3/s3-bucket.ts'
import { S3PartStore, S3Store } from './s3/s3-store.ts'

async function* iterateOnce(bytes: Uint8Array) {
  yield bytes
}

/** Stores bytes that are already in memory. */
export const putBytes = (files: FileStore, bytes: Uint8Array, options?: PutOptions): Promise<StoredFile> =>
  files.put(iterateOnce(bytes), options)

/** A file store whose `put` claims the content before it becomes visible, see `claimFileContent`. */
export class ClaimingStore implements FileStore {
  readonly #store: FileStore
  readonly #pool: pg.Pool

  constructor(store: FileStore, pool: pg.Pool) {
    this.#store = store
    this.#pool = pool
  }

  put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}) {
    return this.#store.put(source, { ...options, beforeVisible: (sha256) => claimFileContent(this.#pool, sha256) })
  }

  openRead(sha256: string, range?: ByteRange) {
    return this.#store.openRead(sha256, range)
  }

  stat(sha256: string) {
    return this.#store.stat(sha256)
  }

  remove(sha256: string) {
    return this.#store.remove(sha256)
  }

  list() {
    return this.#store.list()
  }

  freeBytes() {
    return this.#store.freeBytes()
  }

  check() {
    return this.#store.check()
  }

  sweep(olderThanMs?: number) {
    return this.#store.sweep(olderThanMs)
  }
}

interface FilesConfig {
  readonly dataDir: string
  readonly s3?: S3Config | undefined
}

/** Opens the configured store and deletes incomplete files of an earlier process. */
export async function openFileStore({ dataDir, s3 }: FilesConfig): Promise<FileStore> {
  const root = join(dataDir, 'files')
  const store = s3 ? new S3Store(await openBucket(s3), join(root, 'tmp')) : new LocalStore(root)
  await store.sweep()
  return store
}

/** Opens the store for parts of running uploads. Every process that may receive the next part can access the store. */
export async function openUploadPartStore({ dataDir, s3 }: FilesConfig): Promise<PartStore> {
  const temporary = join(dataDir, 'files', 'tmp')
  return s3 ? new S3PartStore(await openBucket(s3), temporary) : new LocalPartStore(join(dataDir, 'uploads'))
}

/** Loads the S3 library only where it is used: it needs 20 MB of memory. */
async function openBucket(config: S3Config) {
  const { S3Bucket } = await import('./s3/s3-bucket.ts')
  return new S3Bucket(config)
}
