import { expect, test } from 'vitest'
import { BatchQueue } from './batch-queue.ts'
import { isolateRows } from './rows.ts'

const dataError = () => Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' })
const rows = Array.from({ length: 100 }, (_, at) => at)

test('all rows except the rows with data errors are written, with few statements', async () => {
  const stored: number[] = []
  const dropped: number[] = []
  let statements = 0
  const write = async (some: readonly number[]) => {
    statements += 1
    if (some.includes(7) || some.includes(90)) throw dataError()
    stored.push(...some)
  }
  await isolateRows(rows, write, (row) => dropped.push(row))
  expect(dropped).toEqual([7, 90])
  expect(stored.toSorted((a, b) => a - b)).toEqual(rows.filter((row) => row !== 7 && row !== 90))
  expect(statements).toBeLessThan(30)
})

test('a connection error is thrown after one statement', async () => {
  let statements = 0
  const write = () => Promise.reject(Object.assign(new Error(`lost ${(statements += 1)}`), { code: '57P01' }))
  await expect(isolateRows(rows, write, () => {})).rejects.toThrow('lost 1')
})

test('a batch queue rejects only the item that the database refuses', async () => {
  const queue = new BatchQueue<number, string>({
    rowsOf: () => 1,
    batchRows: 100,
    pauseMs: 1,
    maxRows: 1000,
    busy: () => new Error('busy'),
    write: async (items) => {
      if (items.includes(3)) throw dataError()
      return items.map((item) => `stored ${item}`)
    },
  })
  const results = await Promise.allSettled([1, 2, 3, 4].map((item) => queue.add(item)))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(results[3]).toMatchObject({ value: 'stored 4' })
})
