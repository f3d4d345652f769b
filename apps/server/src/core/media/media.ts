import type { Readable } from 'node:stream'
import type { ByteRange } from '#core/storage/store.ts'
import type { LocalMedia } from './local-media.ts'
import type { S3Media } from './s3-media.ts'

/** Operations of every store of videos. Objects have keys, are not shared by content, and are not hashed. */
export interface MediaFiles {
  /** False while new videos are refused for lack of space. */
  readonly hasRoom: boolean
  /** Returns the size and the first bytes of an object; null when the object does not exist. */
  peek(
    key: string,
    bytes: number,
    signal?: AbortSignal,
  ): Promise<{ readonly size: number; readonly head: Buffer } | null>
  /** Opens an object. Rejects with `FileMissing` when the object does not exist. */
  openRead(key: string, range?: ByteRange): Promise<Readable>
  /** Removes objects. Removing a missing object is no error. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>
  /** Removes up to `most` objects below a prefix that ends with `/`. Returns their number: less than `most` at the end. */
  removePrefix(prefix: string, most: number): Promise<number>
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number }>
  /** Rejects when objects cannot be stored and read. */
  check(): Promise<void>
  close(): Promise<void>
}

/** The store of videos: a directory that this process writes to, or a bucket that cameras write to. */
export type Media = LocalMedia | S3Media

/** The content is not of the announced format. */
export class WrongContentError extends Error {
  override readonly name = 'WrongContentError'
}
