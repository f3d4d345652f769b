import type { ManifestAd, ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlayerClock } from '../clock.ts'
import type { PlaySlot } from '../playback.ts'
import type { ReportQueue, ReportRow } from './report-queue.ts'
import { createUuid } from './uuid.ts'

/** Smallest share of the planned time that makes a play complete. */
const COMPLETE = 0.95

interface Options {
  readonly clock: PlayerClock
  readonly queue: ReportQueue
  readonly sn: string
  readonly fileOf: (ad: ManifestAd) => ManifestFile | undefined
  /** Called after a completed row. */
  readonly onRow: () => void
}

/** Writes a row for each play: an open row at the start of the play, a complete row at its end. */
export class Plays {
  readonly #options: Options
  #row: ReportRow | undefined
  /**
   * Plays that were unfinished when the earlier page closed. Their duration ends at the last moment that this page
   * stored.
   */
  #left: readonly ReportRow[]

  constructor(options: Options, open: readonly ReportRow[]) {
    this.#options = options
    this.#left = open.map((row) => {
      const shown = Math.max(0, options.clock.lastMoment - row.since)
      return { ...row, ms: Math.min(row.planned, row.ms + shown) }
    })
  }

  begin(slot: PlaySlot) {
    const { clock, queue } = this.#options
    const own = this.#left.find((row) => isSlotOf(row, slot))
    for (const row of this.#left) if (row !== own) this.#close(row)
    this.#left = []
    this.#row = own ? { ...own, since: clock.now() } : this.#newRow(slot)
    void queue.put(this.#row).catch(() => undefined)
    void clock.store().catch(() => undefined)
  }

  end(shownMs: number, error?: string) {
    const row = this.#row
    this.#row = undefined
    if (row) this.#close({ ...row, ms: Math.min(row.planned, row.ms + Math.round(shownMs)) }, error)
  }

  /** Counts an ad that failed before it was visible. */
  fail(slot: PlaySlot, error: string) {
    this.#close(this.#newRow(slot), error)
  }

  #newRow(slot: PlaySlot): ReportRow {
    const { clock, queue, sn, fileOf } = this.#options
    const now = clock.now()
    const file = fileOf(slot.ad)?.sha256
    return {
      seq: queue.newSeq(),
      sn,
      isOpen: true,
      slotStart: slot.start,
      since: now,
      reportId: createUuid(now),
      programId: slot.program.id,
      ver: slot.program.verNo,
      itemId: slot.item.id,
      adId: slot.ad.id,
      adVer: slot.ad.verNo,
      ...(file !== undefined && { file }),
      start: now,
      ms: 0,
      planned: slot.ms,
      result: 2,
      clock: clock.state(),
      count: 1,
    }
  }

  #close(row: ReportRow, error?: string) {
    const result = error !== undefined ? 3 : row.ms >= row.planned * COMPLETE ? 1 : 2
    const closed = { ...row, isOpen: false, result, ...(error !== undefined && { error: error.slice(0, 64) }) } as const
    void this.#options.queue.put(closed).then(this.#options.onRow, () => undefined)
  }
}

const isSlotOf = (row: ReportRow, { start, program, item }: PlaySlot) =>
  row.slotStart === start && row.programId === program.id && row.ver === program.verNo && row.itemId === item.id
