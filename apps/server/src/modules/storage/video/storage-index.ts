import type pg from 'pg'
import { changedSince, copyRows } from '#core/database/statements/rows.ts'
import { GROWTH_FACTOR, SPAN_FLAG, SpanTable, type TermSpan, type Terms, copyIntoLarger } from './permit-rules.ts'

/** Time for which a change is announced to a camera. Every camera requests its state at least once a day. */
const ANNOUNCED_MS = 86_400_000
const MAX_ANNOUNCED = 500_000
const OWNERS = `select id, coalesce(app_account_id, 0), coalesce(ceil(extract(epoch from owner_time)), 0)::bigint from devices`
const QUEUES = `select device_id, channel, suspended, switched_off from oss_queues`
const TERMS = `v.pre_record, v.event_record, v.prolong, v.day_limit_mb`
const PLANNED_ORDER = `order by e.device_id, e.channel, (e.state = 0), e.position, e.id`
/** Devices of one page. Parsing more at once delays the permits of cameras. */
const PAGE = 500

/** Finds devices in the fleet index. */
interface SlotFinder {
  /** Number of used slots. */
  readonly count: number
  slotOf(deviceId: number): number
}

const keyOf = (slot: number, channel: number) => slot * 64 + channel

/**
 * In-memory copy of the entitlements and owners of all channels. Kept up to date with
 * the fleet index. Channel 0 of each device is in arrays by slot; other channels are found by a map.
 */
export class StorageIndex {
  #main = new SpanTable()
  #extra = new SpanTable()
  #rows = new Map<number, number>()
  #past = new Map<number, TermSpan[]>()
  #owners = new Int32Array(0)
  #ownerTimes = new Uint32Array(0)
  #terms: Terms[] = []
  #termsByKey = new Map<string, number>()
  /** Slots whose entitlements changed since the device asked for its state, with the time of the change. */
  readonly #announced = new Map<number, number>()

  /** Size in bytes of the arrays that are indexed by slot. */
  get bytes() {
    return this.#main.bytes + this.#owners.byteLength + this.#ownerTimes.byteLength
  }

