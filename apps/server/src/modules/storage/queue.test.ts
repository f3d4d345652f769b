import { describe, expect, test } from 'vitest'
import { parseLocalTime, formatLocalTime } from '#core/time/zone.ts'
import {
  computePeriodEnd,
  advanceQueue,
  type QueueChange,
  QUEUE_EFFECT,
  type QueueEffect,
  addItems,
  projectSpans,
  QUEUE_STATE,
  type Queue,
  type QueueItem,
  resumeItem,
  type ProjectedSpan,
  suspendItem,
  removeItem,
} from './queue.ts'

const ZONE = 'Asia/Shanghai'
const DAY = 86_400
const at = (wall: string, zone = ZONE) => parseLocalTime(wall.length === 10 ? `${wall} 00:00:00` : wall, zone) / 1000
const wall = (seconds: number, zone = ZONE) => formatLocalTime(seconds * 1000, zone)

/** A new item: weeks `w`, months `m` or years `y`. */
const item = (id: number, length: `${number}${'w' | 'm' | 'y'}`): QueueItem => ({
  id,
  state: QUEUE_STATE.waiting,
  recordType: 1,
  storageDays: 7,
  period: { type: { w: 1, m: 2, y: 3 }[length.slice(-1)]!, count: Number.parseInt(length, 10) },
  left: null,
  from: null,
  to: null,
})
const add = (
  queue: Queue,
  id: number,
  length: Parameters<typeof item>[1],
  now: string,
  effect: QueueEffect = QUEUE_EFFECT.end,
) => addItems(queue, [item(id, length)], effect, at(now), ZONE)
/** Spans as `id from to`, days only. */
const shown = (queue: Queue, now: string) =>
  projectSpans(queue, at(now), ZONE).map(
    (span) => `${span.entitlementId} ${wall(span.from).slice(0, 10)} ${wall(span.to).slice(0, 10)}`,
  )

describe('length of a package', () => {
  test.each([
    ['2026-01-31 10:20:30', 2, 1, '2026-02-28 10:20:30'],
    ['2026-01-31 10:20:30', 2, 2, '2026-03-31 10:20:30'],
    ['2028-01-31', 2, 1, '2028-02-29 00:00:00'],
    ['2028-02-29', 3, 1, '2029-02-28 00:00:00'],
    ['2028-02-29', 3, 4, '2032-02-29 00:00:00'],
    ['2026-12-15', 2, 1, '2027-01-15 00:00:00'],
    ['2026-11-30', 2, 3, '2027-02-28 00:00:00'],
    ['2026-05-01', 1, 2, '2026-05-15 00:00:00'],
    ['2026-05-01', 2, 36, '2029-05-01 00:00:00'],
  ])('a package that starts at %s with period type %i and %i periods ends at %s', (start, type, count, end) => {
    expect(wall(computePeriodEnd(at(start), { type, count }, ZONE))).toBe(end)
  })

  test('months keep the local time across daylight saving time, and weeks have a fixed length', () => {
    const zone = 'Europe/Berlin'
    const start = at('2026-03-20 12:00:00', zone)
    expect(wall(computePeriodEnd(start, { type: 2, count: 1 }, zone), zone)).toBe('2026-04-20 12:00:00')
    expect(wall(computePeriodEnd(start, { type: 1, count: 2 }, zone), zone)).toBe('2026-04-03 13:00:00')
  })
})

