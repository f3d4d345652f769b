import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useDatabase } from '#test/fixtures/video-fixture.ts'

const MIGRATION = join(import.meta.dirname, '../../../schema/migrations/0051_ad_screen_history.sql')
const database = useDatabase()
const query = async (text: string) => (await database.pool.query(text)).rows

/** Statements that restore the schema before the migration. */
const UNDO = `drop trigger ad_screens_period on ad_screens; drop trigger ad_screens_period_changed on ad_screens;
  drop trigger ad_screens_period_removed on ad_screens;
  drop trigger devices_former_members on devices; drop trigger device_groups_former_members on device_groups;
  drop function oms_ad_screen_period, oms_ad_screens_paired, oms_ad_former_members; drop table ad_screen_periods, ad_former_members;
  alter table ad_play_days drop column exposure`

test('the migration computes the exposure of stored plays with the present factor, and creates periods of present and former screens', async () => {
  await query(UNDO)
  await query(`insert into devices (id, sn, tenant_id, model_id) values (1, 'A', 1, 1), (2, 'B', 2, 1), (3, 'C', 1, 1)`)
  await query(`insert into device_former_tenants (device_id, end_time, tenant_id) values (2, '2026-10-10T00:00Z', 1)`)
  await query(`insert into ad_screens (device_id, tenant_id, player_kind, audience_factor, create_time) values
    (1, 1, 1, 2.25, '2026-11-01'), (2, 2, 1, 0.5, '2026-10-01')`)
  const ms = (iso: string) => Date.parse(iso)
  await query(`insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, plays, complete, partial, failed, ms,
      untrusted, first_start, last_end) values
    ('2026-10-20', 1, 1, 1, 1, 100, 100, 0, 0, 0, 2, ${ms('2026-10-20T02:00Z')}, ${ms('2026-10-20T03:00Z')}),
    ('2026-10-05', 2, 1, 1, 1, 10, 10, 0, 0, 0, 0, ${ms('2026-10-05T02:00Z')}, ${ms('2026-10-05T03:00Z')}),
    ('2026-11-05', 2, 1, 1, 2, 10, 10, 0, 0, 0, 0, ${ms('2026-11-05T02:00Z')}, ${ms('2026-11-05T03:00Z')}),
    ('2026-11-06', 3, 1, 1, 1, 7, 7, 0, 0, 0, 0, ${ms('2026-11-06T02:00Z')}, ${ms('2026-11-06T03:00Z')}),
    ('2026-11-07', 3, 1, 1, 1, 7, 7, 0, 0, 0, 0, ${ms('2026-11-07T02:00Z')}, ${ms('2026-11-07T03:00Z')})`)
  for (const statement of readFileSync(MIGRATION, 'utf8').split('--> statement-breakpoint')) await query(statement)
  expect(await query('select device_id, exposure::int from ad_play_days order by day')).toEqual([
    { device_id: 2, exposure: 500 },
    { device_id: 1, exposure: 22_950 },
    { device_id: 2, exposure: 500 },
    { device_id: 3, exposure: 700 },
    { device_id: 3, exposure: 700 },
  ])
  const at = (column: string) => `to_char(${column} at time zone 'UTC', 'MM-DD HH24:MI') as ${column}`
  expect(
    await query(`select device_id, tenant_id, audience_factor::float8 as factor, ${at('from_time')}, ${at('until_time')}
      from ad_screen_periods order by device_id, ad_screen_periods.from_time`),
  ).toEqual([
    { device_id: 1, tenant_id: 1, factor: 2.25, from_time: '10-20 02:00', until_time: null },
    { device_id: 2, tenant_id: 1, factor: 0.5, from_time: '10-05 02:00', until_time: '10-05 03:00' },
    { device_id: 2, tenant_id: 2, factor: 0.5, from_time: '10-10 00:00', until_time: null },
    { device_id: 3, tenant_id: 1, factor: 1, from_time: '11-06 02:00', until_time: '11-07 03:00' },
  ])
})
