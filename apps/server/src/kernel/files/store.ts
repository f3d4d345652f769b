import type { Readable } from 'node:stream'

/** What is known of a file once its bytes are safe. */
export interface StoredFile {
  readonly sha256: string
  readonly md5: string
  readonly sha1: string
  readonly size: number
  /** The first 4,100 bytes, enough to tell the type by content. */
  readonly head: Uint8Array
}

export interface PutOptions {
  readonly maxBytes?: number
  /** What the sender announced: a difference throws `FileMismatch` before anything becomes visible. */
  readonly expect?: { readonly size?: number; readonly sha256?: string }
  readonly signal?: AbortSignal
}

/** Both ends included, as in a Range header. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ListedFile {
  readonly sha256: string
  readonly size: number
  readonly modified: Date
}

/** Files by the sha256 of their content: the same bytes are stored once, and a stored file never changes. */
export interface FileStore {
  /** Resolves only when the bytes survive a power cut; leaves nothing behind when it rejects. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredFile>
  /** Rejects with `FileMissing`, and not later in the stream, when there is no such file. */
  openRead(sha256: string, range?: ByteRange): Promise<Readable>
  stat(sha256: string): Promise<{ readonly size: number } | null>
  /** Removing what is not there is no error. */
  remove(sha256: string): Promise<void>
  list(): AsyncIterable<ListedFile>
  /** `null` where the backend does not tell. */
  freeBytes(): Promise<number | null>
  /** Rejects while files cannot be stored and read; for the readiness probe. */
  check(): Promise<void>
  /** Removes what an interrupted `put` left behind, once it is older than this; answers how many. */
  sweep(olderThanMs?: number): Promise<number>
}

/** More bytes than `maxBytes` arrived. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** Too little space left to take the file and stay healthy. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
}

/** Size or digest differ from what the sender announced. */
export class FileMismatch extends Error {
  override readonly name = 'FileMismatch'
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing'
}

const SHA256 = /^[0-9a-f]{64}$/

/** Every path and object key is made from a digest, so nothing else may pass here. */
export function assertSha256(sha256: string) {
  if (!SHA256.test(sha256)) throw new FileMissing('Not a sha256 digest')
}
