import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { DayMeter } from './day-meter.ts'

const NOW = Date.parse('2026-11-20T04:00:00Z')
const DAY = '2026-11-20'

/** Creates a meter whose database responds when the test says so. */
function createMeter() {
  const answers: PromiseWithResolvers<{ rows: object[] }>[] = []
  const query = () => {
    const answer = Promise.withResolvers<{ rows: object[] }>()
    answers.push(answer)
    return answer.promise
  }
  const meter = new DayMeter({ query } as unknown as Pool)
  const bytes = (now = NOW, startMs = 0) => meter.bytesOf(1, 0, { day: DAY, startMs, now })
  const add = (startMs: number, size: number) => meter.add({ deviceId: 1, channel: 0, day: DAY, startMs, bytes: size })
  const permit = (startMs: number, size: number) => meter.permit(1, 0, { day: DAY, startMs, bytes: size, now: NOW })
  return { meter, answers, bytes, add, permit }
}

test('stored bytes are counted also while the database sums are read and after a failed read', async () => {
  const { meter, answers, bytes, add } = createMeter()
  bytes()
  add(1, 100)
  const reading = meter.refresh(NOW, true)
  add(2, 10)
  expect(bytes()).toBe(110)
  answers[0]!.resolve({ rows: [{ key: `1:0:${DAY}`, bytes: 100 }] })
  await reading
  expect(bytes()).toBe(110)
  const failing = meter.refresh(NOW, true)
  expect(bytes()).toBe(110)
  answers[1]!.reject(new Error('no database'))
  await expect(failing).rejects.toThrow('no database')
  expect(bytes()).toBe(110)
})

test('a permitted upload counts until it is stored or its upload ticket expires, and once when it is repeated', () => {
  const { bytes, add, permit } = createMeter()
  expect(bytes()).toBe(0)
  permit(1, 100)
  permit(1, 100)
  permit(2, 10)
  expect([bytes(), bytes(NOW, 1)]).toEqual([110, 10])
  add(1, 100)
  expect(bytes()).toBe(110)
  expect(bytes(NOW + 15 * 60_000)).toBe(100)
})

test('a permitted upload that is not stored counts until it is released', () => {
  const { meter, bytes, permit } = createMeter()
  permit(1, 100)
  permit(2, 10)
  meter.release({ deviceId: 1, channel: 0, day: DAY, startMs: 1, bytes: 100 })
  expect(bytes()).toBe(10)
})

test('simultaneous first requests share one database read', async () => {
  const { meter, answers } = createMeter()
  const loads = Promise.all([meter.load(NOW), meter.load(NOW)])
  answers[0]!.resolve({ rows: [] })
  await loads
  await meter.load(NOW)
  expect(answers).toHaveLength(1)
})
