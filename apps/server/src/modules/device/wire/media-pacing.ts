import { Bandwidth, type Clock, type BandwidthLimits } from './bandwidth.ts'
import { DeviceError } from './response.ts'

/** Maximum number of requests of one screen in a minute: 4 MiB chunks at 400 MiB per second. */
const PER_MINUTE = 6000
const MINUTE_MS = 60_000
/** Seconds after which a refused download may be tried again, and their variation. */
const RETRY_FROM = 10
const RETRY_SPAN = 20

interface Parts {
  /** Number of concurrent downloads. */
  readonly downloads: number
  /** Bytes per second of media downloads; 0 when media have no separate limit. */
  readonly bandwidth: number
  readonly lines: BandwidthLimits
  /** True while firmware uses all its places: firmware comes first. */
  readonly isFirmwareFull: () => boolean
  readonly clock: Clock | undefined
}

/** Limits the downloads of media in this process. Firmware downloads have priority. */
export class MediaPacing {
  readonly #parts: Parts
  readonly #line: Bandwidth | undefined
  readonly #calls = new Map<number, number>()
  #minute = 0
  #open = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#line = parts.bandwidth > 0 ? new Bandwidth(parts.bandwidth, parts.clock) : undefined
  }

  /** Counts a request of a screen. Throws when the screen sends too many or no place is free. */
  take(slot: number, now: number) {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#calls.clear()
    this.#minute = minute
    const calls = (this.#calls.get(slot) ?? 0) + 1
    this.#calls.set(slot, calls)
    if (calls > PER_MINUTE) throw new DeviceError(429, 'too many calls', 60)
    const isFull = this.#open >= this.#parts.downloads || this.#parts.isFirmwareFull()
    if (isFull) throw new DeviceError(503, 'wait for other downloads', RETRY_FROM + (slot % RETRY_SPAN))
  }

  begin() {
    this.#open += 1
  }

  end() {
    this.#open -= 1
  }

  /** Yields the bytes of the source within the limits of media and of all downloads. */
  async *paced(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const line = this.#line
    for await (const chunk of this.#parts.lines.paced(0, source)) {
      const size = Math.min(chunk.length, line?.piece ?? chunk.length)
      for (let at = 0; at < chunk.length; at += size) {
        const piece = chunk.subarray(at, at + size)
        await line?.take(piece.length)
        yield piece
      }
    }
  }
}
