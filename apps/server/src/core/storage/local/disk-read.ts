import type { FileHandle } from 'node:fs/promises'
import { OutgoingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from '#core/storage/store.ts'

const PIECE_BYTES = 256 * 1024
/** Number of buffers kept for later responses: 4 MiB in total. */
const MAX_IDLE = 16
const idle: Buffer[] = []

/**
 * Reads a local file or a range of it. Piped into an HTTP response, the reader uses pooled buffers, because allocating
 * buffers per response costs about as much as reading. Other consumers get an ordinary stream and own its chunks.
 */
export class DiskRead extends Readable {
  readonly #file: FileHandle
  readonly #isRange: boolean
  readonly #end: number
  #at: number

  /** Creates a reader that closes `file` at the end. */
  constructor(file: FileHandle, range?: ByteRange) {
    super({ highWaterMark: PIECE_BYTES })
    this.#file = file
    this.#isRange = range !== undefined
    this.#at = range?.start ?? 0
    this.#end = range?.end ?? Number.MAX_SAFE_INTEGER
  }

  override _read() {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(0, this.#end - this.#at + 1)))
    this.#next(piece).then(
      (bytes) => this.push(bytes === 0 ? null : piece.subarray(0, bytes)),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#file.close().then(
      () => done(error),
      (failure: Error) => done(error ?? failure),
    )
  }

  override pipe<T extends NodeJS.WritableStream>(to: T, options?: { end?: boolean }): T {
    if (!(to instanceof OutgoingMessage) || options?.end === false) return super.pipe(to, options)
    this.#send(to).catch((error: Error) => this.destroy(error))
    return to
  }

  /** Reads the next bytes into the buffer. Returns the number of bytes, 0 at the end of the file. */
  async #next(piece: Buffer) {
    const length = Math.min(piece.length, this.#end - this.#at + 1)
    const bytes = length > 0 ? (await this.#file.read(piece, 0, length, this.#at)).bytesRead : 0
    this.#at += bytes
    return bytes
  }

  /**
   * Sends the file with two buffers: one is read while the other is sent. A buffer is reused only after its bytes were
   * sent.
   */
  async #send(response: OutgoingMessage) {
    const pieces = [takeBuffer(), takeBuffer()] as const
    let leaving = Promise.resolve()
    for (let turn = 0; !this.destroyed; turn ^= 1) {
      const piece = pieces[turn]!
      const bytes = await this.#next(piece)
      await leaving
      if (bytes === 0) return this.#finish(response, pieces)
      leaving = writeChunk(response, piece.subarray(0, bytes))
      // Prevents an unhandled rejection: the promise may fail before the code awaits it.
      leaving.catch(() => {})
    }
  }

  #finish(response: OutgoingMessage, pieces: readonly Buffer[]) {
    if (this.#isRange && this.#at <= this.#end) throw new Error('The file is shorter than the range asked for')
    for (const piece of pieces) if (idle.length < MAX_IDLE) idle.push(piece)
    this.push(null)
    this.resume()
    response.end()
  }
}

const takeBuffer = () => idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)

const writeChunk = (response: OutgoingMessage, bytes: Buffer) =>
  new Promise<void>((done, fail) => void response.write(bytes, (error) => (error ? fail(error) : done())))
