import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { deleteExpired } from './housekeeping.ts'

const app = useApp()

test('deletes session tasks after a week and voice servers after 30 days without a call', async () => {
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
