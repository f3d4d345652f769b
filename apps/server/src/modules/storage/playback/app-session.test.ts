import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { usePlayback, buildSignedRequest, callWithToken } from '#test/fixtures/playback-fixture.ts'

const app = useApp()
const fixture = usePlayback(app)
let admin: Caller
let key: Awaited<ReturnType<typeof fixture.addKey>>
let camera: Awaited<ReturnType<typeof fixture.addCamera>>
const APP_KEY = '/api/v1/oss/appkey'
const FROM = Date.now() - 3600_000

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  await fixture.addAccount(1, 'Wang')
  camera = await fixture.addCamera(1, await fixture.addAccount(1, 'Li'))
  await fixture.record(camera, { from: FROM, count: 2 })
  key = await fixture.addKey(admin)
})

const now = () => Math.floor(Date.now() / 1000)
const open = (sent: object) => app.stranger().call('POST', '/api/v1/oss/app/session', sent)
const get = (url: string) => app.stranger().inject({ method: 'GET', url })
const setStatus = (table: string, where: string, status: number) =>
  app.db.execute(sql`update ${sql.raw(table)} set status = ${status} where ${sql.raw(where)}`)
/** Clears the cached decisions about play addresses, as a change in the console does. */
const forgetPermits = () => app.services.events.publish(app.db, 'changed', { resource: 'tenant', tenantId: null })
const devicesOf = (token: string) => callWithToken(app.stranger(), token)('GET', 'device/list')

describe('sessions of App users', () => {
  test('STORAGE-08 a signed request opens a session for the signed App account', async () => {
    const { data } = await open(buildSignedRequest(key))
    expect(data.expireTime - Date.now()).toBeGreaterThan(890_000)
    expect(await devicesOf(data.token)).toMatchObject({ code: 200, data: { list: [] } })
  })

  test.each([
    ['another secret', () => buildSignedRequest(key, {}, 'x')],
    ['a changed account', () => ({ ...buildSignedRequest(key), account: 'li' })],
    ['a time 301 s ago', () => buildSignedRequest(key, { time: now() - 301 })],
    ['a time 301 s ahead', () => buildSignedRequest(key, { time: now() + 302 })],
    ['an unknown key', () => buildSignedRequest(key, { keyId: 'ak0' })],
  ])('a request with %s is refused with the same message as any wrong signature', async (_, sent) => {
    expect(await open(sent())).toMatchObject({ code: 501, msg: '签名不正确或已过期' })
  })

  test('a repeated nonce is refused, also in 20 simultaneous requests', async () => {
    const sent = buildSignedRequest(key)
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await open(sent)).code))
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
  })

  /** Ends of sessions that must not be undone, each with its reversal. */
  const ENDS = [
    [
      'key is disabled',
      () => admin.call('POST', `${APP_KEY}/disable/${key.id}`),
      () => admin.call('POST', `${APP_KEY}/enable/${key.id}`),
    ],
    [
      'account is disabled',
      () => setStatus('app_accounts', `account = 'Li'`, 0),
      () => setStatus('app_accounts', `account = 'Li'`, 1),
    ],
    ['tenant is disabled', () => setStatus('tenants', 'id = 1', 0), () => setStatus('tenants', 'id = 1', 1)],
    [
      'secret is replaced',
      async () => (key = (await admin.call('POST', `${APP_KEY}/rotate/${key.id}`)).data),
      () => undefined,
    ],
  ] as const

  test.each(ENDS)(
    'STORAGE-08 sessions and playback URLs become invalid when the %s, and are not restored afterwards',
    async (_, end, undo) => {
      const { token } = (await open(buildSignedRequest(key, { account: 'Li' }))).data
      const { data } = await callWithToken(app.stranger(), token)('POST', 'play', {
        sn: camera.sn,
        begin: FROM,
        end: FROM + 8000,
      })
      expect((await devicesOf(token)).code).toBe(200)
      expect((await get(data.url)).statusCode).toBe(200)
      await end()
      expect(await devicesOf(token)).toMatchObject({ code: 401, msg: '登录已失效，请重新进入' })
      await undo()
      await forgetPermits()
      expect(await devicesOf(token)).toMatchObject({ code: 401, msg: '登录已失效，请重新进入' })
      // The guard of play addresses forgets its results when the event arrives.
      await expect.poll(async () => (await get(data.url)).statusCode, { timeout: 5000 }).toBe(410)
      expect((await devicesOf((await open(buildSignedRequest(key, { account: 'Li' }))).data.token)).code).toBe(200)
    },
  )

  test('requests signed with a disabled app key or a replaced secret are refused', async () => {
    const made = (await admin.call('POST', APP_KEY, { keyName: '轮换' })).data
    const rotated = (await admin.call('POST', `${APP_KEY}/rotate/${made.id}`)).data
    expect((await open(buildSignedRequest(made))).code).toBe(501)
    expect((await open(buildSignedRequest(rotated))).code).toBe(200)
    await admin.call('POST', `${APP_KEY}/disable/${made.id}`)
    expect((await open(buildSignedRequest(rotated))).code).toBe(501)
  })

  test('neither the list nor the database contains the secret of an app key in plain text', async () => {
    const { list } = (await admin.call('GET', '/api/v1/oss/appkey/page')).data
    expect(list.length).toBeGreaterThan(0)
    const { rows } = await app.db.execute(sql`select * from oss_app_keys`)
    const logs = await app.db.execute(sql`select * from oper_logs`)
    expect(JSON.stringify([list, rows, logs.rows])).not.toContain(key.secret)
  })

  test('an origin with a path is refused with a message that explains the format', async () => {
    const refused = await admin.call('POST', '/api/v1/oss/appkey', { keyName: '来源', origins: ['https://a.b/c'] })
    expect(refused).toMatchObject({ code: 400, msg: '网页来源应为 https://域名，不含路径' })
  })
})
