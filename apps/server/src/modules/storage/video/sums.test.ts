import { pino } from 'pino'
import { expect, test } from 'vitest'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { mergeVideoSums } from '../clock.ts'
import { maintainVideoPartitions } from './retention.ts'

const database = useDatabase()
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows

/** Appends a difference as uploads do. */
async function append(day: string, n: number) {
  await query(
    `insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
     values ($1, 1, 2, 1, $2::int, $2::int, $2::int, $2::int)`,
    [day, n],
  )
}
/** Returns the rows of the sums. `version` changes when a statement writes the row again. */
const readRows = () =>
  query(
    `select day, segments, bytes::int as bytes, folded, xmin::text || ctid::text as version from oss_usage_days order by day, id`,
  )

test('STORAGE-09 merging adds the appended rows and does not rewrite rows of other days', async () => {
  await query(`truncate oss_usage_days`)
  for (const [day, n] of [
    ['2026-11-01', 3],
    ['2026-11-01', 4],
    ['2026-11-02', 5],
  ] as const)
    await append(day, n)
  await mergeVideoSums(database.db)
  const first = await readRows()
  expect(first).toMatchObject([
    { day: '2026-11-01', segments: 7, bytes: 7, folded: 1 },
    { day: '2026-11-02', segments: 5, bytes: 5, folded: 1 },
  ])
  await append('2026-11-02', 10)
  await mergeVideoSums(database.db)
  const second = await readRows()
  expect(second).toMatchObject([first[0], { day: '2026-11-02', segments: 15, bytes: 15, folded: 1 }])
  await mergeVideoSums(database.db)
  expect(await readRows()).toEqual(second)
})

test('STORAGE-09 a merge in transactions of two rows keeps all sums and merges all rows of equal keys', async () => {
  await query(`truncate oss_usage_days, oss_stored`)
  for (const n of [1, 2, 3, 4, 5]) {
    await append('2026-11-01', n)
    for (const day of ['2026-11-08', '2026-11-09'])
      await query(
        `insert into oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
         values ($1, 1, 2, 1, $2::int, $2::int)`,
        [day, n],
      )
  }
  await query(`insert into oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
    values ('2026-11-09', 1, 2, 1, -15, -15)`)
  const stored = () => query('select expire_day as day, bytes::int as bytes, id from oss_stored order by day')
  await mergeVideoSums(database.db, 2)
  expect(await readRows()).toMatchObject([{ day: '2026-11-01', bytes: 15, folded: 1 }])
  const merged = await stored()
  expect(merged).toMatchObject([{ day: '2026-11-08', bytes: 15 }])
  await mergeVideoSums(database.db, 2)
  expect(await stored()).toEqual(merged)
})

test('STORAGE-06 the sums keep the months that end within the last 400 days', async () => {
  await query(`truncate oss_usage_days`)
  for (const day of ['2025-09-30', '2025-10-01', '2025-10-31', '2026-11-01']) await append(day, 1)
  await mergeVideoSums(database.db)
  await append('2025-09-30', 2)
  // 400 days before are 2025-10-22.
  await maintainVideoPartitions({ pool: database.pool, log: pino({ level: 'silent' }) }, '2026-11-26')
  expect((await readRows()).map(({ day }) => day)).toEqual(['2025-10-01', '2025-10-31', '2026-11-01'])
})
