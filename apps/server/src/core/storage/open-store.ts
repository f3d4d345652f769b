import { join } from 'node:path'
import { LocalStore } from './local/local-store.ts'
import { LocalPartStore } from './local/local-parts.ts'
import type { PartStore } from './part-store.ts'
import { S3Client, type S3Config } from './s3/s3-client.ts'
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
  const store = s3 ? new S3Store(new S3Client(s3), join(root, 'tmp')) : new LocalStore(root)
  await store.sweep()
  return store
}

/** Opens the store for parts of running uploads. Every process that may receive the next part can access the store. */
export function openUploadPartStore({ dataDir, s3 }: FilesConfig): PartStore {
  const temporary = join(dataDir, 'files', 'tmp')
  return s3 ? new S3PartStore(new S3Client(s3), temporary) : new LocalPartStore(join(dataDir, 'uploads'))
}
