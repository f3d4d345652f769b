import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createLogger } from '#core/logging/logger.ts'
import { useApp } from '#test/harness.ts'

const API = 60
const lines: string[] = []
const app = useApp(
  { OMS_RATE_API: String(API) },
  createLogger('info', { write: (line: string) => void lines.push(line) }),
)
const ROLE = '/api/v1/tenant/role'
const body = { roleName: '拒绝', roleCode: 'refused' }

interface Row extends Record<string, unknown> {
  operName: string
  tenantId: number
  message: string
}
const refusedRows = async (uid: number) =>
  (
    await app.db.execute<Row>(sql`select oper_name as "operName", tenant_id as "tenantId", error_msg as message
      from oper_logs where uid = ${uid} and status = 0 order by oper_id`)
  ).rows

describe('refused writes', () => {
  test('a call that is refused because of a missing permission is logged with account and tenant', async () => {
    const someone = await app.by({ tenant: '丙' })
    expect((await someone.call('POST', ROLE, body)).code).toBe(501)
    const { rows: own } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '丙'`)
    expect(await refusedRows(someone.uid)).toEqual([
      { operName: someone.account, tenantId: own[0]?.id, message: '您没有权限！' },
    ])
    const line = lines.map((text) => JSON.parse(text)).findLast(({ path }) => path === ROLE)
    expect(line).toMatchObject({ account: someone.uid, tenant: own[0]?.id, status: 200, code: 501 })
  })

  test("an administrator of a tenant sees refused calls only of the tenant's accounts", async () => {
    const mine = await app.by({ tenant: '丁' })
    const foreign = await app.by({ tenant: '戊' })
    for (const who of [mine, foreign]) await who.call('POST', ROLE, body)
    const boss = await app.by({ tenant: '丁', permissions: ['system:operLog:list'], dataScope: 2 })
    const { data } = await boss.call('GET', '/api/v1/sys/operlog/page?pageNum=1&pageSize=20&status=0')
    expect(data.list.map(({ operName }: { operName: string }) => operName)).toEqual([mine.account])
  })

  test('calls above the rate limit of a session get 429, and their log rows are limited', async () => {
    const someone = await app.as()
    const send = () => someone.inject({ method: 'POST', url: ROLE, payload: body })
    const replies = await Promise.all(Array.from({ length: API * 3 }, send))
    const limited = replies.filter(({ statusCode }) => statusCode === 429)
    expect(limited.length).toBeGreaterThanOrEqual(API * 2 - 10)
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
    const rows = await refusedRows(someone.uid)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThanOrEqual(API / 10 + 2)
  })

  test('the next log row of a refused call contains the number of omitted rows', async () => {
    const { RateLimit } = await import('#core/http/limits/call-limits.ts')
    const { RefusalQuota } = await import('#core/audit/refusal-quota.ts')
    let now = 0
    const quota = new RefusalQuota(new RateLimit(() => now), 2)
    expect([1, 2, 3, 4].map(() => quota.tryTake(7))).toEqual([0, 0, undefined, undefined])
    expect(quota.tryTake(8)).toBe(0)
    now = 60_000
    expect([1, 2].map(() => quota.tryTake(7))).toEqual([2, 0])
  })

  test('a refused call whose id has a NUL character is logged like a call with any unknown id', async () => {
    const admin = await app.by({ superAdmin: true })
    const unknown = 'f'.repeat(32)
    for (const id of [unknown, `${unknown}%00`, '%00', '1%00'])
      expect((await admin.call('DELETE', `/api/v1/sys/online/${id}`)).code, id).toBe(400)
    const rows = await refusedRows(admin.uid)
    expect(rows.length, JSON.stringify(rows)).toBe(4)
  })
})

describe('requests without a known session', () => {
  const reads = async () => {
    const { rows } = await app.db.execute<{ calls: number }>(
      sql`select coalesce(sum(n_tup_ins), 0)::int as calls from pg_stat_user_tables where relname like 'oper_logs%'`,
    )
    return rows[0]?.calls
  }

  test.each(['ticket', 'authorization', 'cookie'])(
    'random values of %s are refused before the database is read',
    async (name) => {
      let asked = 0
      const { pool } = app.services.database
      const query = pool.query.bind(pool)
      Object.assign(pool, {
        query: (...args: Parameters<typeof query>) => {
          asked += 1
          return query(...args)
        },
      })
      const headersOf = () => {
        const value = randomBytes(32).toString('base64url')
        if (name === 'cookie') return { cookie: `oms_session=${value}` }
        return name === 'ticket' ? { ticket: value } : { authorization: `Bearer ${value}` }
      }
      const url = name === 'cookie' ? '/api/v1/file/1' : '/api/v1/tenant/user/list'
      const remoteAddress = { ticket: '192.0.2.1', authorization: '192.0.2.2', cookie: '192.0.2.3' }[name] as string
      const send = () => app.app.inject({ url, headers: headersOf(), remoteAddress })
      const replies = []
      for (let n = 0; n < API * 2; n += 1) replies.push(await send())
      Object.assign(pool, { query })
      const limited = replies.filter(({ statusCode }) => statusCode === 429)
      expect(limited.length).toBeGreaterThanOrEqual(API - 10)
      expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
      expect(asked).toBeLessThanOrEqual(API + 10)
    },
  )

  test('calls without a session ticket are limited by IP address and write no log rows', async () => {
    const before = await reads()
    const send = () => app.app.inject({ method: 'POST', url: ROLE, payload: body, remoteAddress: '192.0.2.9' })
    const replies = await Promise.all(Array.from({ length: API * 5 }, send))
    expect(replies.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThanOrEqual(API - 10)
    expect(await reads()).toBe(before)
  })

  test('calls with a known session continue while other calls from the same IP address are refused', async () => {
    const someone = await app.as()
    const url = `/api/v1/account/detail/${someone.uid}`
    const at = (ticket: string) => app.app.inject({ url, headers: { ticket }, remoteAddress: '192.0.2.4' })
    expect((await at(someone.ticket as string)).json().code).toBe(200)
    for (let n = 0; n < API * 2; n += 1) await at(randomBytes(32).toString('base64url'))
    expect((await at('unknown')).statusCode).toBe(429)
    expect((await at(someone.ticket as string)).json().code).toBe(200)
  })
})
