import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { BatchedRead } from './batched-read.ts'

type Rows = ReadonlyMap<number, string>

/** Returns a read whose statements the test ends by `end` or `fail`. */
function manualRead(valueOf: (row: string) => string = (row) => row.toUpperCase()) {
  const statements: {
    readonly keys: readonly number[]
    readonly end: (rows: Rows) => void
    readonly fail: (error: unknown) => void
  }[] = []
  const read = vi.fn<(keys: readonly number[]) => Promise<Rows>>((keys) => {
    const { promise, resolve: end, reject: fail } = Promise.withResolvers<Rows>()
    statements.push({ keys, end, fail })
    return promise
  })
  const batched = new BatchedRead<number, string, string>({ read, valueOf })
  const started = async (count: number) => {
    await vi.waitFor(() => expect(statements).toHaveLength(count))
    return statements[count - 1]!
  }
  return { batched, read, started }
}

const rowsOf = (keys: readonly number[]) => new Map(keys.map((key) => [key, `row ${key}`]))

test('simultaneous calls share one SQL statement, and each caller gets the row of its key', async () => {
  const { batched, read, started } = manualRead()
  const all = Promise.all([3, 1, 2].map((key) => batched.get(key)))
  const statement = await started(1)
  // Rows in another order than the keys, and without a row of key 1.
  statement.end(
    new Map([
      [2, 'b'],
      [3, 'c'],
      [9, 'not asked for'],
    ]),
  )
  expect(await all).toEqual(['C', undefined, 'B'])
  expect(read).toHaveBeenCalledTimes(1)
  expect(statement.keys).toEqual([3, 1, 2])
})

test('a key that several callers request is sent once, and its row is converted once', async () => {
  const valueOf = vi.fn<(row: string) => string>((row) => row)
  const { batched, started } = manualRead(valueOf)
  const all = Promise.all([1, 1, 2, 1].map((key) => batched.get(key)))
  const statement = await started(1)
  expect(statement.keys).toEqual([1, 2])
  statement.end(rowsOf([1, 2]))
  expect(await all).toEqual(['row 1', 'row 1', 'row 2', 'row 1'])
  expect(valueOf).toHaveBeenCalledTimes(2)
})

test('a call that arrives while a statement runs gets a row of a later statement, also for the same key', async () => {
  const { batched, started } = manualRead()
  const first = batched.get(1)
  const running = await started(1)
  const second = batched.get(1)
  running.end(new Map([[1, 'old']]))
  expect(await first).toBe('OLD')
  const later = await started(2)
  later.end(new Map([[1, 'new']]))
  expect(await second).toBe('NEW')
})

test('rows are not cached: a key is read again after its statement ended', async () => {
  const { batched, started } = manualRead()
  for (const [at, row] of ['first', 'second', ''].entries()) {
    const found = batched.get(1)
    const statement = await started(at + 1)
    statement.end(new Map(row === '' ? [] : [[1, row]]))
    expect(await found).toBe(row === '' ? undefined : row.toUpperCase())
  }
})

test('one statement runs at a time, and calls that arrive meanwhile share the next statement', async () => {
  const { batched, read, started } = manualRead()
  const first = batched.get(0)
  const running = await started(1)
  const waiting = Array.from({ length: 40 }, (_, at) => batched.get(at + 1))
  await setImmediate()
  expect(read).toHaveBeenCalledTimes(1)
  running.end(rowsOf([0]))
  const next = await started(2)
  expect(next.keys).toHaveLength(40)
  next.end(rowsOf(next.keys))
  expect(await first).toBe('ROW 0')
  expect(await Promise.all(waiting)).toEqual(next.keys.map((key) => `ROW ${key}`))
})

test('keys beyond the batch size are read with several statements', async () => {
  const sizes: number[] = []
  const read = async (keys: readonly number[]) => {
    sizes.push(keys.length)
    return rowsOf(keys)
  }
  const batched = new BatchedRead<number, string, string>({ read, valueOf: (row) => row })
  const keys = Array.from({ length: 1200 }, (_, at) => at)
  expect([...(await batched.getAll(keys))]).toEqual(keys.map((key) => [key, `row ${key}`]))
  expect(sizes).toEqual([500, 500, 200])
})

test('getAll reads its keys with one statement and omits keys without a row', async () => {
  const { batched, read, started } = manualRead()
  const found = batched.getAll([5, 4, 5, 6])
  const statement = await started(1)
  statement.end(rowsOf([4, 5]))
  expect([...(await found)]).toEqual([
    [5, 'ROW 5'],
    [4, 'ROW 4'],
  ])
  expect(read).toHaveBeenCalledTimes(1)
  expect([...(await batched.getAll([]))]).toEqual([])
  expect(read).toHaveBeenCalledTimes(1)
})

test('a failed SQL statement rejects all calls that share it, and no later call', async () => {
  const { batched, started } = manualRead()
  const failing = Promise.allSettled([batched.get(1), batched.get(2), batched.get(1), batched.getAll([2, 3])])
  const statement = await started(1)
  const later = batched.get(1)
  const lost = new Error('connection lost')
  statement.fail(lost)
  expect(await failing).toEqual(Array(4).fill({ status: 'rejected', reason: lost }))
  const next = await started(2)
  next.end(rowsOf([1]))
  expect(await later).toBe('ROW 1')
})

test('a row that cannot be converted fails only the callers of its key', async () => {
  const broken = new Error('wrong key')
  const { batched, started } = manualRead((row) => {
    if (row === 'row 2') throw broken
    return row
  })
  const all = Promise.allSettled([batched.get(1), batched.get(2), batched.get(2), batched.get(3)])
  const statement = await started(1)
  statement.end(rowsOf([1, 2, 3]))
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect((await all)[1]).toMatchObject({ reason: broken })
})

test('a key that the database refuses fails only its own callers', async () => {
  const refused = Object.assign(new Error('invalid byte sequence'), { code: '22021' })
  const read = async (keys: readonly number[]) => {
    if (keys.includes(3)) throw refused
    return rowsOf(keys)
  }
  const batched = new BatchedRead<number, string, string>({ read, valueOf: (row) => row })
  const all = await Promise.allSettled([1, 2, 3, 4].map((key) => batched.get(key)))
  expect(all.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
    'row 1',
    'row 2',
    refused,
    'row 4',
  ])
})
