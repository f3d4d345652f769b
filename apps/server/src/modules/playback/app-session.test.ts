import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { playbackFixture, signedRequest, withToken } from './playback-fixture.ts'

const app = useApp()
const fixture = playbackFixture(app)
let admin: Caller
let key: Awaited<ReturnType<typeof fixture.addKey>>

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  await fixture.addAccount(1, 'Wang')
  await fixture.addAccount(1, 'Li')
  key = await fixture.addKey(admin)
})

const now = () => Math.floor(Date.now() / 1000)
const open = (sent: object) => app.stranger().call('POST', '/api/v1/oss/app/session', sent)
const devicesOf = (token: string) => withToken(app.stranger(), token)('GET', 'device/list')

describe('sessions of App users', () => {
  test('STORAGE-08 a signed request opens a session for the account of the key', async () => {
    const { data } = await open(signedRequest(key))
    expect(data.expireTime - Date.now()).toBeGreaterThan(890_000)
    expect(await devicesOf(data.token)).toMatchObject({ code: 200, data: { list: [] } })
  })

  test.each([
    ['another secret', () => signedRequest(key, {}, 'x')],
    ['a changed account', () => ({ ...signedRequest(key), account: 'li' })],
    ['a time 301 s ago', () => signedRequest(key, { time: now() - 301 })],
    ['a time 301 s ahead', () => signedRequest(key, { time: now() + 302 })],
    ['an unknown key', () => signedRequest(key, { keyId: 'ak0' })],
  ])('refuses %s with one text', async (_, sent) => {
    expect(await open(sent())).toMatchObject({ code: 501, msg: '签名不正确或已过期' })
  })

  test('refuses a repeated nonce, also in 20 requests at once', async () => {
    const sent = signedRequest(key)
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await open(sent)).code))
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
  })

  test('refuses a token after its key or its account is disabled', async () => {
    const { token } = (await open(signedRequest(key, { account: 'Li' }))).data
    expect((await devicesOf(token)).code).toBe(200)
    await admin.call('POST', `/api/v1/oss/appkey/disable/${key.id}`)
    expect(await devicesOf(token)).toMatchObject({ code: 401, msg: '登录已失效，请重新进入' })
    expect((await open(signedRequest(key))).code).toBe(501)
    await admin.call('POST', `/api/v1/oss/appkey/enable/${key.id}`)
    await app.db.execute(sql`update app_accounts set status = 0 where account = 'Li'`)
    expect((await devicesOf(token)).code).toBe(401)
  })

  test('a replaced secret is refused at once', async () => {
    const made = (await admin.call('POST', '/api/v1/oss/appkey', { keyName: '轮换' })).data
    const rotated = (await admin.call('POST', `/api/v1/oss/appkey/rotate/${made.id}`)).data
    expect((await open(signedRequest(made))).code).toBe(501)
    expect((await open(signedRequest(rotated))).code).toBe(200)
  })

  test('neither list nor database shows the secret', async () => {
    const { list } = (await admin.call('GET', '/api/v1/oss/appkey/page')).data
    expect(list.length).toBeGreaterThan(0)
    const { rows } = await app.db.execute(sql`select * from oss_app_keys`)
    const logs = await app.db.execute(sql`select * from oper_logs`)
    expect(JSON.stringify([list, rows, logs.rows])).not.toContain(key.secret)
  })

  test('refuses an origin with a path and names the rule', async () => {
    const refused = await admin.call('POST', '/api/v1/oss/appkey', { keyName: '来源', origins: ['https://a.b/c'] })
    expect(refused).toMatchObject({ code: 400, msg: '网页来源应为 https://域名，不含路径' })
  })
})
