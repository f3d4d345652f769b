import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { deleteExpired } from './housekeeping.ts'

const app = useApp()

test('session tasks are deleted after a week, and voice servers after 30 days without a call', async () => {
  const { pool } = app.services.database
  await pool.query(`insert into agent_after (tenant_id, session_row_id, kind, state, create_time)
    select 1, n, 1, 2, now() - make_interval(days => n) from generate_series(6, 8) n`)
  await pool.query(`insert into agent_servers (tenant_id, address, client, last_time)
    select 1, '10.0.0.1', 'PythonClient/2.0 (PID:' || n || ')', now() - make_interval(days => n) from generate_series(29, 31) n`)
  expect(await deleteExpired(app.services)).toEqual({ failedItems: 0 })
  const { rows } = await pool.query(`select (select array_agg(session_row_id::int) from agent_after) as tasks,
    (select array_agg(client order by client) from agent_servers) as servers`)
  expect(rows).toEqual([{ tasks: [6], servers: ['PythonClient/2.0 (PID:29)'] }])
})

test('old webhook events, old notices and finished early deletions are deleted, and other rows are kept', async () => {
  const { pool } = app.services.database
  await pool.query(`insert into oss_hook_events (tenant_id, hook_id, event_id, type, out_order_no, body, result, create_time)
    select 1, 1, days::text, 'order.paid', '', '{}', 1, now() - make_interval(days => days) from unnest('{181, 179}'::int[]) days`)
  await pool.query(`insert into oss_notices (tenant_id, device_id, sn, channel, days, end_time, create_time)
    select 1, days, 'S', 0, 7, now() - make_interval(days => days), now() - interval '200 days'
    from unnest('{181, 179, -5}'::int[]) days`)
  await pool.query(`insert into oss_purges (tenant_id, device_id, reason, until_ms, state, done_time)
    values (1, 1, 2, 0, 1, now() - interval '31 days'), (1, 2, 2, 0, 1, now() - interval '29 days'), (1, 3, 2, 0, 0, null)`)
  expect(await deleteExpired(app.services)).toEqual({ failedItems: 0 })
  const read = async (text: string) => (await pool.query<{ it: unknown }>(text)).rows.map(({ it }) => it)
  expect(await read('select event_id as it from oss_hook_events')).toEqual(['179'])
  expect(await read('select device_id as it from oss_notices order by 1')).toEqual([-5, 179])
  expect(await read('select device_id as it from oss_purges order by 1')).toEqual([2, 3])
})
