import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { loadPastPrograms } from './past-programs.ts'

const MIGRATION = join(import.meta.dirname, '../../../schema/migrations/0053_program_states.sql')
const database = useDatabase()
const query = async (text: string) => (await database.pool.query(text)).rows

/** Statements that restore the schema before the migration. */
const UNDO = `drop trigger ad_programs_state on ad_programs; drop function oms_ad_program_state;
  drop table ad_program_states`

const at = async (time: string) => {
  const { inForce, paused, isRecorded } = await loadPastPrograms(database.db, 1, Date.parse(time))
  const keys = (programs: typeof inForce) => programs.map(({ id, body }) => `${id}:${body.verNo}`)
  return { inForce: keys(inForce), paused: keys(paused), isRecorded }
}

test('the migration derives the states of programs from the times of their versions, and records changes from then on', async () => {
  await query(UNDO)
  await query(`insert into ad_programs (id, tenant_id, program_name, date_from, date_to, status, ver_no, published_ver,
      update_time, deleted_at) values
    (1, 1, '两版', '2026-10-01', '2099-12-31', 2, 3, 2, '2026-11-05T00:00Z', null),
    (2, 1, '暂停', '2026-10-01', '2099-12-31', 4, 1, 1, '2026-11-10T00:00Z', null),
    (3, 1, '删除', '2026-10-01', '2099-12-31', 5, 1, 0, '2026-11-03T00:00Z', '2026-11-04T00:00Z'),
    (4, 1, '草稿', '2026-10-01', '2099-12-31', 0, 0, 0, '2026-11-01T00:00Z', null),
    (5, 2, '别的客户', '2026-10-01', '2099-12-31', 2, 1, 1, '2026-11-01T00:00Z', null)`)
  await query(`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state,
      publish_by, publish_time, audit_time)
    select p, v, t, jsonb_build_object('id', p, 'verNo', v, 'dateTo', '2099-12-31'), 1, '{}', s, 1, published::timestamptz,
      approved::timestamptz
    from (values (1, 1, 1, 3, '2026-11-01T00:00Z', null), (1, 2, 1, 2, '2026-11-02T00:00Z', '2026-11-05T00:00Z'),
      (1, 3, 1, 4, '2026-11-06T00:00Z', '2026-11-07T00:00Z'), (2, 1, 1, 2, '2026-11-01T00:00Z', null),
      (3, 1, 1, 3, '2026-11-01T00:00Z', null), (5, 1, 2, 2, '2026-11-01T00:00Z', null))
      as versions (p, v, t, s, published, approved)`)
  for (const statement of readFileSync(MIGRATION, 'utf8').split('--> statement-breakpoint')) await query(statement)
  expect(await at('2026-10-31T00:00Z')).toEqual({ inForce: [], paused: [], isRecorded: true })
  expect(await at('2026-11-02T12:00Z')).toEqual({ inForce: ['1:1', '2:1', '3:1'], paused: [], isRecorded: false })
  expect(await at('2026-11-05T12:00Z')).toEqual({ inForce: ['1:2', '2:1'], paused: [], isRecorded: false })
  expect(await at('2026-11-11T00:00Z')).toEqual({ inForce: ['1:2'], paused: ['2:1'], isRecorded: false })
  await query(`update ad_programs set status = 4 where id = 1; update ad_programs set status = 2 where id = 2`)
  const later = new Date(Date.now() + 60_000).toISOString()
  expect(await at(later)).toEqual({ inForce: ['2:1'], paused: ['1:2'], isRecorded: true })
})
