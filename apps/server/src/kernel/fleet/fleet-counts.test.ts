import { expect, test } from 'vitest'
import type { Kernel } from '#kernel/kernel.ts'
import { figureBehind } from './fleet-counts.ts'

const MINUTE_MS = 60_000
const MANY = 1_000_000

/** A kernel with a clock of its own, and a count that answers when it is told to. */
function setUp() {
  let now = 0
  const kernel = { now: () => new Date(now), database: { db: 'pool' } } as unknown as Kernel
  const waiting: ((rows: number) => void)[] = []
  const ask = () =>
    figureBehind(kernel, 'devices of one', (db) => {
      expect(db).toBe('pool')
      return new Promise<{ rows: number }>((done) => waiting.push((rows) => done({ rows })))
    })
  return { ask, waiting, pass: (ms: number) => (now += ms) }
}

test('the first waits for a large count, later ones see the last while the next is taken', async () => {
  const { ask, waiting, pass } = setUp()
  const [first, second] = [ask(), ask()]
  expect(waiting).toHaveLength(1)
  waiting[0]?.(MANY)
  expect(await first).toEqual({ rows: MANY })
  expect(await second).toEqual({ rows: MANY })
  pass(MINUTE_MS - 1)
  expect(await ask()).toEqual({ rows: MANY })
  expect(waiting).toHaveLength(1)
  pass(1)
  // Answered although the next count is still under way.
  expect(await ask()).toEqual({ rows: MANY })
  expect(await ask()).toEqual({ rows: MANY })
  expect(waiting).toHaveLength(2)
  waiting[1]?.(MANY + 1)
  await Promise.resolve()
  await expect.poll(ask).toEqual({ rows: MANY + 1 })
})

test('a figure nobody asked for in ten minutes is counted anew', async () => {
  const { ask, waiting, pass } = setUp()
  const first = ask()
  waiting[0]?.(MANY)
  await first
  pass(11 * MINUTE_MS)
  const later = ask()
  expect(waiting).toHaveLength(2)
  waiting[1]?.(MANY * 2)
  expect(await later).toEqual({ rows: MANY * 2 })
})

test('few rows are counted every time', async () => {
  const { ask, waiting } = setUp()
  const first = ask()
  waiting[0]?.(3)
  await first
  const second = ask()
  expect(waiting).toHaveLength(2)
  waiting[1]?.(4)
  expect(await second).toEqual({ rows: 4 })
})
