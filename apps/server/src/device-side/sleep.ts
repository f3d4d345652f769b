import { placeOf } from '#kernel/fleet/match.ts'

const SHORTEST = 1
/** `23:59:59`: clients read exactly eight characters. */
const LONGEST = 86_399
const PLACES = 10_000
/** Waiting for a place among the downloads: one to ten minutes. */
const WAIT_FROM = 60
const WAIT_SPAN = 540
/** With a task under way a device looks in more often, so that it hears of a cancellation. */
const BUSY_SECONDS = 60

/** Somebody stands beside a device that calls for the first time, and is about to tell what it runs. */
const FIRST_SECONDS = 15

const spread = (deviceId: number) => placeOf(deviceId, 0) / PLACES

/** Seconds to the next poll: up to a fifth more or less, always the same for a device, so that they never march in step. */
export const idleSeconds = (deviceId: number, interval: number) => bounded(interval * (0.8 + 0.4 * spread(deviceId)))
export const busySeconds = (deviceId: number, interval: number) =>
  idleSeconds(deviceId, Math.min(interval, BUSY_SECONDS))
export const firstSeconds = (deviceId: number, interval: number) =>
  idleSeconds(deviceId, Math.min(interval, FIRST_SECONDS))
export const waitSeconds = (deviceId: number) => WAIT_FROM + Math.floor(WAIT_SPAN * spread(deviceId))

/** Until a window opens: thrice on the way there, as a clock may be set; not more often than once in half a minute. */
export const shutSeconds = (deviceId: number, interval: number, opensIn: number) =>
  Math.min(idleSeconds(deviceId, interval), Math.max(30, bounded(opensIn / 3)))

const bounded = (seconds: number) => Math.min(LONGEST, Math.max(SHORTEST, Math.round(seconds)))

const two = (value: number) => String(value).padStart(2, '0')

/** `HH:MM:SS`, always eight characters. */
export const sleepText = (seconds: number) =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
