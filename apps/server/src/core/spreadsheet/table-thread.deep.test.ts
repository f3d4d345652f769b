import { expect, test } from 'vitest'
import { openTableInThread, TABLE_THREAD_SEMAPHORE } from './table-thread.ts'

const CSV = Buffer.from('名称,数量\n甲,1\n乙,2\n')

test('a request gets HTTP 503 with a retry time when too many tables wait to be read', async () => {
  const taken = await Promise.all([1, 2, 3, 4].map(() => TABLE_THREAD_SEMAPHORE.acquire()))
  const cancel = new AbortController()
  const waiting = Array.from({ length: 50 }, () => TABLE_THREAD_SEMAPHORE.acquire(cancel.signal).catch(() => undefined))
  await expect(openTableInThread(CSV, 't.csv')).rejects.toMatchObject({
    status: 503,
    message: '正在导入的表格过多，请稍后再试',
    retryAfter: 10,
  })
  cancel.abort()
  await Promise.all(waiting)
  for (const release of taken) release()
  expect(TABLE_THREAD_SEMAPHORE.taken).toBe(0)
})

test('50 simultaneous tables are read by at most four threads, also when tables are unreadable', async () => {
  // A job waits for its turn without a limit, so that a loaded machine cannot refuse a table.
  const { signal } = new AbortController()
  let most = 0
  const read = async (at: number) => {
    const table = await openTableInThread(at % 5 === 0 ? Buffer.from('a,"b') : CSV, 't.csv', {}, { signal })
    most = Math.max(most, TABLE_THREAD_SEMAPHORE.taken)
    try {
      let rows = 0
      for await (const _ of table.rows) rows += 1
      return rows
    } finally {
      table.close()
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => read(at)))
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10)
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 2)).toHaveLength(40)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
  await expect.poll(() => TABLE_THREAD_SEMAPHORE.taken).toBe(0)
}, 180_000)
