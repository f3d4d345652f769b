import { computeMd5Hex } from '#core/auth/passwords.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { createLogger } from '#core/logging/logger.ts'
import { type Caller, useApp } from '#test/harness.ts'

const lines: string[] = []
const app = useApp({}, createLogger('trace', { write: (line: string) => void lines.push(line) }))

let admin: Caller
let round = 0
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

/** Returns mutations with unique personal data, and the sent values. */
function writes() {
  round += 1
  const digits = String(round).padStart(8, '0')
  const md5 = computeMd5Hex(`secret ${digits}`)
  const staff = {
    account: `qzx${digits}`,
    realname: `秘密${digits}`,
    mobileNo: `139${digits}`,
    email: `qzx${digits}@example.com`,
    password: `Qzx-${digits}-pw`,
  }
  const login = { account: `nobody${digits}`, pswdMd5: md5 }
  const profile = { realname: `姓名${digits}`, nickname: `昵称${digits}` }
  const ticket = { problemType: 1, content: `内容${digits}`, phone: `138${digits}`, realname: `客户${digits}` }
  return {
    values: [staff, login, profile, ticket].flatMap((body) =>
      Object.values(body).filter((value) => typeof value === 'string'),
    ),
    send: () =>
      Promise.allSettled([
        admin.call('POST', '/api/v1/tenant/user', staff),
        app.stranger().call('POST', '/api/v1/account/login', login),
        admin.call('POST', `/api/v1/account/modify/${admin.uid}`, profile),
        admin.call('POST', '/api/v1/feedback', ticket),
      ]),
  }
}

function expectNoValuesInLog(values: readonly string[]) {
  const log = lines.join('')
  for (const value of values) expect(log, value).not.toContain(value)
  expect(log).not.toContain('$argon2')
  expect(log).not.toContain('params')
}

test('FAULT errors of refused database writes add no row values to the log', async () => {
  // Simulates a failed check constraint: the DETAIL of the error contains the whole row.
  await app.db.execute(sql`create function refuse_row() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100', detail = 'Failing row contains ' || new::text;
    end $$`)
  const { rows } = await app.db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of rows)
    await app.db.execute(sql`create trigger refuse_row before insert or update on ${sql.raw(name)}
      for each row execute function refuse_row()`)
  const { values, send } = writes()
  await send()
  await app.db.execute(sql`drop function refuse_row cascade`)
  expect(lines.some((line) => line.includes('"code":"53100"'))).toBe(true)
  expectNoValuesInLog(values)
})

test('FAULT a database that stops during writes adds no row values to the log', async () => {
  const sent: string[] = []
  for (let cut = 0; cut < 10; cut += 1) {
    const { values, send } = writes()
    sent.push(...values)
    const sending = send()
    for (let at = 0; at < 4; at += 1) {
      await new Promise((done) => setTimeout(done, 10))
      await app.db
        .execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`)
        .catch(() => {})
    }
    await sending
  }
  // A connection lost at BEGIN must also return to the pool.
  const { pool } = app.services.database
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
  expect(lines.some((line) => line.includes('request failed'))).toBe(true)
  expectNoValuesInLog(sent)
})

test('the request log contains the body code and the HTTP status', async () => {
  await admin.call('POST', '/api/v1/tenant/user', { account: '' })
  await admin.call('GET', '/api/v1/tenant/user/list?pageNum=1&pageSize=20')
  const told = lines.flatMap((line) => {
    const { msg, method, path, status, code } = JSON.parse(line)
    return msg === 'request' ? [{ method, path, status, code }] : []
  })
  expect(told.slice(-2)).toEqual([
    { method: 'POST', path: '/api/v1/tenant/user', status: 200, code: 400 },
    { method: 'GET', path: '/api/v1/tenant/user/list', status: 200, code: 200 },
  ])
})
