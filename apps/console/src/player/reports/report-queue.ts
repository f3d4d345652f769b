import { mergePlaysByHour } from './add-up-hours.ts'
import { OBJECT_STORES, transact } from '../database.ts'
import type { PlayReport } from '../wire.ts'

/** Number of rows above which the oldest days are added up by hour. */
const MAX_ROWS = 200_000
/** Maximum number of rows in one batch. */
export const MAX_BATCH_ROWS = 500

/** A play in the queue. Rows are in the order of their start. */
export interface ReportRow extends PlayReport {
  readonly seq: number
  readonly sn: string
  /** True while the ad plays. */
  readonly isOpen: boolean
  /** Start of the slot; a restart within the slot continues the row. */
  readonly slotStart: number
  /** Corrected time from which the visible time of an open row is still to be added. */
  readonly since: number
}

/** Stores reports in IndexedDB until the server acknowledges them. Writes are executed in order. */
export class ReportQueue {
  #nextSeq = 1
  /** Rows up to this number belong to an earlier pairing. */
  #from = 0
  #writing: Promise<unknown> = Promise.resolve()
  /** Rows whose write failed because the storage is full. The next write retries them. */
  readonly #unsaved = new Map<number, ReportRow>()
  /** Number of waiting rows, without the open row. */
  size = 0

  static async open() {
    const queue = new ReportQueue()
    const last = await transact(OBJECT_STORES.reports, 'readonly', (rows) => rows.openKeyCursor(null, 'prev'))
    queue.#nextSeq = Number(last?.key ?? 0) + 1
    queue.size = await transact(OBJECT_STORES.reports, 'readonly', (rows) => rows.count())
    return queue
  }

  newSeq() {
    return this.#nextSeq++
  }

  /** Writes a row, and all rows whose write failed earlier. */
  async put(row: ReportRow) {
    if (!row.isOpen) this.size++
    const rows = [...this.#unsaved.values(), row]
    try {
      await this.#write((store) => {
        let last: IDBRequest | undefined
        for (const each of rows) last = store.put(each)
        return last
      })
    } catch (error) {
      // A complete row never changes, so that a later write cannot restore an older version.
      if (!row.isOpen) this.#unsaved.set(row.seq, row)
      throw error
    }
    for (const { seq } of rows) this.#unsaved.delete(seq)
  }

  /** Returns open rows of an earlier page, which was closed or killed while an ad played. */
  async openRows(): Promise<ReportRow[]> {
    const last = await transact(
      OBJECT_STORES.reports,
      'readonly',
      (rows) => rows.getAll(IDBKeyRange.lowerBound(this.#nextSeq - MAX_BATCH_ROWS)) as IDBRequest<ReportRow[]>,
    )
    return last.filter(({ isOpen }) => isOpen)
  }

  /** Returns the oldest complete rows of a screen. Rows of an earlier pairing stay: no token can send them. */
  async oldest(sn: string, limit: number): Promise<ReportRow[]> {
    await this.#writing.catch(() => undefined)
    for (;;) {
      const range = IDBKeyRange.lowerBound(this.#from, true)
      const rows = await transact(
        OBJECT_STORES.reports,
        'readonly',
        (store) => store.getAll(range, limit + 1) as IDBRequest<ReportRow[]>,
      )
      const own = rows.filter((row) => !row.isOpen && row.sn === sn).slice(0, limit)
      if (own.length > 0 || rows.length <= limit) return own
      this.#from = rows[rows.length - 1]!.seq
    }
  }

  async remove(seqs: readonly number[]) {
    await this.#write((rows) => {
      let last: IDBRequest | undefined
      for (const seq of seqs) last = rows.delete(seq)
      return last
    })
    this.size = Math.max(0, this.size - seqs.length)
  }

  /**
   * Adds up the oldest day by hour when the queue is too long. `attempted` is the last row that was ever sent: the
   * server may have stored such rows, so they keep their identifiers.
   */
  async compact(attempted: number): Promise<void> {
    if (this.size <= MAX_ROWS) return
    await this.#writing.catch(() => undefined)
    const rows = await transact(
      OBJECT_STORES.reports,
      'readonly',
      (store) => store.getAll(IDBKeyRange.lowerBound(attempted, true), MAX_ROWS / 4) as IDBRequest<ReportRow[]>,
    )
    const { removed, changed } = mergePlaysByHour(rows.filter(({ isOpen }) => !isOpen))
    if (removed.length === 0) return
    await this.#write((store) => {
      for (const seq of removed) store.delete(seq)
      let last: IDBRequest | undefined
      for (const row of changed) last = store.put(row)
      return last
    })
    this.size -= removed.length
  }

  #write(use: (rows: IDBObjectStore) => IDBRequest | undefined) {
    const writing = this.#writing.catch(() => undefined).then(() => transact(OBJECT_STORES.reports, 'readwrite', use))
    this.#writing = writing
    return writing
  }
}
