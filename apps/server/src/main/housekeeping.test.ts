import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Services } from '#core/services.ts'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { registerHousekeeping } from './housekeeping.ts'

const database = useDatabase()

/** Runs the job once. */
async function runHousekeeping() {
  let run: (() => Promise<{ failedItems: number }>) | undefined
  const jobs = { schedule: (_kind: string, job: typeof run) => void (run = job) }
  const log = pino({ level: 'silent' })
  registerHousekeeping({ database, jobs, log, config: { session: { idleMinutes: 30 } } } as unknown as Services)
  return run!()
}

test('old calls of shops, notices of past ends and finished early deletions are deleted, and others are kept', async () => {
  const { pool } = database
  await pool.query(`insert into oss_hook_events (tenant_id, hook_id, event_id, type, out_order_no, body, result, create_time)
    select 1, 1, days::text, 'order.paid', '', '{}', 1, now() - make_interval(days => days) from unnest('{181, 179}'::int[]) days`)
  await pool.query(`insert into oss_notices (tenant_id, device_id, sn, channel, days, end_time, create_time)
    select 1, days, 'S', 0, 7, now() - make_interval(days => days), now() - interval '200 days'
    from unnest('{181, 179, -5}'::int[]) days`)
  await pool.query(`insert into oss_purges (tenant_id, device_id, reason, until_ms, state, done_time)
    values (1, 1, 2, 0, 1, now() - interval '31 days'), (1, 2, 2, 0, 1, now() - interval '29 days'), (1, 3, 2, 0, 0, null)`)
  expect(await runHousekeeping()).toEqual({ failedItems: 0 })
  const read = async (text: string) => (await pool.query<{ it: unknown }>(text)).rows.map(({ it }) => it)
  expect(await read('select event_id as it from oss_hook_events')).toEqual(['179'])
  expect(await read('select device_id as it from oss_notices order by 1')).toEqual([-5, 179])
  expect(await read('select device_id as it from oss_purges order by 1')).toEqual([2, 3])
})
