import type { IncomingMessage } from 'node:http'
import type { Slots } from '#kernel/fleet/slots.ts'
import { DeviceProblem } from './answer.ts'

/** Calls a minute of one device: a healthy one makes a few dozen during an update. */
const PER_DEVICE = 240
/** Calls a minute from one address: tens of thousands of devices behind one NAT may come back at once after a power cut. */
const PER_ADDRESS = 60_000
const MINUTE_MS = 60_000
const MAX_ADDRESSES = 100_000
const LOCAL = /^(?:::ffff:)?127\.|^::1$/

/** Counts calls by minute; forgets all of them when the next begins. */
export class Limits {
  #minute = 0
  readonly #addresses = new Map<string, number>()

  /** Refuses an address that calls too often, before anything else is looked at. */
  takeAddress(ip: string, now: number, slots: Slots) {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#addresses.clear()
      slots.calls.fill(0)
    }
    if (LOCAL.test(ip)) return
    const calls = (this.#addresses.get(ip) ?? 0) + 1
    if (calls > PER_ADDRESS) throw tooMany(now)
    if (calls > 1 || this.#addresses.size < MAX_ADDRESSES) this.#addresses.set(ip, calls)
  }

  takeDevice(slot: number, now: number, { calls }: Slots) {
    if (calls[slot]! >= PER_DEVICE) throw tooMany(now)
    calls[slot]! += 1
  }
}

const tooMany = (now: number) =>
  new DeviceProblem(429, 'too many calls', 1 + Math.floor((MINUTE_MS - (now % MINUTE_MS)) / 1000))

/** Who calls: with trusted proxies in front, what the outermost of them says. */
export function addressOf(request: IncomingMessage, trustProxy: number | false): string {
  const direct = request.socket.remoteAddress ?? ''
  if (trustProxy === false) return direct
  const chain = [
    ...String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((each) => each.trim()),
    direct,
  ].filter(Boolean)
  return chain[Math.max(0, chain.length - 1 - trustProxy)] ?? direct
}
