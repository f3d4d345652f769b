import { DeviceError } from '#modules/device/wire/response.ts'

/** Maximum calls of one MAC in a minute. A correct device waits at least 3 seconds between calls. */
const PER_MINUTE = 60
const MINUTE_MS = 60_000
const MAX_MACS = 200_000
/** Tolerance for rounding errors of the weighted sum. */
const ROUNDING = 1e-6

let minute = 0
/** Calls by MAC in the current clock minute. `previous`: calls in the minute before. */
let current = new Map<string, number>()
let previous = new Map<string, number>()

/**
 * Counts one call of a MAC. Throws when the limit is exceeded. The limit is a sliding window of 60 seconds. It counts
 * the calls of the previous clock minute in proportion to the part of that minute inside the window.
 */
export function countMacCall(mac: string, now: number) {
  moveTo(Math.floor(now / MINUTE_MS))
  const passed = (now % MINUTE_MS) / MINUTE_MS
  const count = current.get(mac) ?? 0
  const before = previous.get(mac) ?? 0
  if (before * (1 - passed) + count + 1 > PER_MINUTE + ROUNDING)
    throw new DeviceError(429, 'too many calls', secondsUntilFree(before, count, passed))
  if (count > 0 || current.size < MAX_MACS) current.set(mac, count + 1)
}

function moveTo(next: number) {
  if (next === minute) return
  previous = next === minute + 1 ? current : new Map()
  current = new Map()
  minute = next
}

/** Returns the seconds until the next call is allowed, if the device sends no other call until then. */
function secondsUntilFree(before: number, count: number, passed: number): number {
  const isThisMinute = count < PER_MINUTE
  const share = isThisMinute ? 1 - (PER_MINUTE - 1 - count) / before : 2 - (PER_MINUTE - 1) / count
  return Math.max(1, Math.ceil(((share - passed) * MINUTE_MS) / 1000))
}
