import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { EnabledRule, OpenTask } from '../fleet/index/state.ts'
import { DeviceError } from './response.ts'
import { MIB, countDownloadsWithinBandwidth } from './bandwidth.ts'
import type { Downloads } from './downloads.ts'
import { computeHeldPollSeconds } from './poll-interval.ts'

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
