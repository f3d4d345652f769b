import { expect, test } from 'vitest'
import type { Services } from '#core/services.ts'
import { readCachedFigure } from './fleet-counts.ts'

const MINUTE_MS = 60_000
const MANY = 1_000_000

/** Creates services with a simulated clock and a count that returns on request. */
function setUp() {
  let now = 0
  const services = { now: () => new Date(now), database: { db: 'pool' } } as unknown as Services
  const waiting: ((rows: number) => void)[] = []
  const ask = () =>
    readCachedFigure(services, 'devices of one', (db) => {
      expect(db).toBe('pool')
      return new Promise<{ rows: number }>((done) => waiting.push((rows) => done({ rows })))
    })
  return { ask, waiting, pass: (ms: number) => (now += ms) }
}

test('the first request waits for a large count; later requests get the cached count during a recount', async () => {
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
  // Returned while the next count is still running.
  expect(await ask()).toEqual({ rows: MANY })
  expect(await ask()).toEqual({ rows: MANY })
  expect(waiting).toHaveLength(2)
  waiting[1]?.(MANY + 1)
  await Promise.resolve()
  await expect.poll(ask).toEqual({ rows: MANY + 1 })
})

test('a count that was not requested for ten minutes is counted again before the response', async () => {
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

test('small counts are queried again on every request', async () => {
  const { ask, waiting } = setUp()
  const first = ask()
  waiting[0]?.(3)
  await first
  const second = ask()
  expect(waiting).toHaveLength(2)
  waiting[1]?.(4)
  expect(await second).toEqual({ rows: 4 })
})
