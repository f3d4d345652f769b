import { setTimeout as sleep } from 'node:timers/promises'

const KIB = 1024
/** Below this a download takes so long that it is better begun later. */
export const LEAST_PER_DOWNLOAD = 32 * KIB
/** A timer that comes late costs nothing as long as it is not later than this. */
const CREDIT_MS = 50
/** Pieces a second and process: fine enough for an even flow, coarse enough to cost nothing. */
const PIECES = 20

export interface Clock {
  now(): number
  wait(ms: number): Promise<unknown>
}
const realClock: Clock = { now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * Shares so many bytes a second among all downloads of this process. Each waits for its next piece, one at a time: they
 * take turns, and no more is in memory than without a limit.
 */
export class Bandwidth {
  readonly #perMs: number
  readonly #piece: number
  readonly #clock: Clock
  /** When all that was granted so far has gone through the line. */
  #freeAt = 0

  constructor(bytesPerSecond: number, clock = realClock) {
    this.#perMs = bytesPerSecond / 1000
    this.#piece = Math.floor(Math.max(16 * KIB, Math.min(256 * KIB, bytesPerSecond / PIECES)))
    this.#clock = clock
  }

  /** Resolves when so many bytes may leave. */
  async take(bytes: number) {
    const now = this.#clock.now()
    const from = Math.max(now - CREDIT_MS, this.#freeAt)
    this.#freeAt = from + bytes / this.#perMs
    if (from > now) await this.#clock.wait(from - now)
  }

  /** The same bytes, as fast as they may leave. */
  async *paced(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source)
      for (let at = 0; at < chunk.length; at += this.#piece) {
        const piece = chunk.subarray(at, at + this.#piece)
        await this.take(piece.length)
        yield piece
      }
  }
}
