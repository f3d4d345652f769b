import type { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import type { Api } from '../api.ts'
import type { Pairing } from '../wire.ts'

const EVERY_MS = 10 * 60_000
const WEB_PLAYER = 1
/** Shortest time between two calls. */
const SPACING_MS = 15_000

/** Fields of `POST status`; a player in a browser knows all of them. */
export type ScreenStatus = Required<Omit<StatusReport, 'sn' | 'playerKind'>>

/** Fields that change continuously. A change of these fields alone sends nothing. */
const CONTINUOUS: readonly (keyof ScreenStatus)[] = ['nowPlaying', 'clockOffsetMs', 'freeBytes']

/** Sends the state of the screen at every change and every 10 minutes. */
export class StatusSender {
  readonly #api: Api
  readonly #pairing: Pairing
  readonly #read: () => Promise<ScreenStatus>
  #sentKey = ''
  #sentAt = -Infinity
  #timer = 0
  /** True when the last status got no response, or was refused. */
  #isUnsent = false
  /** True when the next status is sent although nothing but the played content changed. */
  #hasNewContent = false

  constructor(api: Api, pairing: Pairing, read: () => Promise<ScreenStatus>) {
    this.#api = api
    this.#pairing = pairing
    this.#read = read
  }

  /** Schedules a call, which is sent only when the status has changed. */
  onChange() {
    this.#plan(Math.max(1_000, this.#sentAt + SPACING_MS - performance.now()))
  }

  /** Schedules a call for the content that plays then: the first content of another manifest. */
  onNewContent() {
    this.#hasNewContent = true
    this.onChange()
  }

  /** Called when another call reached the server. */
  onReachable() {
    if (this.#isUnsent) this.onChange()
  }

  async #send() {
    const status = await this.#read()
    const key = JSON.stringify({ ...status, ...Object.fromEntries(CONTINUOUS.map((name) => [name, 0])) })
    if (!this.#hasNewContent && key === this.#sentKey && performance.now() - this.#sentAt < EVERY_MS) return
    this.#sentAt = performance.now()
    this.#isUnsent = true
    const json = { sn: this.#pairing.sn, playerKind: WEB_PLAYER, ...status }
    const reply = await this.#api.call('status', { json, token: this.#pairing.token })
    if (reply.status !== 200) return
    this.#sentKey = key
    this.#isUnsent = false
    this.#hasNewContent = false
  }

  #plan(waitMs = EVERY_MS) {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => {
      this.#plan()
      // A failed call is repeated when another call reaches the server.
      this.#send().catch(() => undefined)
    }, waitMs)
  }
}
