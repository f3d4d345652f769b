import type { IncomingMessage } from 'node:http'
import { readClientAddress } from '#core/http/forwarded.ts'
import { readRequestId } from '#core/http/request-log.ts'
import type { Services } from '#core/services.ts'
import type { Slots } from '../fleet/slots.ts'
import { DeviceError, type RefusalReason } from './response.ts'

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

/** Log lines per minute, address and reason: a device with a wrong token repeats its requests for ever. */
const LINES = 10
const MAX_KEYS = 10_000

/** Paths whose next part is a credential: an upload ticket, the key of a SMIL player, a signed firmware link. */
const BEFORE_CREDENTIAL = /^(\/device\/v1\/(?:storage\/segment|ad\/smil)|\/xiaozhi\/otaMag\/download)\/+[^/]+/
/** Serials have at most 64 characters. A longer part may be a credential that was sent to a wrong path. */
const LONG_PART = /[^/%]{65,}/g

/** Replaces credentials in a path by `***`. Tenant and serial stay readable. */
export const maskCredentials = (path: string) => path.replace(BEFORE_CREDENTIAL, '$1/***').replace(LONG_PART, '***')

/** Logs why callers get 401. The response never contains the reason. */
export class RefusalLog {
  readonly #services: Pick<Services, 'log' | 'config'>
  readonly #lines = new Map<string, number>()
  #since = 0

  constructor(services: Pick<Services, 'log' | 'config'>) {
    this.#services = services
  }

  note(request: IncomingMessage, reason: RefusalReason) {
    const { log, config } = this.#services
    const now = Date.now()
    if (now - this.#since > MINUTE_MS || this.#lines.size > MAX_KEYS) {
      this.#lines.clear()
      this.#since = now
    }
    const ip = readClientAddress(request, config.trustProxy)
    const key = `${ip} ${reason}`
    const lines = (this.#lines.get(key) ?? 0) + 1
    this.#lines.set(key, lines)
    if (lines > LINES) return
    const path = maskCredentials((request.url ?? '').split('?', 1)[0]!).slice(0, 200)
    const reqId = readRequestId(request.headers)
    log.warn({ reason, ip, path, reqId }, lines === LINES ? 'device refused; more like this follow' : 'device refused')
  }
}

/**
 * Minimum time between the starts of two runs, in milliseconds. Anyone can cause runs with wrong credentials, so the
 * number of runs must not depend on the number of calls.
 */
const SPACING_MS = 1000
/** Maximum number of calls that wait for a run. */
const MAX_WAITING = 200

/**
 * Runs a synchronisation for calls with credentials that are unknown to this process. At most one run starts in a second,
 * and all calls before its start share the run.
 */
export class ThrottledSync {
  readonly #sync: () => Promise<void>
  #next: Promise<void> | undefined
  #startedAt = -Infinity
  #waiting = 0

  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Resolves to true after a run that started after this call. Resolves to false at once when too many calls wait. */
  async sync(): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false
    this.#waiting += 1
    try {
      await (this.#next ??= this.#start())
      return true
    } finally {
      this.#waiting -= 1
    }
  }

  async #start() {
    const waitMs = this.#startedAt + SPACING_MS - performance.now()
    await new Promise<void>((done) => setTimeout(done, Math.max(0, waitMs)))
    this.#next = undefined
    this.#startedAt = performance.now()
    await this.#sync()
  }
}
