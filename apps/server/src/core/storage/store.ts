import type { Readable } from 'node:stream'

/** Facts of a file whose bytes are safe on disk. */
export interface StoredFile {
  readonly sha256: string
  readonly md5: string
  readonly sha1: string
  readonly size: number
  /** The first 4,100 bytes, enough to detect the type. */
  readonly head: Uint8Array
}

export interface PutOptions {
  readonly maxBytes?: number
  /** Size and digest declared by the client. A difference throws `FileMismatch` before the file becomes visible. */
  readonly expect?: { readonly size?: number; readonly sha256?: string }
  readonly signal?: AbortSignal
  /** Runs after the digest is known and before the file becomes visible. */
  readonly beforeVisible?: (sha256: string) => Promise<void>
}

/** Byte range with both ends included, as in a Range header. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ListedFile {
  readonly sha256: string
  readonly size: number
  readonly modified: Date
}

/** Stores files by the SHA-256 of their content. Equal content is stored once, and a stored file never changes. */
export interface FileStore {
  /** Stores a file. Resolves when the bytes survive a power failure. Leaves nothing after a rejection. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredFile>
  /** Opens a file. Rejects with `FileMissing` before streaming when the file does not exist. */
  openRead(sha256: string, range?: ByteRange): Promise<Readable>
  stat(sha256: string): Promise<{ readonly size: number } | null>
  /** Removes a file. Removing a missing file is no error. */
  remove(sha256: string): Promise<void>
  list(): AsyncIterable<ListedFile>
  /** Returns the free bytes, or `null` when the backend does not report them. */
  freeBytes(): Promise<number | null>
  /** Rejects when files cannot be stored and read. The readiness probe calls this function. */
  check(): Promise<void>
  /** Removes remains of interrupted `put` calls older than this. Returns their number. */
  sweep(olderThanMs?: number): Promise<number>
}

/** The file has more than `maxBytes` bytes. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** Free space is too low for the file. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
}

/** Size or digest differ from the client's declaration. */
export class FileMismatch extends Error {
  override readonly name = 'FileMismatch'
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing'
}

const SHA256 = /^[0-9a-f]{64}$/

/** Validates a digest, because paths and object keys are built from digests. */
export function assertSha256(sha256: string) {
  if (!SHA256.test(sha256)) throw new FileMissing('Not a sha256 digest')
}
