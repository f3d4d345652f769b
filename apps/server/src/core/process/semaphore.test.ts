import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Semaphore } from './concurrency.ts'

/** Returns the reason of a rejection. */
const reasonOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => undefined,
    (error: unknown) => error,
  )
const slotsOf = (maxWaiting: number) =>
  new Semaphore({ maxTaken: 1, maxWaiting, waitMs: 1000, overloaded: () => new Error('overloaded') })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('callers get slots in their order of arrival, and a second release of a slot has no effect', async () => {
  const slots = slotsOf(2)
  const release = await slots.acquire()
  const order: number[] = []
  const waiting = [1, 2].map(async (place) => {
    const done = await slots.acquire()
    order.push(place)
    done()
  })
  release()
  release()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2])
  expect(slots.taken).toBe(0)
})

test('a caller is refused when too many callers wait or when it waits too long', async () => {
  const slots = slotsOf(1)
  const release = await slots.acquire()
  const waiting = reasonOf(slots.acquire())
  expect(await reasonOf(slots.acquire())).toMatchObject({ message: 'overloaded' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(await waiting).toMatchObject({ message: 'overloaded' })
  release()
  expect(slots.taken).toBe(0)
})

test('a caller with an abort signal waits without a time limit until its signal aborts', async () => {
  const slots = slotsOf(0)
  const release = await slots.acquire()
  const [kept, cancelled] = [new AbortController(), new AbortController()]
  const job = slots.acquire(kept.signal)
  const stopped = reasonOf(slots.acquire(cancelled.signal))
  await vi.advanceTimersByTimeAsync(60_000)
  cancelled.abort(new Error('cancelled'))
  expect(await stopped).toMatchObject({ message: 'cancelled' })
  release()
  const done = await job
  done()
  expect(slots.taken).toBe(0)
})

test('waiting callers with an abort signal do not count towards the limit of waiting callers', async () => {
  const slots = slotsOf(1)
  const release = await slots.acquire()
  const { signal } = new AbortController()
  const jobs = [slots.acquire(signal), slots.acquire(signal), slots.acquire(signal)]
  const person = slots.acquire()
  expect(await reasonOf(slots.acquire())).toMatchObject({ message: 'overloaded' })
  release()
  for (const job of jobs) (await job)()
  ;(await person)()
  expect(slots.taken).toBe(0)
  const held = await slots.acquire()
  const next = slots.acquire()
  held()
  ;(await next)()
})
