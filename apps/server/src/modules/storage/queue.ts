import { parseLocalTime, lastDayOfMonth, formatLocalTime } from '#core/time/zone.ts'

const WEEK_SECONDS = 7 * 24 * 3600

/** State of an item that is still in a queue. */
export const QUEUE_STATE = { waiting: 0, inForce: 1, suspended: 3 } as const
/** Where a new item enters the queue: after all items, before the current item, or in place of the current item. */
export const QUEUE_EFFECT = { end: 1, front: 2, override: 3 } as const
export type QueueEffect = (typeof QUEUE_EFFECT)[keyof typeof QUEUE_EFFECT]

/** One entitlement in the queue of a channel. All times are whole seconds since 1970. */
export interface QueueItem {
  readonly id: number
  readonly state: (typeof QUEUE_STATE)[keyof typeof QUEUE_STATE]
  readonly recordType: number
  readonly storageDays: number
  readonly period: Period
  /** Seconds that remain, fixed after the first pause; null: the whole period, counted by the calendar. */
  readonly left: number | null
  /** Start and end of the current interval; null unless the item is in force. */
  readonly from: number | null
  readonly to: number | null
}

/** The current item (in force or suspended) first, then the waiting items in order. */
export type Queue = readonly QueueItem[]

/** An interval with the terms that apply to recordings started in it. */
export interface ProjectedSpan {
  readonly entitlementId: number
  readonly from: number
  readonly to: number
  readonly recordType: number
  readonly storageDays: number
}

/** A change of one item. `used` is the interval that ends with the change. */
export interface QueueEvent {
  readonly kind: 'start' | 'expire' | 'yield' | 'suspend' | 'cancel' | 'replace' | 'transfer'
  readonly id: number
  readonly at: number
  readonly used?: { readonly from: number; readonly to: number }
  /** Remaining seconds of the item at the time of the event. */
  readonly left: number
}
export interface QueueChange {
  readonly queue: Queue
  readonly events: readonly QueueEvent[]
}

const spanOf = ({ id, recordType, storageDays }: QueueItem, from: number, to: number): ProjectedSpan => ({
  entitlementId: id,
  from,
  to,
  recordType,
  storageDays,
})
/** Returns the end of an item that starts at this time. */
const endFrom = ({ left, period }: QueueItem, start: number, zone: string) =>
  left === null ? computePeriodEnd(start, period, zone) : start + left

/**
 * Returns the spans of a queue: the current item and every waiting item, each from the exact end of the one before.
 * Nothing follows a suspended item, because its end is unknown. The result does not depend on `now` while an item is
 * in force, so a late job changes nothing.
 */
export function projectSpans(queue: Queue, now: number, zone: string): ProjectedSpan[] {
  const spans: ProjectedSpan[] = []
  let at = now
  for (const item of queue) {
    if (item.state === QUEUE_STATE.suspended) break
    const from = item.from ?? at
    const to = item.to ?? endFrom(item, from, zone)
    spans.push(spanOf(item, from, to))
    at = to
  }
  return spans
}

/** Returns the end of a queue; a suspended item ends as if it were resumed now. Undefined for an empty queue. */
export function projectEnd(queue: Queue, now: number, zone: string): number | undefined {
  const [first, ...rest] = queue
  const resumed: Queue =
    first?.state === QUEUE_STATE.suspended ? [{ ...first, state: QUEUE_STATE.waiting }, ...rest] : queue
  return projectSpans(resumed, now, zone).at(-1)?.to
}

/** Starts the first waiting item at this time when no item is current. */
function startFirst(queue: Queue, at: number, zone: string): QueueChange {
  const [first, ...rest] = queue
  if (first?.state !== QUEUE_STATE.waiting) return { queue, events: [] }
  const to = endFrom(first, at, zone)
  const started: QueueItem = { ...first, state: QUEUE_STATE.inForce, from: at, to, left: null }
  return { queue: [started, ...rest], events: [{ kind: 'start', id: first.id, at, left: to - at }] }
}

/** Records the items that have ended by now, and the items that started when those items ended. */
export function advanceQueue(queue: Queue, now: number, zone: string): QueueChange {
  let next = queue
  const events: QueueEvent[] = []
  for (let first = next[0]; first?.to != null && first.to <= now; first = next[0]) {
    events.push({ kind: 'expire', id: first.id, at: first.to, used: { from: first.from!, to: first.to }, left: 0 })
    const change = startFirst(next.slice(1), first.to, zone)
    events.push(...change.events)
    next = change.queue
  }
  return { queue: next, events }
}

