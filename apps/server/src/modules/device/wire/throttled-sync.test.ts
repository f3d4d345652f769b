import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ThrottledSync } from './limits.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

test('calls within a second share the next sync, which starts after them', async () => {
  const starts: number[] = []
  const origin = performance.now()
  const throttled = new ThrottledSync(async () => void starts.push(performance.now() - origin))
  const first = throttled.sync()
  await vi.advanceTimersByTimeAsync(0)
  expect(await first).toBe(true)
  const later = Array.from({ length: 50 }, () => throttled.sync())
  await vi.advanceTimersByTimeAsync(999)
  expect(starts).toEqual([0])
  await vi.advanceTimersByTimeAsync(1)
  expect(new Set(await Promise.all(later))).toEqual(new Set([true]))
  expect(starts).toEqual([0, 1000])
})

test('calls above the limit do not wait, and a failed sync does not stop later syncs', async () => {
  let runs = 0
  const throttled = new ThrottledSync(async () => {
    if (++runs === 1) throw new Error('the database is away')
  })
  const calls = Array.from({ length: 200 }, () => throttled.sync().catch((error: Error) => error.message))
  expect(await throttled.sync()).toBe(false)
  await vi.advanceTimersByTimeAsync(0)
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['the database is away']))
  const next = throttled.sync()
  await vi.advanceTimersByTimeAsync(1000)
  expect(await next).toBe(true)
})
