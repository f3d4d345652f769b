import { expect, test } from 'vitest'
import { mergePlaysByHour } from './add-up-hours.ts'
import type { ReportRow } from './report-queue.ts'

const DAY = Date.UTC(2026, 10, 20)
const MINUTE = 60_000
const row = (seq: number, start: number, over: Partial<ReportRow> = {}): ReportRow => ({
  seq,
  sn: 'SCR-1',
  isOpen: false,
  slotStart: start,
  since: start,
  reportId: `report-${seq}`,
  programId: 1,
  ver: 1,
  itemId: 1,
  adId: 1,
  adVer: 1,
  start,
  ms: 10_000,
  planned: 10_000,
  result: 1,
  clock: 2,
  count: 1,
  ...over,
})
const total = (rows: readonly ReportRow[], field: 'count' | 'ms' | 'planned') =>
  rows.reduce((sum, each) => sum + each[field], 0)

test('AD-07 merging the oldest plays by hour keeps the total number of plays and milliseconds', () => {
  const rows = Array.from({ length: 2000 }, (_, n) =>
    row(n + 1, DAY + n * MINUTE, { adId: 1 + (n % 2), result: n % 10 === 0 ? 2 : 1, ms: n % 10 === 0 ? 4000 : 10_000 }),
  )
  const { removed, changed } = mergePlaysByHour(rows)
  const bySeq = new Map(changed.map((each) => [each.seq, each]))
  const left = rows.filter(({ seq }) => !removed.includes(seq)).map((each) => bySeq.get(each.seq) ?? each)
  for (const field of ['count', 'ms', 'planned'] as const) expect(total(left, field)).toBe(total(rows, field))
  // The first day has 24 hours of two ads; the partial plays are all of one ad.
  expect(left.filter(({ start }) => start < DAY + 24 * 60 * MINUTE).length).toBe(24 * 3)
  expect(left.filter(({ start }) => start >= DAY + 24 * 60 * MINUTE).length).toBe(2000 - 1440)
  expect(left.every(({ count, planned }) => count <= 3600 && planned <= 3_600_000)).toBe(true)
})

test('AD-07 a merged row contains at most one hour of plays', () => {
  const long = Array.from({ length: 4 }, (_, n) => row(n + 1, DAY + n * MINUTE, { planned: 1_500_000, ms: 1_500_000 }))
  const { removed, changed } = mergePlaysByHour([...long, row(9, DAY + 30 * 60 * 60 * 1000)])
  expect(removed).toEqual([2, 4])
  expect(changed.map(({ seq, count, planned }) => [seq, count, planned])).toEqual([
    [1, 2, 3_000_000],
    [3, 2, 3_000_000],
  ])
})