/** Applies a step to an advanced queue. Starts the first waiting item when no item is current after the step. */
function step(queue: Queue, now: number, zone: string, work: (queue: Queue) => QueueChange): QueueChange {
  const before = advanceQueue(queue, now, zone)
  const done = work(before.queue)
  const after = startFirst(done.queue, now, zone)
  return { queue: after.queue, events: [...before.events, ...done.events, ...after.events] }
}

/** Returns the interval and the remaining seconds of an item that stops now. */
function stop(item: QueueItem, now: number, zone: string) {
  if (item.from === null || item.to === null) return { left: item.left ?? endFrom(item, now, zone) - now }
  return { used: { from: item.from, to: now }, left: item.to - now }
}

/** Adds items to a queue. The caller refuses `front` and `override` while the current item is suspended. */
export const addItems = (queue: Queue, items: Queue, effect: QueueEffect, now: number, zone: string): QueueChange =>
  step(queue, now, zone, (advanced) => {
    const [current, ...rest] = advanced
    if (effect === QUEUE_EFFECT.end || current?.state !== QUEUE_STATE.inForce)
      return { queue: effect === QUEUE_EFFECT.end ? [...advanced, ...items] : [...items, ...advanced], events: [] }
    const stopped = stop(current, now, zone)
    const event = { id: current.id, at: now, ...stopped }
    if (effect === QUEUE_EFFECT.override) return { queue: [...items, ...rest], events: [{ kind: 'replace', ...event }] }
    const yielded: QueueItem = { ...current, state: QUEUE_STATE.waiting, from: null, to: null, left: stopped.left }
    return { queue: [...items, yielded, ...rest], events: [{ kind: 'yield', ...event }] }
  })

/** Stops the clock of the current item; the items behind wait. */
export const suspendItem = (queue: Queue, id: number, now: number, zone: string): QueueChange =>
  step(queue, now, zone, (advanced) => {
    const [current, ...rest] = advanced
    if (current?.id !== id || current.state !== QUEUE_STATE.inForce) return { queue: advanced, events: [] }
    const stopped = stop(current, now, zone)
    const held: QueueItem = { ...current, state: QUEUE_STATE.suspended, from: null, to: null, left: stopped.left }
    return { queue: [held, ...rest], events: [{ kind: 'suspend', id, at: now, ...stopped }] }
  })

/** Continues a suspended item with its remaining seconds. */
export const resumeItem = (queue: Queue, id: number, now: number, zone: string): QueueChange =>
  step(queue, now, zone, (advanced) => {
    const [current, ...rest] = advanced
    if (current?.id !== id || current.state !== QUEUE_STATE.suspended) return { queue: advanced, events: [] }
    return { queue: [{ ...current, state: QUEUE_STATE.waiting }, ...rest], events: [] }
  })

/** Takes an item out of its queue, by cancellation or for a transfer; the items behind move up. */
export const removeItem = (
  queue: Queue,
  id: number,
  kind: 'cancel' | 'transfer',
  now: number,
  zone: string,
): QueueChange =>
  step(queue, now, zone, (advanced) => {
    const found = advanced.find((item) => item.id === id)
    if (!found) return { queue: advanced, events: [] }
    const planned = projectSpans(advanced, now, zone).find(({ entitlementId }) => entitlementId === id)
    const stopped = stop(found, now, zone)
    const left = found.state === QUEUE_STATE.waiting && planned ? planned.to - planned.from : stopped.left
    return { queue: advanced.filter((item) => item !== found), events: [{ kind, id, at: now, ...stopped, left }] }
  })

/** Length of a package: `type` 1 weeks, 2 months, 3 years. */
interface Period {
  readonly type: number
  readonly count: number
}

const MONTHS_IN: Readonly<Record<number, number>> = { 2: 1, 3: 12 }

/** Returns the same wall-clock time some months later; a day that the month lacks becomes its last day. */
function monthsLater(wall: string, months: number) {
  const [year = 0, month = 0] = wall.slice(0, 7).split('-').map(Number)
  const target = year * 12 + (month - 1) + months
  const toMonth = `${Math.floor(target / 12)}-${String((target % 12) + 1).padStart(2, '0')}`
  const sameDay = `${toMonth}-${wall.slice(8, 10)}`
  const lastDay = lastDayOfMonth(toMonth)
  return `${sameDay < lastDay ? sameDay : lastDay}${wall.slice(10)}`
}

/**
 * Returns the end of a period that starts at this second. Weeks have a fixed length; months and years follow the
 * calendar of the zone, in one step from the start.
 */
export function computePeriodEnd(start: number, { type, count }: Period, zone: string): number {
  const months = MONTHS_IN[type]
  if (months === undefined) return start + count * WEEK_SECONDS
  return Math.floor(parseLocalTime(monthsLater(formatLocalTime(start * 1000, zone), months * count), zone) / 1000)
}
