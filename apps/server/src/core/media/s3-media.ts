import { S3ServiceException } from '@aws-sdk/client-s3'
import { S3Bucket, type S3Config } from '#core/storage/s3/s3-bucket.ts'
import { type ByteRange, FileMissing } from '#core/storage/store.ts'
import type { MediaFiles } from './media.ts'
import { S3Presigner } from './s3-presign.ts'

const MAX_CONCURRENT_REQUESTS = 8
/** Maximum number of objects in one call of DeleteObjects. */
const REMOVED_AT_ONCE = 1000

/**
 * True when the store does not implement the call, or denies it. For DeleteObjects, Ceph requires a permission on the
 * bucket and not only on its objects.
 */
const isUnavailableCall = (error: unknown) =>
  error instanceof S3ServiceException &&
  (error.name === 'NotImplemented' || [403, 405, 501].includes(error.$metadata.httpStatusCode ?? 0))

/** Stores videos in a bucket. Cameras write with presigned addresses. */
export class S3Media implements MediaFiles {
  readonly kind = 's3'
  readonly hasRoom = true
  readonly #s3: S3Bucket
  readonly #presigner: S3Presigner

  constructor(config: S3Config) {
    this.#s3 = new S3Bucket(config)
    this.#presigner = new S3Presigner(config)
  }

  /** Returns the address for one upload of exactly this size and type. */
  putUrl(key: string, object: { bytes: number; contentType: string; seconds: number; now: number }) {
    const headers = { 'content-length': String(object.bytes), 'content-type': object.contentType }
    return this.#presigner.url({ method: 'PUT', key, seconds: object.seconds, now: object.now, headers })
  }

  /** Returns the address for downloads within this time. */
  getUrl(key: string, { seconds, now }: { seconds: number; now: number }) {
    return this.#presigner.url({ method: 'GET', key, seconds, now })
  }

  async peek(key: string, bytes: number, signal?: AbortSignal) {
    if (bytes === 0) {
      const size = await this.#s3.size(key, signal)
      return size === null ? null : { size, head: Buffer.alloc(0) }
    }
    try {
      return await this.#s3.peek(key, bytes, signal)
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  openRead(key: string, range?: ByteRange) {
    return this.#s3.get(key, range)
  }

  async remove(keys: readonly string[], signal?: AbortSignal) {
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE)
      await this.#removeMany(keys.slice(at, at + REMOVED_AT_ONCE), signal)
  }

  /** Removes the objects with one call, or one by one from a store that does not permit that call. */
  async #removeMany(keys: readonly string[], signal?: AbortSignal) {
    try {
      return await this.#s3.removeMany(keys, signal)
    } catch (error) {
      if (!isUnavailableCall(error)) throw error
    }
    for (let at = 0; at < keys.length; at += MAX_CONCURRENT_REQUESTS)
      await Promise.all(keys.slice(at, at + MAX_CONCURRENT_REQUESTS).map((key) => this.#s3.remove(key, signal)))
  }

  async removePrefix(prefix: string, most: number) {
    const keys: string[] = []
    for await (const { key } of this.#s3.list(prefix, Math.min(most, 1000))) if (keys.push(key) === most) break
    await this.remove(keys)
    return keys.length
  }

  list(prefix: string) {
    return this.#s3.list(prefix)
  }

  check() {
    return this.#s3.check()
  }

  async close() {}
}
