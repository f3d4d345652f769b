import { join } from 'node:path'
import { LocalStore } from './local/local-store.ts'
import { LocalPartStore } from './local/local-parts.ts'
import type { PartStore } from './part-store.ts'
import type { S3Config } from './s3/s3-bucket.ts'
import { S3PartStore } from './s3/s3-parts.ts'
import { S3Store } from './s3/s3-store.ts'
import type { FileStore } from './store.ts'

export interface FilesConfig {
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
