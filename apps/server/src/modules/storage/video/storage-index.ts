import type pg from 'pg'
import {
  loadChangedDeviceOwners,
  loadChangedQueues,
  loadOwners,
  loadQueues,
  type StoredQueue,
  type StoredSpan,
} from './load-storage.ts'
import { GROWTH_FACTOR, SPAN_FLAG, SpanTable, type TermSpan, type Terms, copyIntoLarger } from './span-table.ts'

/** Finds devices in the fleet index. */
export interface SlotFinder {
  /** Number of used slots. */
  readonly count: number
  slotOf(deviceId: number): number
}

const keyOf = (slot: number, channel: number) => slot * 64 + channel

/** Time for which a change is announced to a camera. Every camera requests its state at least once a day. */
const ANNOUNCED_MS = 86_400_000
const MAX_ANNOUNCED = 500_000

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
