import { computeRolloutPosition } from '../fleet/match.ts'

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
