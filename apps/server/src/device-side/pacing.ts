import { TASK } from '@oms/contract/ota-task.ts'
import type { Fleet } from '#kernel/fleet/fleet.ts'
import type { LiveRule, OpenTask } from '#kernel/fleet/state.ts'
import { DeviceProblem } from './answer.ts'
import { MIB, roomOf } from './bandwidth.ts'
import type { Downloads } from './downloads.ts'
import { waitSeconds } from './sleep.ts'

/** A task that was fetched this long ago and went silent no longer holds a place among the downloads. */
export const FETCHING_MS = 30 * 60_000

/** After the database said that a release is full nobody asks it again for so long. */
const FULL_MS = 1000

/** Whether a device may begin now, or has to wait for others. Devices that began go on whatever happens. */
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

  /** The database knows better: other processes handed out what this one took to be free. */
  full({ otaId }: LiveRule, now: number) {
    this.#fullUntil.set(otaId, now + FULL_MS)
  }

  /** May one more task of this version be made? */
  mayOffer(rule: LiveRule, now: number) {
    if ((this.#fullUntil.get(rule.otaId) ?? 0) > now) return false
    if (rule.perMinute !== null && this.#fleet.state.handedOut(rule, now) >= rule.perMinute) return false
    return this.#hasRoom(rule, now)
  }

  /** May this device begin with its task? */
  mayFetch(task: OpenTask, now: number) {
    if (task.state !== TASK.offered) return true
    const rule = this.#fleet.state.rules.get(task.otaId)
    return rule ? this.#hasRoom(rule, now) : this.#downloads.count < this.#maxDownloads
  }

  /** What a device is told that has to wait for others. */
  refusal(slot: number) {
    return new DeviceProblem(429, 'wait for others to finish', waitSeconds(this.#fleet.slots.ids[slot]!))
  }

  #hasRoom(rule: LiveRule, now: number) {
    if (this.#downloads.count >= this.#maxDownloads) return false
    if (rule.bandwidth !== null && this.#downloads.countOf(rule.otaId) >= roomOf(rule.bandwidth * MIB)) return false
    if (rule.maxDownloads === null) return true
    let fetching = 0
    for (const at of rule.fetching.values()) if (now - at < FETCHING_MS) fetching += 1
    return fetching < rule.maxDownloads
  }
}
