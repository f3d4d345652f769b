import type { Slots } from '../fleet/index/slots.ts'
import { DeviceError } from './response.ts'

/** Requests per minute of one device. A device sends a few dozen during an update. */
const PER_DEVICE = 240
/**
 * Requests per minute from one address: tens of thousands of devices behind one NAT may return at once after a power
 * failure.
 */
const PER_ADDRESS = 60_000
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 100_000
const LOCAL = /^(?:::ffff:)?127\.|^::1$/

/** True for an address of this machine. */
export const isLocalAddress = (ip: string) => LOCAL.test(ip)

/** Counts requests by minute and resets all counters when the next minute begins. */
export class CallLimits {
  #minute = 0
  readonly #addresses = new Map<string, number>()

  /** Throws when an address sends too many requests. Runs before any other check. */
  takeAddress(ip: string, now: number, slots: Slots) {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#addresses.clear()
      slots.calls.fill(0)
    }
    if (isLocalAddress(ip)) return
    const calls = (this.#addresses.get(ip) ?? 0) + 1
    if (calls > PER_ADDRESS) throw tooMany(now)
    if (calls > 1 || this.#addresses.size < MAX_ADDRESSES) this.#addresses.set(ip, calls)
  }

  /** Counts a request of a device. An expensive request counts as several. */
  takeDevice(slot: number, now: number, { calls }: Slots, weight = 1) {
    if (calls[slot]! + weight > PER_DEVICE) throw tooMany(now)
    calls[slot]! += weight
  }
}

const tooMany = (now: number) =>
  new DeviceError(429, 'too many calls', 1 + Math.floor((MINUTE_MS - (now % MINUTE_MS)) / 1000))
