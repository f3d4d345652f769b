import { createHash } from 'node:crypto'
import { HASH_BUFFER_BYTES, ThreadedHashes } from './hash-pool.ts'
import type { StoredFile } from './store.ts'

/** Number of leading bytes needed to detect the file type. */
export const HEAD_BYTES = 4100

/**
 * Computes the digests of a stream and keeps its first bytes. Small files are hashed here, large files on a worker
 * thread.
 */
export class Digests {
  size = 0
  #head: Uint8Array[] = []
  /** Chunks received before the file became large. */
  #small: Uint8Array[] = []
  #large: ThreadedHashes | undefined

  /** Adds a chunk. Resolves when the next chunk can be accepted. */
  async add(chunk: Uint8Array) {
    if (this.size < HEAD_BYTES) this.#head.push(Uint8Array.prototype.slice.call(chunk, 0, HEAD_BYTES - this.size))
    this.size += chunk.length
    if (this.#large) return this.#large.add(chunk)
    this.#small.push(chunk)
    if (this.size <= HASH_BUFFER_BYTES) return
    this.#large = new ThreadedHashes()
    const before = this.#small
    this.#small = []
    for (const early of before) await this.#large.add(early)
  }

  async end(): Promise<StoredFile> {
    const hashes = this.#large ? await this.#large.end() : this.#hashSmall()
    return { ...hashes, size: this.size, head: Buffer.concat(this.#head) }
  }

  /** Releases the hash state. Call this function instead of `end` when the file failed. */
  abandon() {
    this.#large?.abandon()
  }

  #hashSmall() {
    const [sha256, md5, sha1] = [createHash('sha256'), createHash('md5'), createHash('sha1')]
    for (const chunk of this.#small) for (const hash of [sha256, md5, sha1]) hash.update(chunk)
    return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), sha1: sha1.digest('hex') }
  }
}
