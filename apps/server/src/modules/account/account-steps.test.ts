import { sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accounts } from '#core/schema/account.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { useApp } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '100000' })
const PASSWORD = 'Correct-horse-7'

async function person(account: string) {
  const passwordHash = await app.services.passwords.hash(computeMd5Hex(PASSWORD))
  await app.db.insert(accounts).values({ account, realname: '张三', tenantId: PLATFORM_TENANT_ID, passwordHash })
}
const login = (account: string, more = {}) =>
  app.stranger().call('POST', '/api/v1/account/login', { account, pswdMd5: computeMd5Hex(PASSWORD), ...more })

test('the second factor is required, a code works once, and a recovery code can replace it once', async () => {
  await person('two.steps')
  const { data } = await login('two.steps')
  const me = app.withTicket(data.token)
  const pswdMd5 = computeMd5Hex(PASSWORD)
  const { data: bound } = await me.call('POST', '/api/v1/account/mfa/bind', { pswdMd5 })
  const totp = new TOTP({ secret: Secret.fromBase32(bound.secret), digits: 6, period: 30 })
  const verified = await me.call('POST', '/api/v1/account/mfa/verify', { totp: totp.generate() })
  expect(verified.data.recoveryCodes).toHaveLength(10)
  expect(await login('two.steps')).toMatchObject({ code: 400, data: { totp: true } })
  const next = totp.generate({ timestamp: Date.now() + 30_000 })
  expect((await login('two.steps', { totp: next })).code).toBe(200)
  expect((await login('two.steps', { totp: next })).code).toBe(400)
  await app.db.execute(sql`delete from login_failures`)
  const recovery = { totp: verified.data.recoveryCodes[0] }
  expect((await login('two.steps', recovery)).code).toBe(200)
  expect((await login('two.steps', recovery)).code).toBe(400)
})

test('a repeated Idempotency-Key runs a write once and returns the same response', async () => {
  const me = await app.as()
  const options = {
    method: 'POST' as const,
    url: `/api/v1/account/modify/${me.uid}`,
    payload: { realname: '一次' },
    headers: { 'idempotency-key': 'form-12345678' },
  }
  const replies = await Promise.all([me.inject(options), me.inject(options), me.inject(options)])
  expect(replies.map((reply) => reply.json().data.rev)).toEqual([1, 1, 1])
  const other = await me.inject({ ...options, payload: { realname: '另一次' } })
  expect(other.json()).toMatchObject({ code: 400, msg: '同一 Idempotency-Key 不能用于不同的请求' })
})
