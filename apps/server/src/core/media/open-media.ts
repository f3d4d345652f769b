import { join } from 'node:path'
import type { Logger } from 'pino'
import type { S3Config } from '#core/storage/s3/s3-bucket.ts'
import { RESERVED_FREE_BYTES } from '#core/storage/spool.ts'
import { LocalMedia } from './local-media.ts'
import type { Media } from './media.ts'

interface MediaConfig {
  readonly dataDir: string
  /** Directory for videos; undefined: `media` of the data directory, or the bucket. */
  readonly mediaDir?: string | undefined
  readonly mediaS3?: S3Config | undefined
}

/** Opens the configured store of videos. An unusable directory is logged, and the store then refuses new videos. */
export async function openMedia({ dataDir, mediaDir, mediaS3 }: MediaConfig, log?: Logger): Promise<Media> {
  if (mediaS3) return new (await import('./s3-media.ts')).S3Media(mediaS3)
  const local = new LocalMedia(mediaDir ?? join(dataDir, 'media'), RESERVED_FREE_BYTES, log)
  await local.sweep()
  await local.measure()
  return local
}
