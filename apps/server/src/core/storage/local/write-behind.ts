import type { FileHandle } from 'node:fs/promises'

const MIB = 1024 * 1024
const BEHIND_BYTES = 2 * MIB
const FLUSH_BYTES = 32 * MIB

/** Writes a file while its producer continues: joins small chunks into one write and flushes completed ranges. */
export class WriteBehind {
  readonly #handle: FileHandle
  #queue: Uint8Array[] = []
  #queued = 0
  #sinceFlush = 0
  #writing: Promise<void> | undefined
  #flushing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Adds a chunk. Resolves when the next chunk can be accepted. Rejects with an earlier failure. */
  async add(chunk: Uint8Array) {
    this.#queue.push(chunk)
    this.#queued += chunk.length
    this.#writing ??= this.#drain()
    while (this.#queued > BEHIND_BYTES && !this.#failure) await this.#writing
    if (this.#failure) throw this.#failure.error
  }

  /** Resolves when all bytes are on disk. */
  async end() {
    await this.#writing
    await this.#flushing
    if (this.#failure) throw this.#failure.error
    await this.#handle.sync()
  }

  async #drain() {
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue
        this.#queue = []
        const length = batch.reduce((sum, chunk) => sum + chunk.length, 0)
        await this.#write(batch, length)
        this.#queued -= length
        this.#sinceFlush += length
        this.#flush()
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#writing = undefined
  }

  async #write(batch: Uint8Array[], length: number) {
    const { bytesWritten } = await this.#handle.writev(batch)
    if (bytesWritten === length) return
    // A short write means that the disk is full or that a limit is reached. Writing the rest throws the specific error.
    const rest = Buffer.concat(batch).subarray(bytesWritten)
    for (let done = 0; done < rest.length; ) done += (await this.#handle.write(rest, done)).bytesWritten
  }

  /** Flushes while more data arrives, so that the last flush of a large file is short. */
  #flush() {
    if (this.#sinceFlush < FLUSH_BYTES || this.#flushing) return
    this.#sinceFlush = 0
    this.#flushing = this.#handle.datasync().then(
      () => {
        this.#flushing = undefined
      },
      (error: unknown) => {
        this.#failure = { error }
      },
    )
  }
}
