import { Readable } from 'node:stream'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { StorageIndex } from './storage-index.ts'

const DEVICE = 7
const FROM = 1_000
const [CURRENT, NEXT] = [
  { id: 1, from: FROM, to: FROM + 100 },
  { id: 2, from: FROM + 100, to: FROM + 200 },
]
const slots = { count: 1, slotOf: () => 0 }
type Span = typeof CURRENT
const row = ({ id, from, to }: Span) => [DEVICE, 0, id, from, to, 1, 30, 0, 0, 0, 0]

/** Returns a connection to a database in which the queue of one camera has changed. Calls `onQuery` at each query. */
function databaseOf(planned: readonly Span[], past: readonly Span[], onQuery = () => {}) {
  const rowsOf = (text: string) => {
    if (text.startsWith('select device_id')) return [[DEVICE, 0, 0, 0]]
    if (text.includes('from oss_spans')) return past.map(row)
    return text.includes('from oss_entitlements') ? planned.map(row) : []
  }
  return {
    query: ({ text }: { text: string }) => {
      onQuery()
      if (text.startsWith('copy')) return Readable.from(text.includes('select distinct') ? [`${DEVICE}\n`] : [])
      return Promise.resolve({ rows: rowsOf(text) })
    },
  } as unknown as pg.Client
}

test('a channel has its spans at every moment of a reload, so that no upload permit is refused', async () => {
  const index = new StorageIndex()
  const entitlementAt = (second: number) => index.spanAt(0, 0, second)?.entitlementId
  await index.follow(databaseOf([CURRENT, NEXT], []), slots, '3:3:')
  expect([entitlementAt(FROM), entitlementAt(FROM + 100)]).toEqual([1, 2])
  const seen: (readonly (number | undefined)[])[] = []
  // The end of the first package has been recorded.
  const changed = databaseOf([NEXT], [CURRENT], () => seen.push([entitlementAt(FROM), entitlementAt(FROM + 100)]))
  await index.follow(changed, slots, '3:3:')
  expect(seen.length).toBeGreaterThanOrEqual(4)
  expect(seen).toEqual(seen.map(() => [1, 2]))
  expect([entitlementAt(FROM), entitlementAt(FROM + 100)]).toEqual([1, 2])
})
