import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../fleet/fleet.ts'

const KIB = 1024
/** Unit of the bandwidth of a release. */
export const MIB = 1024 * KIB
/** Minimum rate of a download. At a lower rate the download should start later. */
const LEAST_PER_DOWNLOAD = 32 * KIB
/** Maximum delay of a timer that costs no bandwidth. */
const CREDIT_MS = 50
/** Pieces per second in each process: small enough for an even flow, large enough for a low overhead. */
const PIECES = 20
/** Number of release limits kept before limits of ended releases are removed. */
const MAX_LINES = 500

export interface Clock {
  now(): number
  wait(ms: number): Promise<unknown>
}
const realClock: Clock = { now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * Limits the bytes per second of all downloads that use this object. Each download waits for its next piece, so
 * downloads take turns. Uses no more memory than without a limit.
 */
export class Bandwidth {
  readonly perSecond: number
  /** Bytes of one request. */
  readonly piece: number
  readonly #clock: Clock
  /** Time at which all granted bytes have been sent. */
  #freeAt = 0

  constructor(bytesPerSecond: number, clock = realClock) {
    this.perSecond = bytesPerSecond
    this.piece = Math.floor(Math.max(16 * KIB, Math.min(256 * KIB, bytesPerSecond / PIECES)))
    this.#clock = clock
  }

  /** Resolves when this many bytes may be sent. */
  async take(bytes: number) {
    const now = this.#clock.now()
    const from = Math.max(now - CREDIT_MS, this.#freeAt)
    this.#freeAt = from + (bytes * 1000) / this.perSecond
    if (from > now) await this.#clock.wait(from - now)
  }
}

/**
 * Limits downloads by the bandwidth of their release, if any, and of the process. Reads both limits for every chunk,
 * so that a changed limit applies to active downloads.
 */
export class BandwidthLimits {
  readonly #fleet: Pick<Fleet, 'state'>
  readonly #clock: Clock
  readonly #whole: Bandwidth | undefined
  readonly #ofReleases = new Map<number, Bandwidth>()

  /** `bytesPerSecond` limits the process; 0 for unlimited. */
  constructor(fleet: Pick<Fleet, 'state'>, bytesPerSecond: number, clock = realClock) {
    this.#fleet = fleet
    this.#clock = clock
    this.#whole = bytesPerSecond > 0 ? new Bandwidth(bytesPerSecond, clock) : undefined
  }

  /** Yields the bytes of the source at the permitted rate. */
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
    // Active downloads of a disabled version keep their limit.
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

/** Returns the number of downloads that share this rate at a useful speed; at least one. */
export const countDownloadsWithinBandwidth = (bytesPerSecond: number) =>
  Math.max(1, Math.floor(bytesPerSecond / LEAST_PER_DOWNLOAD))
