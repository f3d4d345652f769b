import { loadZone } from '@oms/contract/advertise/engine/zone.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const RELOAD_MINUTE = 4 * 60

/** Returns the next instant at which it is 04:00 in the zone of the screen. */
export function nextReloadTime(zoneName: string, now: number) {
  const zone = loadZone(zoneName)
  const minute = Math.floor((now + zone.offsetAt(now)) / MINUTE_MS) % DAY_MINUTES
  const wait = (RELOAD_MINUTE - minute + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  return now + wait * MINUTE_MS
}

/** True when the page can load itself again without a network. */
export const isShellCached = () => Boolean(navigator.serviceWorker?.controller)
