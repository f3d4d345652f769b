import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { useApp } from '#test/harness.ts'

const app = useApp({ OMS_API_DOCS: 'open' })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('requests and responses', () => {
  test('PAGER-04 a form-encoded and a JSON body have the same meaning, and repeated form keys become lists', async () => {
    const me = await app.as()
    const url = `/api/v1/account/modify/${me.uid}`
    expect(
      (await me.inject({ method: 'POST', url, payload: 'realname=%E8%A1%A8%E5%8D%95&gender=1', headers: FORM })).json()
        .code,
    ).toBe(200)
    expect((await me.call('GET', `/api/v1/account/detail/${me.uid}`)).data).toMatchObject({
      realname: '表单',
      gender: 1,
    })
    const many = await me.inject({ url: '/api/v1/account/session?sessionId=a&sessionId=b', method: 'DELETE' })
    expect(many.json()).toMatchObject({ code: 400, data: { field: 'sessionId' } })
  })

  test('a body that is not valid UTF-8 is refused with code 400, as JSON and as a form', async () => {
    const me = await app.as()
    const url = `/api/v1/account/modify/${me.uid}`
    const post = async (payload: Buffer | string, headers: Record<string, string>) =>
      (await me.inject({ method: 'POST', url, payload, headers })).json()
    const json = { 'content-type': 'application/json' }
    const refusal = { code: 400, msg: '请求内容的编码不正确，应为UTF-8', data: null }
    const broken = Buffer.concat([Buffer.from('{"gender":1,"'), Buffer.from([0xff, 0xfe]), Buffer.from('":1}')])
    expect(await post(broken, json)).toEqual(refusal)
    expect(await post('gender=1&realname=%FF%FE', FORM)).toEqual(refusal)
    expect(await post(Buffer.from([...Buffer.from('gender=1&realname='), 0xff]), FORM)).toEqual(refusal)
    expect((await post(Buffer.from('{"gender":1,"realname":"表单�"}'), json)).code).toBe(200)
    expect((await post('{"gender":1', json)).msg).toBe('请求内容格式不正确')
  })

  test('an id in a path or a body with blanks or line ends is refused', async () => {
    const me = await app.by({ superAdmin: true })
    for (const id of ['1%0a', '1%20', '%201'])
      expect(await me.call('POST', `/api/v1/tenant/enable/${id}`), id).toMatchObject({ code: 400 })
    expect(await me.call('DELETE', '/api/v1/device/info', { ids: [' 1'] })).toMatchObject({ code: 400 })
  })

  test('times are sent as local times, and columns that the contract does not declare are not sent', async () => {
    const me = await app.as()
    const { data } = await me.call('GET', `/api/v1/account/detail/${me.uid}`)
    expect(data.createTime).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    expect(Object.keys(data).filter((key) => /password|secret|recovery/i.test(key))).toEqual([])
  })

  test('every response has a content type and security headers, and pages have a strict content security policy', async () => {
    const data = await app.stranger().inject({ url: '/api/v1/account/captcha' })
    expect(data.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    const page = await app.stranger().inject({ url: '/healthz' })
    expect(page.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
    expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  })

  test('long responses are compressed with gzip for clients that accept gzip', async () => {
    const admin = await app.by({ superAdmin: true })
    const ask = (headers: Record<string, string>) => admin.inject({ url: '/api/v1/sys/account/perms', headers })
    const plain = await ask({})
    const gzipped = await ask({ 'accept-encoding': 'gzip, br' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(gzipped.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length)
    expect(gunzipSync(gzipped.rawPayload).toString()).toBe(plain.payload)
    const short = await admin.inject({
      url: '/api/v1/sys/account/simpleInfo',
      headers: { 'accept-encoding': 'gzip' },
    })
    expect(short.headers['content-encoding']).toBeUndefined()
  })

  test('a call with an invalid body gets an error envelope', async () => {
    const post = (payload: string, type: string) =>
      app
        .stranger()
        .inject({ method: 'POST', url: '/api/v1/account/login', payload, headers: { 'content-type': type } })
    expect((await post('{"a":', 'application/json')).json()).toMatchObject({ code: 400, msg: '请求内容格式不正确' })
    expect((await post('<a/>', 'application/xml')).statusCode).toBe(415)
    const large = await post(JSON.stringify({ account: 'x'.repeat(2 * 1024 * 1024) }), 'application/json')
    expect([large.statusCode, large.json().msg]).toEqual([413, '请求内容过大'])
    expect((await post('{"__proto__":{"admin":true}}', 'application/json')).json().code).toBe(400)
  })
})

test('every call that accepts a file refuses a multipart body without a usable boundary', async () => {
  const admin = await app.by({ superAdmin: true })
  const calls = modules.flatMap(({ contract }) => Object.values(contract)).filter(({ body }) => body === 'multipart')
  expect(calls.length).toBeGreaterThan(5)
  for (const { method, path } of calls)
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""']) {
      const url = path.replaceAll(/:\w+/g, '1')
      const reply = await admin.inject({ method, url, headers: { 'content-type': type }, payload: '--b\r\n' })
      expect([reply.statusCode, reply.json().code], `${method} ${url} ${type}`).toEqual([200, 400])
    }
})

describe('endpoints for operators', () => {
  test('/healthz and /readyz respond without a session', async () => {
    expect((await app.stranger().inject({ url: '/healthz' })).json()).toEqual({ status: 'ok' })
    expect((await app.stranger().inject({ url: '/readyz' })).json()).toEqual({
      status: 'ok',
      checks: { database: true, files: true, videos: true },
    })
  })

  test('/readyz responds at once while calls use every connection of the pool', async () => {
    const { pool } = app.services.database
    const used = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
    const reply = app.stranger().inject({ url: '/readyz' })
    const call = pool.query('select 1')
    call.catch(() => {})
    try {
      expect(await Promise.race([reply, call.catch(() => 'the pool gave up')])).toMatchObject({ statusCode: 200 })
    } finally {
      for (const client of used) client.release()
    }
  })

  test('the API document contains permission, parameters and bodies of every call', async () => {
    const document = (await app.stranger().inject({ url: '/openapi.json' })).json()
    expect(document.openapi).toBe('3.1.0')
    const operations = Object.entries(
      document.paths as Record<string, Record<string, Record<string, unknown>>>,
    ).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })))
    expect(operations.length).toBeGreaterThan(20)
    for (const { path, operation } of operations) {
      expect(operation).toHaveProperty('x-permission')
      expect(operation.security).toBeDefined()
      const named = (operation.parameters as { name: string; in: string }[]).filter(
        (parameter) => parameter.in === 'path',
      )
      expect(named.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(
      document.paths['/api/v1/account/login'].post.requestBody.content['application/json'].schema.required,
    ).toEqual(['account', 'pswdMd5'])
  })
})

test('calls above the rate limit get 429 and the time to wait', async () => {
  const { RateLimit } = await import('#core/http/limits/call-limits.ts')
  let now = 0
  const limit = new RateLimit(() => now)
  for (let i = 0; i < 10; i++) limit.take('one', 10)
  expect(() => limit.take('one', 10)).toThrow(expect.objectContaining({ status: 429, retryAfter: 6 }))
  limit.take('other', 10)
  now += 6001
  limit.take('one', 10)
  expect(() => limit.take('one', 10)).toThrow()
})
