import { TASK } from '@oms/contract/ota-task.ts'
import type { Fleet } from '#kernel/fleet/fleet.ts'
import type { LiveRule, OpenTask } from '#kernel/fleet/state.ts'
import type { Downloads } from './downloads.ts'

/** A task that was fetched this long ago and went silent no longer holds a place among the downloads. */
const FETCHING_MS = 30 * 60_000

/** Whether a device may begin now, or has to wait for others. Devices that began go on whatever happens. */
export class Pacing {
  readonly #fleet: Fleet
  readonly #downloads: Downloads
  readonly #maxDownloads: number

  constructor(fleet: Fleet, downloads: Downloads, maxDownloads: number) {
    this.#fleet = fleet
    this.#downloads = downloads
    this.#maxDownloads = maxDownloads
  }

  /** May one more task of this version be made? */
  mayOffer(rule: LiveRule, now: number) {
    if (rule.perMinute !== null && this.#fleet.state.handedOut(rule, now) >= rule.perMinute) return false
    return this.#hasRoom(rule, now)
  }

  /** May this device begin with its task? */
  mayFetch(task: OpenTask, now: number) {
    if (task.state !== TASK.offered) return true
    const rule = this.#fleet.state.rules.get(task.otaId)
    return rule ? this.#hasRoom(rule, now) : this.#downloads.count < this.#maxDownloads
  }

  #hasRoom(rule: LiveRule, now: number) {
    if (this.#downloads.count >= this.#maxDownloads) return false
    if (rule.maxDownloads === null) return true
    let fetching = 0
    for (const at of rule.fetching.values()) if (now - at < FETCHING_MS) fetching += 1
    return fetching < rule.maxDownloads
  }
}
