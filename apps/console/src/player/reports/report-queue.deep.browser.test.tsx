import { afterAll, beforeAll, expect, test } from 'vitest'
import { OBJECT_STORES, openDatabase, transact } from '../database.ts'
import { ReportQueue, type ReportRow } from './report-queue.ts'

const MAX_ROWS = 200_000
const START = Date.UTC(2026, 9, 1)
/** Number of rows that were already sent: the oldest rows. */
const ATTEMPTED = 100
const PLAY_MS = 10_000

const createRow = (seq: number): ReportRow => ({
  seq,
  sn: 'SCR-1',
  isOpen: false,
  slotStart: 0,
  since: 0,
  reportId: `report-${seq}`,
  programId: 1,
  ver: 1,
  itemId: 1,
  adId: 1,
  adVer: 1,
  start: START + seq * PLAY_MS,
  ms: PLAY_MS,
  planned: PLAY_MS,
  result: 1,
  clock: 2,
  count: 1,
})

const readRows = () => transact(OBJECT_STORES.reports, 'readonly', (store) => store.getAll() as IDBRequest<ReportRow[]>)
const clear = () => transact(OBJECT_STORES.reports, 'readwrite', (store) => store.clear() as IDBRequest<unknown>)

beforeAll(async () => {
  await openDatabase()
  await clear()
  await transact(OBJECT_STORES.reports, 'readwrite', (store) => {
    let last: IDBRequest | undefined
    for (let seq = 1; seq <= MAX_ROWS; seq++) last = store.put(createRow(seq))
    return last
  })
})
afterAll(clear)

test('AD-07 a queue of 200,000 plays is not compacted, and one more play sums the oldest days by hour', async () => {
  const queue = await ReportQueue.open()
  expect(queue.size).toBe(MAX_ROWS)
  await queue.compact(ATTEMPTED)
  expect(queue.size).toBe(MAX_ROWS)
  expect(await transact(OBJECT_STORES.reports, 'readonly', (store) => store.count())).toBe(MAX_ROWS)

  await queue.put(createRow(queue.newSeq()))
  await queue.compact(ATTEMPTED)
  const rows = await readRows()
  expect(rows).toHaveLength(queue.size)
  expect(queue.size).toBeLessThan(MAX_ROWS * 0.8)
  // No play is lost. Rows that the server may have stored are unchanged, and the newest days keep single plays.
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(MAX_ROWS + 1)
  expect(rows.slice(0, ATTEMPTED)).toEqual(Array.from({ length: ATTEMPTED }, (_, at) => createRow(at + 1)))
  expect(rows.slice(-MAX_ROWS / 2).every(({ count }) => count === 1)).toBe(true)
  expect(rows.some(({ count }) => count > 1)).toBe(true)
})
