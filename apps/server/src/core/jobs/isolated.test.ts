import { pino } from 'pino'
import { expect, test } from 'vitest'
import { forEachIsolated, runSteps } from './isolated.ts'

const ISOLATION = { log: pino({ level: 'silent' }), kind: 'test', name: (item: number) => ({ item }) }
const failure = (code: string) =>
  Object.assign(new Error('query failed'), { cause: Object.assign(new Error(), { code }) })

test.each([
  ['P0001', 'an error of the data'],
  ['40P01', 'a deadlock'],
  ['55P03', 'a lock timeout'],
  ['57014', 'a statement that exceeds its time limit'],
])('when an item fails with %s (%s), the other items are still processed', async (code) => {
  const seen: number[] = []
  const work = async (item: number) => {
    seen.push(item)
    if (item === 2) throw failure(code)
  }
  expect(await forEachIsolated([1, 2, 3], ISOLATION, work)).toEqual({ done: 2, failed: [2] })
  expect(seen).toEqual([1, 2, 3])
})

test.each([
  ['08006', 'a lost connection'],
  ['57P01', 'a database that shuts down'],
])('when an item fails with %s (%s), the run stops, because every further item would fail', async (code) => {
  const seen: number[] = []
  const work = async (item: number) => {
    seen.push(item)
    throw failure(code)
  }
  await expect(forEachIsolated([1, 2, 3], ISOLATION, work)).rejects.toThrow('query failed')
  expect(seen).toEqual([1])
})

test('a failed step of a job is counted, and the next steps still run', async () => {
  const seen: string[] = []
  const steps = {
    prepare: async () => Promise.reject(failure('42P17')),
    delete: async () => seen.push('delete'),
  }
  expect(await runSteps({ log: ISOLATION.log, kind: 'test' }, steps)).toBe(1)
  expect(seen).toEqual(['delete'])
})
