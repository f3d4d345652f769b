import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { computeRolloutPosition } from '../fleet/match.ts'
import type { EnabledRule, OpenTask } from '../fleet/state.ts'
import { MIB, countDownloadsWithinBandwidth, Bandwidth, type Clock, type BandwidthLimits } from './bandwidth.ts'
import { DeviceError } from './response.ts'

/** A fetched task that is silent for this time no longer counts as a download. */
export const FETCH_WINDOW_MS = 30 * 60_000

/** Time without another query after the database reported that a release has no free place. */
const FULL_MS = 1000

/** Decides whether a device may start or must wait for others. Started devices always continue. */
export class Pacing {
  readonly #fleet: Fleet
  readonly #downloads: Downloads
  readonly #maxDownloads: number
  readonly #fullUntil = new Map<number, number>()

  constructor(fleet: Fleet, downloads: Downloads, maxDownloads: number) {
    this.#fleet = fleet
    this.#downloads = downloads
    this.#maxDownloads = maxDownloads
  }

  /** Records that the database has no free place, because other processes used places that seemed free here. */
  full({ otaId }: EnabledRule, now: number) {
    this.#fullUntil.set(otaId, now + FULL_MS)
  }

  /** True when another task of this version may be created. */
  mayOffer(rule: EnabledRule, now: number) {
    if ((this.#fullUntil.get(rule.otaId) ?? 0) > now) return false
    if (rule.perMinute !== null && this.#fleet.state.handedOut(rule, now) >= rule.perMinute) return false
    return this.#hasRoom(rule, now)
  }

  /** True when this device may start its task. */
  mayFetch(task: OpenTask, now: number) {
    if (task.state !== TASK_STATE_CODE.offered) return true
    const rule = this.#fleet.state.rules.get(task.otaId)
    return rule ? this.#hasRoom(rule, now) : this.#downloads.count < this.#maxDownloads
  }

  /** Returns the error for a device that must wait for others. */
  refusal(slot: number) {
    return new DeviceError(429, 'wait for others to finish', computeHeldPollSeconds(this.#fleet.slots.ids[slot]!))
  }

  #hasRoom(rule: EnabledRule, now: number) {
    if (this.#downloads.count >= this.#maxDownloads) return false
    if (
      rule.bandwidth !== null &&
      this.#downloads.countOf(rule.otaId) >= countDownloadsWithinBandwidth(rule.bandwidth * MIB)
    )
      return false
    if (rule.maxDownloads === null) return true
    let fetching = 0
    for (const at of rule.fetching.values()) if (now - at < FETCH_WINDOW_MS) fetching += 1
    return fetching < rule.maxDownloads
  }
}

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

/** Number of tasks kept after their downloads ended. */
const MAX_KEPT = 20_000

interface Entry {
  open: number
  readonly otaId: number
  /** Ids of completely sent components. */
  readonly done: Set<number>
  /** Bytes sent of each component that is read in ranges. */
  readonly pieces: Map<number, number>
  minute: number
  calls: number
}

/** Maximum number of ranges per minute and task: a bundle streamed at 12 MB/s in ranges of 128 KiB. */
const PIECES_PER_MINUTE = 6000

/** Tracks active downloads of this process and the completely sent files of each task. */
export class Downloads {
  #count = 0
  readonly #byTask = new Map<number, Entry>()
  readonly #openOf = new Map<number, number>()

  get count() {
    return this.#count
  }

  /** Counts the active downloads of a version. */
  countOf(otaId: number) {
    return this.#openOf.get(otaId) ?? 0
  }

  isOpen(taskId: number) {
    return (this.#byTask.get(taskId)?.open ?? 0) > 0
  }

  begin(taskId: number, otaId: number) {
    this.#count += 1
    this.#openOf.set(otaId, this.countOf(otaId) + 1)
    if (this.#byTask.size >= MAX_KEPT) for (const id of this.#byTask.keys()) this.forget(id)
    this.#entryOf(taskId, otaId).open += 1
  }

  #entryOf(taskId: number, otaId: number): Entry {
    const known = this.#byTask.get(taskId)
    if (known) return known
    const entry = { open: 0, otaId, done: new Set<number>(), pieces: new Map<number, number>(), minute: 0, calls: 0 }
    this.#byTask.set(taskId, entry)
    return entry
  }

  /** Returns whether the task may fetch another range in this minute. */
  takePiece(taskId: number, otaId: number, now: number): boolean {
    const entry = this.#entryOf(taskId, otaId)
    const minute = Math.floor(now / 60_000)
    if (entry.minute !== minute) Object.assign(entry, { minute, calls: 0 })
    entry.calls += 1
    return entry.calls <= PIECES_PER_MINUTE
  }

  /** Adds the bytes of a range. Returns the bytes of the component sent in ranges so far. */
  sentPiece(taskId: number, componentId: number, bytes: number): number {
    const pieces = this.#byTask.get(taskId)?.pieces
    const sum = (pieces?.get(componentId) ?? 0) + bytes
    pieces?.set(componentId, sum)
    return sum
  }

  /** Ends a download. Returns the number of complete files of the task. */
  end(taskId: number, componentId: number, isComplete: boolean): number {
    this.#count -= 1
    const entry = this.#byTask.get(taskId)
    if (!entry) return 0
    entry.open -= 1
    const left = this.countOf(entry.otaId) - 1
    if (left > 0) this.#openOf.set(entry.otaId, left)
    else this.#openOf.delete(entry.otaId)
    if (isComplete) entry.done.add(componentId)
    return entry.done.size
  }

  forget(taskId: number) {
    if (!this.isOpen(taskId)) this.#byTask.delete(taskId)
  }
}

const SHORTEST = 1
/** `23:59:59`: clients read exactly eight characters. */
const LONGEST = 86_399
const PLACES = 10_000
/** Poll interval while waiting for a download place: one to ten minutes. */
const WAIT_FROM = 60
const WAIT_SPAN = 540
/** Poll interval during a task, shorter so that the device learns of a cancellation. */
const BUSY_SECONDS = 60

/** Poll interval of a new device, which is about to report its version while a technician waits. */
const FIRST_SECONDS = 15

const spread = (deviceId: number) => computeRolloutPosition(deviceId, 0) / PLACES

/**
 * Returns the seconds to the next poll, varied by up to a fifth. The value is constant for each device, so that
 * devices do not synchronise.
 */
export const computeIdlePollSeconds = (deviceId: number, interval: number) =>
  clampSeconds(interval * (0.8 + 0.4 * spread(deviceId)))
export const computeBusyPollSeconds = (deviceId: number, interval: number) =>
  computeIdlePollSeconds(deviceId, Math.min(interval, BUSY_SECONDS))
export const computeFirstPollSeconds = (deviceId: number, interval: number) =>
  computeIdlePollSeconds(deviceId, Math.min(interval, FIRST_SECONDS))
export const computeHeldPollSeconds = (deviceId: number) => WAIT_FROM + Math.floor(WAIT_SPAN * spread(deviceId))

/** Returns a third of the time until the window opens, because device clocks may be wrong; at least half a minute. */
export const computeClosedWindowSeconds = (deviceId: number, interval: number, opensIn: number) =>
  Math.min(computeIdlePollSeconds(deviceId, interval), Math.max(30, clampSeconds(opensIn / 3)))

const clampSeconds = (seconds: number) => Math.min(LONGEST, Math.max(SHORTEST, Math.round(seconds)))

const two = (value: number) => String(value).padStart(2, '0')

/** Formats seconds as `HH:MM:SS`, always eight characters. */
export const formatPollInterval = (seconds: number) =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