  /** Loads everything. The caller has loaded the devices into `slots`. */
  async load(client: pg.Client, slots: SlotFinder) {
    this.#main = new SpanTable()
    this.#extra = new SpanTable()
    this.#rows = new Map()
    this.#past = new Map()
    // Allocates once for all devices, because growing step by step would leave garbage of many times the size.
    this.#main.reserve(slots.count)
    this.#reserveOwners(slots.count)
    await loadOwners(client, (owner) => this.#setOwner(slots.slotOf(owner.deviceId), owner))
    await loadQueues(client, {
      queue: (facts) => this.#setQueue(slots, facts),
      span: (facts) => this.#addSpan(slots, facts),
    })
  }

  /** Loads the channels and owners that changed since the snapshot `since`. */
  async follow(client: pg.Client, slots: SlotFinder, since: string) {
    await loadChangedDeviceOwners(client, since, (owner) => this.#setOwner(slots.slotOf(owner.deviceId), owner))
    const before = new Map<number, string>()
    await loadChangedQueues(client, since, {
      queue: (facts) => {
        const slot = slots.slotOf(facts.deviceId)
        if (slot >= 0) before.set(keyOf(slot, facts.channel), this.#contentOf(slot, facts.channel))
        this.#setQueue(slots, facts)
      },
      span: (facts) => this.#addSpan(slots, facts),
    })
    // A row that changed during the previous load is read again, so the contents are compared.
    for (const [key, content] of before)
      if (this.#contentOf(Math.floor(key / 64), key % 64) !== content) this.#announce(Math.floor(key / 64))
  }

  /** True when the entitlements of a device changed since the device asked this process for its state. */
  hasChanged(slot: number, now: number): boolean {
    const at = this.#announced.get(slot)
    if (at === undefined || now - at < ANNOUNCED_MS) return at !== undefined
    this.#announced.delete(slot)
    return false
  }

  /** Records that a device asked for its state. */
  tookState(slot: number) {
    this.#announced.delete(slot)
  }

  #announce(slot: number) {
    if (this.#announced.size >= MAX_ANNOUNCED) this.#announced.clear()
    this.#announced.set(slot, Date.now())
  }

  /** Returns flags and spans of a channel as a text for comparison. */
  #contentOf(slot: number, channel: number) {
    const [table, row] = [this.#tableOf(channel), this.#rowOf(slot, channel)]
    return row < 0 ? '' : table.contentOf(row)
  }

  /** App account that the device is bound to; 0: none. */
  ownerOf(slot: number) {
    return this.#owners[slot] ?? 0
  }

  /** Second of the last change of App account or tenant; 0: never. */
  ownerSince(slot: number) {
    return this.#ownerTimes[slot] ?? 0
  }

  flagsOf(slot: number, channel: number) {
    const table = this.#tableOf(channel)
    return table.flags[this.#rowOf(slot, channel)] ?? 0
  }

  /** Start of the first and end of the last known span in seconds; undefined when there is none. */
  boundsOf(slot: number, channel: number) {
    const [table, row] = [this.#tableOf(channel), this.#rowOf(slot, channel)]
    if (row < 0 || !table.entitlements[row]) return undefined
    return { from: table.from[row]!, to: table.nextEntitlements[row] ? table.nextTo[row]! : table.to[row]! }
  }

  /** Returns the span that covers this second; undefined when there is none. */
  spanAt(slot: number, channel: number, second: number): TermSpan | undefined {
    const [table, row] = [this.#tableOf(channel), this.#rowOf(slot, channel)]
    if (row < 0 || row >= table.flags.length) return undefined
    const [from, to] = [table.from[row]!, table.to[row]!]
    if (table.entitlements[row] && second >= from && second < to)
      return { from, to, entitlementId: table.entitlements[row], terms: this.#terms[table.terms[row]!]! }
    const next = table.nextEntitlements[row]
    if (next && second >= to && second < table.nextTo[row]!)
      return { from: to, to: table.nextTo[row]!, entitlementId: next, terms: this.#terms[table.nextTerms[row]!]! }
    if ((table.flags[row]! & SPAN_FLAG.past) === 0) return undefined
    return this.#past.get(keyOf(slot, channel))?.find((span) => second >= span.from && second < span.to)
  }

  #tableOf(channel: number) {
    return channel === 0 ? this.#main : this.#extra
  }

  #rowOf(slot: number, channel: number) {
    return channel === 0 ? slot : (this.#rows.get(keyOf(slot, channel)) ?? -1)
  }

  #newRow(slot: number, channel: number) {
    const known = this.#rowOf(slot, channel)
    const row = known >= 0 ? known : this.#rows.size
    if (known < 0) this.#rows.set(keyOf(slot, channel), row)
    this.#tableOf(channel).reserve(row)
    return row
  }

  #setOwner(slot: number, { ownerId, ownerSince }: { ownerId: number; ownerSince: number }) {
    if (slot < 0) return
    this.#reserveOwners(slot)
    this.#owners[slot] = ownerId
    this.#ownerTimes[slot] = ownerSince
  }

  #reserveOwners(slot: number) {
    if (slot < this.#owners.length) return
    const length = Math.ceil((slot + 1) * GROWTH_FACTOR)
    this.#owners = copyIntoLarger(this.#owners, new Int32Array(length))
    this.#ownerTimes = copyIntoLarger(this.#ownerTimes, new Uint32Array(length))
  }

  /** Replaces the flags of a channel and removes its spans, which follow. */
  #setQueue(slots: SlotFinder, { deviceId, channel, suspended, switchedOff }: StoredQueue) {
    const slot = slots.slotOf(deviceId)
    if (slot < 0) return
    const row = this.#newRow(slot, channel)
    const table = this.#tableOf(channel)
    table.clear(row)
    table.flags[row] =
      SPAN_FLAG.known | (suspended ? SPAN_FLAG.suspended : 0) | (switchedOff ? SPAN_FLAG.switchedOff : 0)
    this.#past.delete(keyOf(slot, channel))
  }

  #addSpan(slots: SlotFinder, span: StoredSpan) {
    const slot = slots.slotOf(span.deviceId)
    if (slot < 0) return
    const { channel, from, to, entitlementId } = span
    const row = this.#newRow(slot, channel)
    const table = this.#tableOf(channel)
    const terms = this.#intern(span.terms)
    if (!span.isPast) return table.add(row, span, terms)
    table.flags[row]! |= SPAN_FLAG.past
    const key = keyOf(slot, channel)
    const spans = this.#past.get(key) ?? []
    spans.push({ from, to, entitlementId, terms: this.#terms[terms]! })
    this.#past.set(key, spans)
  }

  /**
   * Returns the number under which these terms are stored. Equal terms share a number, because a few dozen packages
   * have a few dozen different terms.
   */
  #intern(terms: Terms) {
    const key = Object.values(terms).join(':')
    const known = this.#termsByKey.get(key)
    if (known !== undefined) return known
    this.#termsByKey.set(key, this.#terms.push(terms) - 1)
    return this.#terms.length - 1
  }
}

interface StoredOwner {
  readonly deviceId: number
  readonly ownerId: number
  /** Seconds since 1970; 0: never changed. */
  readonly ownerSince: number
}

interface StoredQueue {
  readonly deviceId: number
  readonly channel: number
  readonly suspended: boolean
  readonly switchedOff: boolean
}

interface StoredSpan {
  readonly deviceId: number
  readonly channel: number
  readonly entitlementId: number
  readonly from: number
  readonly to: number
  readonly terms: Terms
  /** True for a recorded span that ended, false for the current and planned spans. */
  readonly isPast: boolean
}

interface Takers {
  readonly queue: (facts: StoredQueue) => void
  readonly span: (facts: StoredSpan) => void
}

/** The stored times of current and waiting entitlements are those of the projected queue. */
const PLANNED = `select e.device_id, e.channel, e.id, extract(epoch from coalesce(e.run_from, e.start_time))::bigint,
  extract(epoch from e.end_time)::bigint, e.record_type, e.storage_days, ${TERMS}
  from oss_entitlements e join oss_package_versions v on v.id = e.package_version_id
  where e.state in (0, 1) and e.end_time is not null`
const PAST = `select s.device_id, s.channel, s.entitlement_id, extract(epoch from s.from_time)::bigint,
  extract(epoch from s.to_time)::bigint, s.record_type, s.storage_days, ${TERMS}
  from oss_spans s join oss_entitlements e on e.id = s.entitlement_id
  join oss_package_versions v on v.id = e.package_version_id
  where s.to_time > now() - interval '8 days'`

type Row = readonly (string | number | null)[]

const ownerOf = ([id, owner, since]: Row): StoredOwner => ({
  deviceId: Number(id),
  ownerId: Number(owner),
  ownerSince: Number(since),
})
const queueOf = ([id, channel, suspended, switchedOff]: Row): StoredQueue => ({
  deviceId: Number(id),
  channel: Number(channel),
  suspended: Number(suspended) === 1,
  switchedOff: Number(switchedOff) === 1,
})
const spanOf = (row: Row, isPast: boolean): StoredSpan => {
  const [deviceId = 0, channel = 0, entitlementId = 0, from = 0, to = 0, recordType = 0, storageDays = 0, ...terms] =
    row.map(Number)
  const [preRecord = 0, eventRecord = 0, prolong = 0, dayLimitMb = 0] = terms
  const all = { recordType, storageDays, preRecord, eventRecord, prolong, dayLimitMb }
  return { deviceId, channel, entitlementId, from, to, terms: all, isPast }
}

const loadOwners = (client: pg.Client, take: (facts: StoredOwner) => void) =>
  copyRows(
    client,
    `${OWNERS} where deleted_at is null and (app_account_id is not null or owner_time is not null)`,
    (row) => take(ownerOf(row)),
  )

/** Loads all channels: flags first, then spans in order. */
async function loadQueues(client: pg.Client, { queue, span }: Takers) {
  await copyRows(client, QUEUES, (row) => queue(queueOf(row)))
  await copyRows(client, `${PLANNED} ${PLANNED_ORDER}`, (row) => span(spanOf(row, false)))
  await copyRows(client, PAST, (row) => span(spanOf(row, true)))
}

const rowsOf = async (client: pg.Client, text: string, values: unknown[]): Promise<Row[]> =>
  (await client.query<(string | number | null)[]>({ text, values, rowMode: 'array' } as pg.QueryArrayConfig)).rows

/** Loads the owners of devices that changed since a snapshot. */
const loadChangedDeviceOwners = (client: pg.Client, since: string, take: (facts: StoredOwner) => void) =>
  copyRows(client, `${OWNERS} where ${changedSince(since)}`, (row) => take(ownerOf(row)))

/** Loads the channels of devices whose queues changed since a snapshot. */
async function loadChangedQueues(client: pg.Client, since: string, { queue, span }: Takers) {
  const ids: number[] = []
  const changed = `select distinct device_id from oss_queues where ${changedSince(since)}`
  await copyRows(client, changed, ([id]) => ids.push(Number(id)))
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = [ids.slice(at, at + PAGE)]
    // Reads all rows before it passes on the first one: a permit meanwhile must not find a channel without its spans.
    const queues = await rowsOf(client, `${QUEUES} where device_id = any($1)`, some)
    const planned = await rowsOf(client, `${PLANNED} and e.device_id = any($1) ${PLANNED_ORDER}`, some)
    const past = await rowsOf(client, `${PAST} and s.device_id = any($1)`, some)
    for (const row of queues) queue(queueOf(row))
    for (const row of planned) span(spanOf(row, false))
    for (const row of past) span(spanOf(row, true))
  }
}