describe('order of packages in the queue', () => {
  const first = add([], 1, '1m', '2026-05-01').queue

  test('a package in an empty queue starts at once', () => {
    expect(first).toMatchObject([{ id: 1, state: QUEUE_STATE.inForce, from: at('2026-05-01') }])
    expect(add([], 1, '1m', '2026-05-01').events).toMatchObject([{ kind: 'start', id: 1 }])
  })

  test('a package that is added at the end starts when the last package ends', () => {
    const queue = add(add(first, 2, '1m', '2026-05-10').queue, 3, '1w', '2026-05-11').queue
    expect(shown(queue, '2026-05-20')).toEqual([
      '1 2026-05-01 2026-06-01',
      '2 2026-06-01 2026-07-01',
      '3 2026-07-01 2026-07-08',
    ])
  })

  test('a package that is opened before the current package pauses it, and the current package continues afterwards', () => {
    const { queue, events } = add(add(first, 2, '1m', '2026-05-10').queue, 3, '1w', '2026-05-11', QUEUE_EFFECT.front)
    expect(events.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['yield 1', 'start 3'])
    expect(events[0]).toMatchObject({ left: 21 * DAY, used: { from: at('2026-05-01'), to: at('2026-05-11') } })
    expect(shown(queue, '2026-05-20')).toEqual([
      '3 2026-05-11 2026-05-18',
      '1 2026-05-18 2026-06-08',
      '2 2026-06-08 2026-07-08',
    ])
  })

  test('of two packages opened before the current package, the package opened later comes first', () => {
    const one = add(first, 2, '1w', '2026-05-03', QUEUE_EFFECT.front).queue
    const two = add(one, 3, '1w', '2026-05-05', QUEUE_EFFECT.front).queue
    expect(shown(two, '2026-05-05')).toEqual([
      '3 2026-05-05 2026-05-12',
      '2 2026-05-12 2026-05-17',
      '1 2026-05-17 2026-06-15',
    ])
  })

  test('an override ends the current package and keeps the waiting packages', () => {
    const { queue, events } = add(add(first, 2, '1w', '2026-05-02').queue, 3, '1m', '2026-05-11', QUEUE_EFFECT.override)
    expect(events.map(({ kind, id, left }) => [kind, id, left])).toEqual([
      ['replace', 1, 21 * DAY],
      ['start', 3, 31 * DAY],
    ])
    expect(shown(queue, '2026-05-11')).toEqual(['3 2026-05-11 2026-06-11', '2 2026-06-11 2026-06-18'])
  })

  test('packages behind a suspended package neither start nor end until it is resumed', () => {
    const queue = add(first, 2, '1m', '2026-05-02').queue
    const held = suspendItem(queue, 1, at('2026-05-11'), ZONE)
    expect(held.events).toMatchObject([{ kind: 'suspend', id: 1, left: 21 * DAY }])
    expect(shown(held.queue, '2026-08-01')).toEqual([])
    expect(advanceQueue(held.queue, at('2027-01-01'), ZONE).events).toEqual([])
    const { queue: running } = resumeItem(held.queue, 1, at('2026-07-01'), ZONE)
    expect(shown(running, '2026-07-01')).toEqual(['1 2026-07-01 2026-07-22', '2 2026-07-22 2026-08-22'])
  })

  test('the packages behind a cancelled package start earlier', () => {
    const queue = add(add(first, 2, '1m', '2026-05-02').queue, 3, '1w', '2026-05-03').queue
    const waiting = removeItem(queue, 2, 'cancel', at('2026-05-11'), ZONE)
    expect(waiting.events).toMatchObject([{ kind: 'cancel', id: 2, left: 30 * DAY }])
    expect(shown(waiting.queue, '2026-05-11')).toEqual(['1 2026-05-01 2026-06-01', '3 2026-06-01 2026-06-08'])
    const running = removeItem(queue, 1, 'cancel', at('2026-05-11'), ZONE)
    expect(running.events.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['cancel 1', 'start 2'])
    expect(shown(running.queue, '2026-05-11')).toEqual(['2 2026-05-11 2026-06-11', '3 2026-06-11 2026-06-18'])
  })

  test('a delayed advance records the scheduled end and start times of packages', () => {
    const queue = add(add(first, 2, '1m', '2026-05-02').queue, 3, '1m', '2026-05-03').queue
    const { queue: later, events } = advanceQueue(queue, at('2026-07-20'), ZONE)
    expect(events.map(({ kind, id, at: when }) => `${kind} ${id} ${wall(when).slice(0, 10)}`)).toEqual([
      'expire 1 2026-06-01',
      'start 2 2026-06-01',
      'expire 2 2026-07-01',
      'start 3 2026-07-01',
    ])
    expect(later).toHaveLength(1)
  })

  test('a package that is opened after the last package ended starts at once', () => {
    const { queue, events } = add(first, 2, '1w', '2026-09-01')
    expect(events.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['expire 1', 'start 2'])
    expect(shown(queue, '2026-09-01')).toEqual(['2 2026-09-01 2026-09-08'])
  })
})

/** Small deterministic generator of numbers below 1. */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** Seconds of one item, as the events report them. */
interface Account {
  used: number
  granted: number | undefined
  isDone: boolean
}

const MAX_QUEUE = 5

