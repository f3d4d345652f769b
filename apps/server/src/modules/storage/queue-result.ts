import { computePeriodEnd } from './period.ts'
import { projectSpans, QUEUE_STATE, type QueueEvent, type QueueItem, type ProjectedSpan } from './queue.ts'
import type { Entry, QueueWork } from './queue-store.ts'

/** Kinds of ledger entries. */
export const LEDGER_KIND = { grant: 1, use: 2, void: 4, moveOut: 5, moveIn: 6, adjust: 7 } as const
const FINAL_STATE: Readonly<Partial<Record<QueueEvent['kind'], number>>> = {
  expire: 2,
  cancel: 4,
  replace: 4,
  transfer: 5,
}

export interface LedgerLine {
  readonly entitlementId: number
  readonly kind: number
  readonly seconds: number
  readonly amount: number
  readonly balance: number
  readonly at: number
}
/** The columns of an entitlement after a change. */
export interface NextRow {
  readonly id: number
  state: number
  position: number
  start: number | null
  runFrom: number | null
  end: number | null
  left: number | null
  total: number
  used: number
}
export interface QueueResult {
  readonly rows: NextRow[]
  readonly lines: LedgerLine[]
  readonly spans: ProjectedSpan[]
}

/** Length of an item that waits without a known start: the whole period from now. */
const lengthFrom = (item: QueueItem, now: number, zone: string) =>
  item.left ?? computePeriodEnd(now, item.period, zone) - now

/** Collects the ledger entries and the next columns of one entitlement. */
class Book {
  readonly lines: LedgerLine[] = []
  readonly next: NextRow
  private readonly entry: Entry
  constructor(entry: Entry) {
    this.entry = entry
    this.next = {
      id: entry.id,
      state: 0,
      position: 0,
      start: entry.startedAt,
      runFrom: null,
      end: null,
      left: null,
      total: entry.totalSeconds,
      used: entry.usedSeconds,
    }
  }
  private get balance() {
    return this.next.total - this.next.used
  }
  private write(kind: number, seconds: number, balance: number, at: number, amount = 0) {
    this.lines.push({ entitlementId: this.entry.id, kind, seconds, amount, balance, at })
  }
  /** Sets the seconds that an entitlement grants: a new one is granted, a stored one is adjusted. */
  grant(length: number, at: number) {
    if (this.entry.isNew && this.lines.length === 0) {
      this.next.total = length
      const kind = this.entry.source === 5 ? LEDGER_KIND.moveIn : LEDGER_KIND.grant
      this.write(kind, length, length, at, this.entry.amount)
    } else if (length !== this.balance) {
      const difference = length - this.balance
      this.next.total += difference
      this.write(LEDGER_KIND.adjust, difference, length, at)
    }
  }
  use(seconds: number, at: number) {
    if (seconds === 0) return
    this.next.used += seconds
    this.write(LEDGER_KIND.use, -seconds, this.balance, at)
  }
  /** Removes the remaining seconds at the end of an entitlement. */
  close(kind: number, at: number) {
    if (this.balance > 0) this.write(kind, -this.balance, 0, at)
  }
}

function record(book: Book, { kind, at, used, left }: QueueEvent) {
  const { next } = book
  if (kind === 'start') {
    book.grant(left, at)
    if (next.used === 0) next.start = at
    return Object.assign(next, { state: 1, runFrom: at, end: at + left, left: null })
  }
  if (used) book.use(used.to - used.from, at)
  if (kind === 'cancel' || kind === 'replace') book.close(LEDGER_KIND.void, at)
  if (kind === 'transfer') book.close(LEDGER_KIND.moveOut, at)
  const final = FINAL_STATE[kind]
  const isEnded = final !== undefined
  return Object.assign(next, {
    state: final ?? (kind === 'suspend' ? 3 : 0),
    runFrom: null,
    end: isEnded ? at : null,
    left: isEnded ? null : left,
  })
}

/** Fills the columns of items that are still in the queue: place, planned times, remaining seconds. */
function place(book: Book, item: QueueItem, { position, span, now, zone }: Placed) {
  const { next } = book
  next.position = position
  next.state = item.state
  if (item.state === QUEUE_STATE.inForce) return Object.assign(next, { runFrom: item.from, end: item.to, left: null })
  if (item.state === QUEUE_STATE.suspended) return Object.assign(next, { end: null, left: item.left })
  book.grant(span ? span.to - span.from : lengthFrom(item, now, zone), now)
  if (next.used === 0) next.start = span?.from ?? null
  return Object.assign(next, { end: span?.to ?? null, left: item.left })
}
interface Placed {
  readonly position: number
  readonly span: ProjectedSpan | undefined
  readonly now: number
  readonly zone: string
}

/** Returns the rows, ledger entries and spans that store the changes of a queue. */
export function buildQueueResult(work: QueueWork, now: number, zone: string): QueueResult {
  const books = new Map([...work.entries.values()].map((entry) => [entry.id, new Book(entry)]))
  const spans: ProjectedSpan[] = []
  const planned = new Map(projectSpans(work.queue, now, zone).map((span) => [span.entitlementId, span]))
  for (const event of work.events) {
    const [book, entry] = [books.get(event.id), work.entries.get(event.id)]
    if (!book || !entry) continue
    record(book, event)
    if (event.used && event.used.to > event.used.from) {
      const { recordType, storageDays } = entry
      spans.push({ entitlementId: entry.id, ...event.used, recordType, storageDays })
    }
  }
  for (const [position, item] of work.queue.entries()) {
    const book = books.get(item.id)
    if (book) place(book, item, { position, span: planned.get(item.id), now, zone })
  }
  return {
    rows: [...books.values()].map(({ next }) => next),
    lines: [...books.values()].flatMap(({ lines }) => lines),
    spans,
  }
}
