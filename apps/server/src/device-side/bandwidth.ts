import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '#kernel/fleet/fleet.ts'

const KIB = 1024
/** What a release gives its bandwidth in. */
export const MIB = 1024 * KIB
/** Below this a download takes so long that it is better begun later. */
const LEAST_PER_DOWNLOAD = 32 * KIB
/** A timer that comes late costs nothing as long as it is not later than this. */
const CREDIT_MS = 50
/** Pieces a second and process: fine enough for an even flow, coarse enough to cost nothing. */
const PIECES = 20
/** Lines of releases remembered before those that are gone are forgotten. */
const MAX_LINES = 500

export interface Clock {
  now(): number
  wait(ms: number): Promise<unknown>
}
const realClock: Clock = { now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * Shares so many bytes a second among all that pass through it. Each waits for its next piece, one at a time: they take
 * turns, and no more is in memory than without a limit.
 */
export class Bandwidth {
  readonly perSecond: number
  /** Bytes asked for at once. */
  readonly piece: number
  readonly #clock: Clock
  /** When all that was granted so far has gone through the line. */
  #freeAt = 0

  constructor(bytesPerSecond: number, clock = realClock) {
    this.perSecond = bytesPerSecond
    this.piece = Math.floor(Math.max(16 * KIB, Math.min(256 * KIB, bytesPerSecond / PIECES)))
    this.#clock = clock
  }

  /** Resolves when so many bytes may leave. */
  async take(bytes: number) {
    const now = this.#clock.now()
    const from = Math.max(now - CREDIT_MS, this.#freeAt)
    this.#freeAt = from + (bytes * 1000) / this.perSecond
    if (from > now) await this.#clock.wait(from - now)
  }
}

/**
 * What downloads have to pass through: the line of their release, where it has a limit of its own, and that of the
 * process. Both are looked up for every chunk: who narrows a release means the downloads under way as well.
 */
export class Lines {
  readonly #fleet: Pick<Fleet, 'state'>
  readonly #clock: Clock
  readonly #whole: Bandwidth | undefined
  readonly #ofReleases = new Map<number, Bandwidth>()

  /** `bytesPerSecond` of the process; 0: as fast as it goes. */
  constructor(fleet: Pick<Fleet, 'state'>, bytesPerSecond: number, clock = realClock) {
    this.#fleet = fleet
    this.#clock = clock
    this.#whole = bytesPerSecond > 0 ? new Bandwidth(bytesPerSecond, clock) : undefined
  }

  /** The same bytes, as fast as they may leave. */
  async *paced(otaId: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const lines = [this.#lineOf(otaId), this.#whole].filter((line) => line !== undefined)
      const size = Math.min(chunk.length, ...lines.map(({ piece }) => piece))
      for (let at = 0; at < chunk.length; at += size) {
        const piece = chunk.subarray(at, at + size)
        for (const line of lines) await line.take(piece.length)
        yield piece
      }
    }
  }

  #lineOf(otaId: number) {
    const known = this.#ofReleases.get(otaId)
    const rule = this.#fleet.state.rules.get(otaId)
    // Of a version that was disabled the downloads under way keep to what they had.
    if (!rule) return known
    if (rule.bandwidth === null) {
      this.#ofReleases.delete(otaId)
      return undefined
    }
    const perSecond = rule.bandwidth * MIB
    if (known?.perSecond === perSecond) return known
    if (this.#ofReleases.size >= MAX_LINES) this.#forget()
    const line = new Bandwidth(perSecond, this.#clock)
    this.#ofReleases.set(otaId, line)
    return line
  }

  #forget() {
    for (const otaId of this.#ofReleases.keys()) if (!this.#fleet.state.rules.has(otaId)) this.#ofReleases.delete(otaId)
  }
}

/** Downloads that may share so many bytes a second before each of them would be slower than is useful; one at least. */
export const roomOf = (bytesPerSecond: number) => Math.max(1, Math.floor(bytesPerSecond / LEAST_PER_DOWNLOAD))
