import type { ReportReply } from '@oms/contract/advertise/device-calls.ts'
import { type Api, parseJson, readRetryAfterMs } from '../api.ts'
import { readSetting, writeSetting } from '../database.ts'
import { MAX_BATCH_ROWS, type ReportQueue, type ReportRow } from './report-queue.ts'
import type { Pairing, PlayReport } from '../wire.ts'

const EVERY_MS = 60_000
const FULL = 50
const MAX_WAIT_MS = 10 * 60_000
const ATTEMPTED = 'attemptedReport'

/** Sends the queue, oldest rows first: every minute, at 50 rows, and at once when the server is back. */
export class ReportSender {
  readonly #api: Api
  readonly #pairing: Pairing
  readonly #queue: ReportQueue
  #timer = 0
  #isSending = false
  #waitMs = EVERY_MS
  #limit = MAX_BATCH_ROWS
  /** True when the last call got no response. */
  #isCutOff = false

  constructor(api: Api, pairing: Pairing, queue: ReportQueue) {
    this.#api = api
    this.#pairing = pairing
    this.#queue = queue
    this.#plan(EVERY_MS)
  }

  /** Called after each completed play. */
  onRow() {
    if (this.#queue.size >= FULL && this.#waitMs === EVERY_MS) void this.send()
  }

  /** Called when another call reached the server. */
  onReachable() {
    if (this.#isCutOff) void this.send()
  }

  /** Sends batches until the queue is empty or the server asks to wait. */
  async send() {
    if (this.#isSending) return
    this.#isSending = true
    let waitMs = EVERY_MS
    try {
      while (await this.#sendBatch());
      this.#waitMs = EVERY_MS
      this.#isCutOff = false
    } catch (error) {
      this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2)
      this.#isCutOff = !(error instanceof Postponed)
      waitMs = error instanceof Postponed ? error.waitMs(this.#waitMs) : this.#waitMs
      await this.#compact()
    }
    this.#isSending = false
    this.#plan(waitMs)
  }

  #plan(ms: number) {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.send(), ms)
  }

  async #compact() {
    await this.#queue.compact((await readSetting<number>(ATTEMPTED)) ?? 0).catch(() => undefined)
  }

  /**
   * Sends one batch. Returns false when the queue is empty. Throws when the server accepts no reports now. The rows
   * then stay in the queue.
   */
  async #sendBatch(): Promise<boolean> {
    const rows = await this.#queue.oldest(this.#pairing.sn, this.#limit)
    if (rows.length === 0) return false
    const last = rows[rows.length - 1]!.seq
    if (((await readSetting<number>(ATTEMPTED)) ?? 0) < last) await writeSetting(ATTEMPTED, last)
    const json = { sn: this.#pairing.sn, reports: rows.map(reportOf) }
    const { status, headers, body } = await this.#api.call('report', { json, token: this.#pairing.token })
    const isRefused = status === 400 || status === 413 || status === 422
    if (isRefused && rows.length > 1) {
      this.#limit = Math.max(1, Math.floor(rows.length / 2))
      return true
    }
    // A row that the server refuses on its own is removed, because it would block all rows behind it in the queue.
    if (status !== 200 && !isRefused) throw new Postponed(headers)
    // A captive portal may respond with 200 and its own page.
    if (status === 200 && typeof parseJson<Partial<ReportReply>>(body).accepted !== 'number')
      throw new Postponed(headers)
    await this.#queue.remove(rows.map(({ seq }) => seq))
    this.#limit = MAX_BATCH_ROWS
    return true
  }
}

/** The server responds but accepts no reports now. */
class Postponed extends Error {
  readonly #headers: Headers

  constructor(headers: Headers) {
    super('reports wait')
    this.#headers = headers
  }

  waitMs(fallbackMs: number) {
    return readRetryAfterMs(this.#headers, fallbackMs)
  }
}

/** Returns the fields that the server reads. */
function reportOf({
  seq: _seq,
  sn: _sn,
  isOpen: _isOpen,
  slotStart: _slotStart,
  since: _since,
  ...report
}: ReportRow): PlayReport {
  return report
}
