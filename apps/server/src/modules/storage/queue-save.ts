import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { saveCloudStatesOfDevices } from '#modules/device/device-save.ts'
import type { QueueWork, Entry } from './queue-store.ts'
import {
  projectSpans,
  QUEUE_STATE,
  computePeriodEnd,
  type QueueEvent,
  type QueueItem,
  type ProjectedSpan,
} from './queue.ts'

/** Actor, time and reason of a change of queues. `now` is in seconds. */
export interface QueueActor {
  readonly uid: number | null
  readonly operName: string
  readonly reason: string
  readonly now: number
  readonly zone: string
}

/** Times reach the database as seconds. */
const moment = (column: string) => sql.raw(`to_timestamp(x."${column}")`)
const recordset = (rows: readonly object[], columns: string) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(${sql.raw(columns)})`

const updateRows = (db: Db, rows: readonly NextRow[], { uid, now }: QueueActor) =>
  rows.length === 0
    ? undefined
    : db.execute(sql`
      update oss_entitlements e set state = x.state, position = x.position, start_time = ${moment('start')},
        run_from = ${moment('runFrom')}, end_time = ${moment('end')}, left_seconds = x.left, total_seconds = x.total,
        used_seconds = x.used, rev = e.rev + 1, update_by = ${uid}::int, update_time = to_timestamp(${now}::float8)
      from ${recordset(
        rows,
        'id int, state int, position int, start float8, "runFrom" float8, "end" float8, "left" int, total int, used int',
      )}
      where e.id = x.id`)

/** Returns the columns of `oss_queues`, which follow from the queue. */
function queueRow(work: QueueWork, { now, zone }: QueueActor) {
  const { deviceId, channel, tenantId, queue, events, entries } = work
  const spans = projectSpans(queue, now, zone)
  const [first, last] = [queue[0], queue.at(-1)]
  const isSuspended = first?.state === QUEUE_STATE.suspended
  return {
    deviceId,
    channel,
    tenantId,
    suspended: isSuspended ? 1 : 0,
    end: isSuspended ? null : (spans.at(-1)?.to ?? events.findLast(({ kind }) => kind !== 'start')?.at ?? null),
    // An emptied queue keeps the package of its last entitlement.
    packageId: entries.get(last?.id ?? 0)?.packageId ?? null,
    next: first?.state === QUEUE_STATE.inForce ? first.to : null,
  }
}

const saveQueueRows = (db: Db, works: readonly QueueWork[], actor: QueueActor) =>
  db.execute(sql`
    update oss_queues q set tenant_id = x."tenantId", suspended = x.suspended, end_time = ${moment('end')},
      next_time = ${moment('next')}, last_package_id = coalesce(x."packageId", q.last_package_id)
    from ${recordset(
      works.map((work) => queueRow(work, actor)),
      '"deviceId" int, channel int, "tenantId" int, suspended int, "end" float8, "packageId" int, next float8',
    )}
    where q.device_id = x."deviceId" and q.channel = x.channel`)

async function appendHistory(db: Db, works: readonly QueueWork[], actor: QueueActor): Promise<NextRow[]> {
  const results = works.map((work) => ({ work, ...buildQueueResult(work, actor.now, actor.zone) }))
  const lines = results.flatMap(({ work, lines: list }) =>
    list.map((line) => {
      const { packageId, source, isRenewal } = work.entries.get(line.entitlementId)!
      return { ...line, packageId, source, isRenewal, tenantId: work.tenantId }
    }),
  )
  const spans = results.flatMap(({ work: { tenantId, deviceId, channel }, spans: list }) =>
    list.map((span) => ({ ...span, tenantId, deviceId, channel })),
  )
  await insertLines(db, lines, actor)
  if (spans.length > 0)
    await db.execute(sql`
      insert into oss_spans (entitlement_id, tenant_id, device_id, channel, from_time, to_time, record_type, storage_days)
      select x."entitlementId", x."tenantId", x."deviceId", x.channel, ${moment('from')}, ${moment('to')},
        x."recordType", x."storageDays"
      from ${recordset(
        spans,
        '"entitlementId" int, "tenantId" int, "deviceId" int, channel int, "from" float8, "to" float8, "recordType" int, "storageDays" int',
      )}`)
  return results.flatMap(({ rows }) => rows)
}

const insertLines = (db: Db, lines: readonly object[], { uid, operName, reason, now }: QueueActor) =>
  lines.length === 0
    ? undefined
    : db.execute(sql`
      insert into oss_ledger (entitlement_id, tenant_id, package_id, source, is_renewal, kind, seconds, amount, balance,
        uid, oper_name, reason, at_time, create_time)
      select x."entitlementId", x."tenantId", x."packageId", x.source, x."isRenewal", x.kind, x.seconds, x.amount,
        x.balance, ${uid}::int, ${operName.slice(0, 30)}, case when x.kind = 2 then '' else ${reason.slice(0, 200)} end, ${moment('at')},
        to_timestamp(${now}::float8)
      from ${recordset(
        lines,
        '"entitlementId" int, "tenantId" int, "packageId" int, source int, "isRenewal" int, kind int, seconds int, amount int, balance int, at float8',
      )}`)

/** Stores the changes of locked queues: entitlements, spans, ledger, and the rows of the queues. */
export async function saveQueues(db: Db, loaded: readonly QueueWork[], actor: QueueActor): Promise<void> {
  // Saving a queue without entitlements and events would overwrite its stored end.
  const works = loaded.filter(({ queue, events }) => queue.length > 0 || events.length > 0)
  if (works.length === 0) return
  const rows = await appendHistory(db, works, actor)
  // Entitlements that leave the state "current" are saved first, because a unique index permits one current
  // entitlement.
  const isCurrent = ({ state }: NextRow) => state === 1 || state === 3
  await updateRows(
    db,
    rows.filter((row) => !isCurrent(row)),
    actor,
  )
  await updateRows(db, rows.filter(isCurrent), actor)
  await saveQueueRows(db, works, actor)
  const deviceIds = [...new Set(works.map(({ deviceId }) => deviceId))]
  await saveCloudStatesOfDevices(db, deviceIds, actor.now)
}

/** A new entitlement, stored before its queue is saved. */
export interface NewEntitlement {
  readonly id: number
  readonly deviceId: number
  readonly sn: string
  readonly channel: number
  readonly tenantId: number
  readonly packageId: number
  readonly packageVersionId: number
  readonly packageName: string
  readonly packageCode: string
  readonly recordType: number
  readonly storageDays: number
  readonly periodType: number
  readonly periodCount: number
  readonly source: number
  readonly isRenewal: number
  readonly groupNo: string
  readonly fromId: number | null
  readonly orderItemId?: number | null
  readonly amount: number
}

/** Returns unused ids for new entitlements. */
export async function reserveIds(db: Db, count: number): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(
    sql`select nextval('oss_entitlements_id_seq')::int as id from generate_series(1, ${count}::int)`,
  )
  return rows.map(({ id }) => id)
}

/** Inserts new entitlements as waiting; `saveQueues` sets their places and times. */
export async function insertEntitlements(db: Db, list: readonly NewEntitlement[], { uid, reason, now }: QueueActor) {
  if (list.length === 0) return
  const at: SQL = sql`to_timestamp(${now}::float8)`
  const insertion = sql`
    insert into oss_entitlements (id, ent_no, device_id, sn, channel, tenant_id, package_id, package_version_id,
      package_name, package_code, record_type, storage_days, period_type, period_count, source, is_renewal, group_no,
      from_id, order_item_id, amount, reason, create_by, create_time, update_by, update_time)
    select x.id, 'OE' || to_char(${at}, 'YYYYMMDD') || lpad((nextval('oss_entitlement_no') % 1000000)::text, 6, '0'),
      x."deviceId", x.sn, x.channel, x."tenantId", x."packageId", x."packageVersionId", x."packageName",
      x."packageCode", x."recordType", x."storageDays", x."periodType", x."periodCount", x.source, x."isRenewal",
      x."groupNo", x."fromId", x."orderItemId", x.amount, ${reason}, ${uid}::int, ${at}, ${uid}::int, ${at}
    from ${recordset(
      list,
      'id int, "deviceId" int, sn text, channel int, "tenantId" int, "packageId" int, "packageVersionId" int, "packageName" text, "packageCode" text, "recordType" int, "storageDays" int, "periodType" int, "periodCount" int, source int, "isRenewal" int, "groupNo" text, "fromId" int, "orderItemId" int, amount int',
    )}`
  await db.execute(insertion).catch((error: unknown) => {
    throw toUniqueViolation(error, CLASHES) ?? error
  })
}

/** A concurrent call gave the trial first. */
const CLASHES = { oss_entitlements_trial: ['该设备已领取过试用', 'sns'] } as const

/** Kinds of ledger entries. */
const LEDGER_KIND = { grant: 1, use: 2, void: 4, moveOut: 5, moveIn: 6, adjust: 7 } as const
const FINAL_STATE: Readonly<Partial<Record<QueueEvent['kind'], number>>> = {
  expire: 2,
  cancel: 4,
  replace: 4,
  transfer: 5,
}

interface LedgerLine {
  readonly entitlementId: number
  readonly kind: number
  readonly seconds: number
  readonly amount: number
  readonly balance: number
  readonly at: number
}

/** The columns of an entitlement after a change. */
interface NextRow {
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

interface QueueResult {
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
function buildQueueResult(work: QueueWork, now: number, zone: string): QueueResult {
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
