import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#core/database/client.ts'
import { migrateTo, readMigrations } from '#core/database/migrate.ts'
import { createTestDatabase } from '#test/database.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query('drop schema public cascade; create schema public')
})
afterAll(() => database.close())

test('the migration keeps the reports of existing screens, and clears the ETag of SMIL players', async () => {
  const migrations = readMigrations()
  const at = migrations.findIndex(({ tag }) => tag.endsWith('screen_facts'))
  await migrateTo(database.connection, migrations.slice(0, at))
  await database.pool.query(`insert into ad_screens (device_id, tenant_id, player_kind, player_version, applied_etag,
      now_playing, last_report_time) values
    (1, 1, 1, 'web abc muted', 'e', '{"programId":1,"itemId":1,"adId":1,"since":1}', '2026-01-01T00:00:00Z'),
    (2, 1, 1, 'web abc', 'e', null, '2026-01-01T00:00:00Z'), (3, 1, 3, 'garlic', 'e', null, null)`)
  await migrateTo(database.connection, migrations)
  const { rows } = await database.pool.query(`select player_version as version, muted, applied_etag as etag,
    playing_time = last_report_time as "isTimed" from ad_screens order by device_id`)
  expect(rows).toEqual([
    { version: 'web abc', muted: 1, etag: 'e', isTimed: true },
    { version: 'web abc', muted: 0, etag: 'e', isTimed: null },
    { version: 'garlic', muted: 0, etag: '', isTimed: null },
  ])
})
