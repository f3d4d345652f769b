import { readSetting, writeSetting } from './database.ts'

const SETTING = 'clock'
const SAMPLES = 8
const JUMP_MS = 2_000
const DAY_MS = 24 * 60 * 60_000

/**
 * Trust in the clock, with the values of `clock` in a report: 2 corrected within 24 hours, 1 corrected earlier, 0
 * untrusted.
 */
export type ClockState = 0 | 1 | 2

interface Stored {
  /** Corrected time minus system time. */
  readonly offset: number
  readonly lastMoment: number
  /** Corrected time of the last sample; 0 when there was none. */
  readonly sampledAt: number
  /** True when the system clock jumped after the last sample, so that `offset` is unknown. */
  readonly hasJumped: boolean
}

interface Sample {
  readonly rtt: number
  /** Epoch milliseconds at which `performance.now()` is 0. */
  readonly base: number
}

/**
 * Clock that the server's `X-OMS-Time` corrects. The clock runs on `performance.now()`, so changes of the system clock
 * have no effect while the page runs.
 */
export class PlayerClock {
  /** Last moment that was stored before the page was reloaded. */
  readonly lastMoment: number
  #base: number
  #isTrusted: boolean
  #sampledAt: number
  #hasJumped: boolean
  #samples: Sample[] = []
  #systemBase = Date.now() - performance.now()
  /** Called with the milliseconds by which a sample moved the corrected time. */
  onStep: (ms: number) => void = () => {}

  private constructor(stored: Stored | undefined) {
    const system = Date.now() + (stored?.offset ?? 0)
    this.lastMoment = stored?.lastMoment ?? 0
    this.#sampledAt = stored?.sampledAt ?? 0
    this.#hasJumped = stored?.hasJumped ?? false
    const isBehind = stored !== undefined && system < stored.lastMoment
    this.#isTrusted = this.#sampledAt > 0 && !isBehind && !this.#hasJumped
    this.#base = (isBehind || this.#hasJumped ? stored!.lastMoment : system) - performance.now()
  }

  static async open() {
    return new PlayerClock(await readSetting<Stored>(SETTING))
  }

  now() {
    return Math.round(this.#base + performance.now())
  }

  state(): ClockState {
    if (!this.#isTrusted) return 0
    return this.now() - this.#sampledAt <= DAY_MS ? 2 : 1
  }

  /** Corrected time minus system time, in milliseconds. */
  offset() {
    return this.now() - Date.now()
  }

  /** Sets the clock by the server's time of a response. `sentAt` and `receivedAt` are values of `performance.now()`. */
  sample(serverMs: number, sentAt: number, receivedAt: number) {
    if (!Number.isFinite(serverMs) || serverMs <= 0) return
    this.detectJump()
    const rtt = receivedAt - sentAt
    this.#samples = [...this.#samples, { rtt, base: serverMs + rtt / 2 - receivedAt }].slice(-SAMPLES)
    const best = this.#samples.reduce((least, each) => (each.rtt < least.rtt ? each : least))
    const step = best.base - this.#base
    this.#base = best.base
    this.#isTrusted = true
    this.#hasJumped = false
    this.#sampledAt = this.now()
    if (Math.abs(step) >= 1) this.onStep(step)
  }

  /**
   * Returns true when the system clock moved against `performance.now()`. Either the clock was changed or the computer
   * slept; the next sample corrects both.
   */
  detectJump(): boolean {
    const base = Date.now() - performance.now()
    if (Math.abs(base - this.#systemBase) <= JUMP_MS) return false
    this.#systemBase = base
    this.#samples = []
    this.#hasJumped = true
    return true
  }

  /** Stores the current moment. A start without a network continues from the stored moment. */
  store() {
    const stored: Stored = {
      offset: this.offset(),
      lastMoment: this.now(),
      sampledAt: this.#sampledAt,
      hasJumped: this.#hasJumped,
    }
    return writeSetting(SETTING, stored)
  }
}
