import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { useApp } from '#test/harness.ts'
import { runVideoPurge, runVideoSweep } from './retention.ts'

const app = useApp()
const today = () => formatLocalDay(new Date(), 'Asia/Shanghai')
const daysBefore = (count: number) => Array.from({ length: count }, (_, at) => addDays(today(), -1 - at))
const noteRuns = (days: string[]) =>
  app.db.execute(sql`insert into settings (key, value) values ('storageSweepDays', ${JSON.stringify(days)}::jsonb)
    on conflict (key) do update set value = excluded.value`)
const stateOf = async (day: string) =>
  (await app.db.execute<{ state: number }>(sql`select state from oss_days where expire_day = ${day}`)).rows[0]?.state

beforeEach(async () => {
  await app.db.execute(sql`delete from settings where key = 'storageSweepDays'`)
  await app.db.execute(sql`select oms_ensure_video_days(array[current_date - 40])`)
  await app.db.execute(sql`update oss_days set state = 0`)
})

test('STORAGE-06 expired days are deleted only when the job ran on seven of the last fourteen days', async () => {
  await noteRuns(daysBefore(5))
  expect(await runVideoSweep(app.services)).toMatchObject({ swept: [] })
  await noteRuns(daysBefore(30).slice(20))
  expect(await runVideoSweep(app.services)).toMatchObject({ swept: [] })
  await noteRuns(daysBefore(6))
  const { swept } = await runVideoSweep(app.services)
  expect(swept).toHaveLength(1)
  expect(await stateOf(swept[0]!)).toBe(3)
})

test('STORAGE-06 no expired day is deleted while the clocks of process and database differ', async () => {
  await noteRuns(daysBefore(10))
  const ahead = { ...app.services, now: () => new Date(Date.now() + 6 * 60_000) }
  expect(await runVideoSweep(ahead)).toMatchObject({ swept: [] })
})

test('the job creates partitions for the coming days of every storage time in use', async () => {
  await app.db.execute(sql`
    insert into oss_entitlements (ent_no, device_id, sn, channel, tenant_id, package_id, package_version_id, package_name,
      package_code, record_type, storage_days, period_type, period_count, source, state)
    values ('OE1', 1, 'CAM1', 0, 1, 1, 1, 'P', 'P', 1, 30, 2, 1, 1, 0)`)
  await runVideoSweep(app.services)
  for (const days of [31, 34]) expect(await stateOf(addDays(today(), days))).toBe(0)
  const { rows } = await app.db.execute(sql`select has_table_privilege('oms_tenant',
    'oss_segments_' || to_char(${addDays(today(), 31)}::date, 'YYYYMMDD'), 'select') as can`)
  expect(rows).toEqual([{ can: false }])
  expect(await runVideoPurge(app.services)).toEqual({ purges: 0, failedItems: 0 })
})