/** Applies random steps to one queue and keeps its history. */
class Walk {
  queue: Queue = []
  readonly history: ProjectedSpan[] = []
  readonly accounts = new Map<number, Account>()
  /** Events at which the used and the remaining seconds did not add up to the granted ones. */
  readonly breaches: string[] = []
  now = at('2026-01-01')
  private next = 1
  private readonly random: () => number
  constructor(seed: number) {
    this.random = numbers(seed)
  }

  take({ queue, events }: QueueChange) {
    const before = new Map(this.queue.map((each) => [each.id, each]))
    for (const { kind, id, used, left } of events) {
      const account = this.accounts.get(id) ?? { used: 0, granted: undefined, isDone: false }
      this.accounts.set(id, account)
      if (used) {
        account.used += used.to - used.from
        const { recordType = 1, storageDays = 7 } = before.get(id) ?? {}
        if (used.to > used.from) this.history.push({ entitlementId: id, ...used, recordType, storageDays })
      }
      account.granted ??= left
      if (account.used + left !== account.granted) this.breaches.push(`${kind} of ${id}`)
      if (['expire', 'cancel', 'replace', 'transfer'].includes(kind)) account.isDone = true
    }
    this.queue = queue
  }

  private pick() {
    return this.queue[Math.floor(this.random() * this.queue.length)]
  }

  /** Chooses a step, at a time up to two months later. */
  step() {
    this.now += Math.floor(this.random() ** 4 * 60 * DAY)
    const [kind, current, chosen] = [this.random(), this.queue[0], this.pick()]
    if (!current || !chosen || (kind < 0.45 && this.queue.length < MAX_QUEUE)) return this.openNew(current)
    if (kind < 0.55) return this.take(suspendItem(this.queue, current.id, this.now, ZONE))
    if (kind < 0.7) return this.take(resumeItem(this.queue, current.id, this.now, ZONE))
    if (kind < 0.8) return this.take(removeItem(this.queue, chosen.id, 'cancel', this.now, ZONE))
    if (kind < 0.85) return this.take(removeItem(this.queue, chosen.id, 'transfer', this.now, ZONE))
    return this.take(advanceQueue(this.queue, this.now, ZONE))
  }

  private openNew(current: QueueItem | undefined) {
    const suspended = current?.state === QUEUE_STATE.suspended
    const effect = suspended ? QUEUE_EFFECT.end : ([1, 1, 2, 3] as const)[Math.floor(this.random() * 4)]!
    const length = (['1w', '2w', '3w', '8w', '1m'] as const)[Math.floor(this.random() * 5)]!
    const ids = Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => this.next++)
    const items = ids.map((id) => item(id, length))
    this.take(addItems(this.queue, items, effect, this.now, ZONE))
  }
}

describe('10,000 random operations', () => {
  test.each([1, 2, 3, 4, 5])(
    'every invariant of the queue holds after random operations (seed %i)',
    { timeout: 600_000 },
    (seed) => {
      const walk = new Walk(seed)
      for (let count = 0; count < 2000; count += 1) {
        walk.step()
        const { queue, history, now } = walk
        expect(queue.slice(1).every(({ state }) => state === QUEUE_STATE.waiting)).toBe(true)
        expect(queue.length === 0 || queue[0]!.state !== QUEUE_STATE.waiting).toBe(true)
        expect(history.at(-1)?.to ?? 0).toBeLessThanOrEqual(now)
        if (count % 4 !== 0) continue
        const spans = [...history.slice(-20), ...projectSpans(queue, now, ZONE)]
        for (const [place, span] of spans.entries()) {
          expect(span.to).toBeGreaterThan(span.from)
          if (place > 0) expect(span.from).toBeGreaterThanOrEqual(spans[place - 1]!.to)
        }
        // However late a job runs, and whatever it has recorded before, the spans are the same.
        const later = now + (count % 400) * DAY
        const { queue: after, events } = advanceQueue(queue, later, ZONE)
        const ended = events.flatMap(({ id, used, kind }) => (kind === 'expire' ? [{ id, ...used! }] : []))
        const before = projectSpans(queue, now, ZONE).map(({ entitlementId: id, from, to }) => ({ id, from, to }))
        const then = projectSpans(after, later, ZONE).map(({ entitlementId: id, from, to }) => ({ id, from, to }))
        expect([...ended, ...then]).toEqual(before)
      }
      expect(walk.breaches).toEqual([])
      expect(walk.history.length).toBeGreaterThan(200)
      expect([...walk.accounts.values()].filter(({ isDone }) => isDone).length).toBeGreaterThan(200)
    },
  )
})
