import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type ApiResponse, type Caller, useApp } from '#test/harness.ts'

const app = useApp()
let admin: Caller
let deviceId = 0
let uid = 0

/** Ends the connection that writes a success to the operation log, as if the process ended between two statements. */
const KILL = `create function end_connection() returns trigger language plpgsql security definer as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
  create trigger end_connection before insert on oper_logs for each row when (new.status = 1)
    execute function end_connection()`
const REVIVE = 'drop trigger if exists end_connection on oper_logs; drop function if exists end_connection'
const run = (text: string) => app.db.execute(sql.raw(text))
const textOf = async (query: string) => String((await run(query)).rows[0]?.text ?? '')

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const { rows } = await app.db.execute<{ id: number }>(sql`insert into devices (tenant_id, model_id, sn)
    values (1, coalesce((select min(id) from device_models), 1), 'KILL0001') returning id`)
  deviceId = rows[0]!.id
  uid = (await app.as()).uid
})
afterEach(() => run(REVIVE))

interface Change {
  readonly call: () => Promise<ApiResponse>
  /** Returns the stored state that the call changes, as one column `text`. */
  readonly state: () => string
}
const CHANGES: Readonly<Record<string, Change>> = {
  新增用户: {
    call: () => admin.call('POST', '/api/v1/tenant/user', { account: 'killed1', realname: '张三' }),
    state: () => `select count(*) as text from accounts where account = 'killed1'`,
  },
  重置密码: {
    call: () => admin.call('POST', `/api/v1/tenant/user/resetPasswd/${uid}`),
    state: () => `select password_hash as text from accounts where uid = ${uid}`,
  },
  生成设备令牌: {
    call: () => admin.call('POST', `/api/v1/device/info/token/${deviceId}`),
    state: () => `select token_hash::text as text from devices where id = ${deviceId}`,
  },
  更换网关令牌: {
    call: () => admin.call('POST', '/api/v1/device/access/gatewayToken', {}),
    state: () => `select string_agg(gateway_token_hash::text, ',') as text from device_access`,
  },
  展示链接: {
    call: () => admin.call('POST', '/api/v1/home/display/link', { name: '大厅', days: 30 }),
    state: () => 'select count(*) as text from display_links',
  },
}
const successes = async () => Number(await textOf('select count(*) as text from oper_logs where status = 1'))

test.each(Object.entries(CHANGES))(
  'FAULT %s: a connection lost before the row of the operation log is written also rolls back the change',
  async (_name, { call, state }) => {
    const before = await textOf(state())
    const rows = await successes()
    await run(KILL)
    expect((await call()).code).toBe(503)
    await run(REVIVE)
    expect(await textOf(state())).toBe(before)
    expect(await successes()).toBe(rows)
    expect((await call()).code).toBe(200)
    expect(await textOf(state())).not.toBe(before)
    await vi.waitFor(async () => expect(await successes()).toBe(rows + 1))
  },
)
