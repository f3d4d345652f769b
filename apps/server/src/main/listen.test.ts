import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '#core/config/config.ts'
import { type Database, openPool } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { getRaw } from '#test/clients/raw-request.ts'
import { startNginx, withoutNginx } from '#test/clients/nginx.ts'
import { createTestDatabase } from '#test/database.ts'
import { type Serving, createServers } from './listen.ts'
import { seedDatabase } from './seed/seed.ts'
import { createServices } from './services.ts'

const TOKEN = 'a-token-of-every-device-of-this-test'
const AUTH = { headers: { authorization: `TargetToken ${TOKEN}` } }
const dataDir = mkdtempSync(join(tmpdir(), 'oms-roles-'))
let database: Database
const started: { role: string; url: string; services: Services; serving: Serving }[] = []
const of = (role: string) => started.filter((each) => each.role === role)
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows

/** Simulates one process inside the test process, with separate services, pool, caches and port. */
async function start(role: string, env: Record<string, string> = {}) {
  const own = await openPool(database.connection, {
    size: 4,
    embedded: true,
    warn: () => {},
    closeAfter: async () => {},
  })
  const config = readConfig({ DATA_DIR: dataDir, OMS_ROLE: role, PORT: '0', ...env })
  const services = await createServices({ config, database: own, log: pino({ level: 'silent' }) })
  await services.permissionVersion.follow(services)
  const serving = createServers(services)
  const port = await serving.listen()
  if (role !== 'console') await services.fleet.ready()
  started.push({ role, url: `http://127.0.0.1:${port}`, services, serving })
}

beforeAll(async () => {
  database = await createTestDatabase()
  const services = await createServices({
    config: readConfig({ DATA_DIR: dataDir }),
    database,
    log: pino({ level: 'silent' }),
  })
  await seedDatabase(database, { passwords: services.passwords, adminPassword: 'Test-admin-1' })
  await services.close()
  await query(`insert into device_types (type_name, type_code) values ('t', 't')`)
  await query(`insert into device_models (type_id, model_name, model_code) values (1, 'm', 'm')`)
  await query(
    `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted)
     select 1, 1, 'D' || g, 1, $1, 0 from generate_series(1, 60) g`,
    [createHash('sha256').update(TOKEN).digest()],
  )
  await start('device')
  await start('device')
  await start('console')
  await start('all')
})
afterAll(async () => {
  for (const { serving, services } of started) {
    serving.server.closeAllConnections()
    await serving.close()
    await services.close()
    await services.database.close()
  }
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const poll = async (url: string, sn: string) => {
  const reply = await fetch(`${url}/default/controller/v1/${sn}`, AUTH)
  return (await reply.json()) as { _links?: { deploymentBase?: { href: string }; cancelAction?: { href: string } } }
}

describe('roles', () => {
  test('a device process serves only devices and probes, and a console process serves no devices', async () => {
    const [device] = of('device')
    const [console] = of('console')
    expect((await fetch(`${device!.url}/healthz`)).status).toBe(200)
    expect(await (await fetch(`${device!.url}/readyz`)).json()).toMatchObject({ status: 'ok' })
    for (const path of ['/', '/login', '/api/v1/account/captcha', '/assets/x.js'])
      expect((await fetch(device!.url + path)).status).toBe(404)
    expect((await fetch(`${console!.url}/default/controller/v1/D1`, AUTH)).status).toBe(404)
    expect((await fetch(`${console!.url}/device/v1/check`, { method: 'POST', body: '{}' })).status).toBe(404)
    expect((await fetch(`${console!.url}/healthz`)).status).toBe(200)
    expect(console!.services.fleet.isReady).toBe(false)
  })

  test('a device path in any spelling never returns a console page', async () => {
    const { url } = of('all')[0]!
    const polls = [
      '/DEFAULT/controller/v1/D1',
      '//DEFAULT//controller/v1//D1/',
      '/default/Controller/V1/D1',
      `${url}/DEFAULT/controller/v1/D1`,
    ]
    for (const path of polls) {
      const reply = await getRaw(url, path, AUTH.headers)
      expect([path, reply.status, JSON.parse(reply.body)]).toEqual([path, 200, { config: expect.anything() }])
    }
    const others = [
      '//xiaozhi/ota/',
      '/controller/v1/',
      '/DEFAULT/controller/v1',
      '/DEFAULT/controller/v1/D1/constructor',
    ]
    for (const path of [...others, '//device/v1/check', '/DEVICE/v1/', '/device/v1/check/', '/device/v1'])
      for (const each of started) {
        const reply = await getRaw(each.url, path, AUTH.headers)
        expect([path, each.role, reply.body.includes('<html')]).toEqual([path, each.role, false])
        if (each.role === 'all')
          expect([path, reply.status]).toEqual([path, expect.toBeOneOf([200, 400, 401, 404, 405])])
      }
    const page = await getRaw(url, `${url}/login`)
    expect([page.status, (await getRaw(url, '/login')).status]).toEqual([page.status, page.status])
  })

  test('a process is not ready before it has loaded all devices', async () => {
    const { url, services } = of('device')[0]!
    const isReady = vi.spyOn(services.fleet, 'isReady', 'get').mockReturnValue(false)
    const reply = await fetch(`${url}/readyz`)
    isReady.mockRestore()
    expect([reply.status, await reply.json()]).toMatchObject([503, { status: 'loading' }])
    expect((await fetch(`${of('console')[0]!.url}/readyz`)).status).toBe(200)
  })

  test('a process whose video store fails is degraded and still serves calls', async () => {
    const { url, services } = of('device')[0]!
    const check = vi.spyOn(services.videos.media, 'check').mockRejectedValue(new Error('no directory'))
    const reply = await fetch(`${url}/readyz`)
    check.mockRestore()
    expect(reply.status).toBe(200)
    expect(await reply.json()).toEqual({ status: 'degraded', checks: { database: true, files: true, videos: false } })
  })

  test('AD-07 processes of every role serve the web player with its own content security policy', async () => {
    for (const { url, role } of started) {
      const moved = await fetch(`${url}/player?a=1`, { redirect: 'manual' })
      expect([role, moved.status, moved.headers.get('location')]).toEqual([role, 308, '/player/?a=1'])
      const page = await fetch(`${url}/player/`)
      expect(page.headers.get('x-frame-options')).toBeNull()
      const policy = page.headers.get('content-security-policy') ?? ''
      for (const rule of ["default-src 'none'", "script-src 'self'", 'media-src blob:', "frame-ancestors 'self'"])
        expect(policy).toContain(rule)
      expect(policy).not.toContain('unsafe-inline')
      expect((await fetch(`${url}/player/`, { method: 'POST' })).status).toBe(405)
      for (const path of ['pkg/x/', '..%2Findex.html', 'player.html', 'x.js'])
        expect([path, (await fetch(`${url}/player/${path}`)).status]).toEqual([path, 404])
    }
  })

  test('two device processes create one task per device, however often the device polls', async () => {
    const [first, second] = of('device')
    const [row] = await query(
      `insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, status) values (1, 1, 9, 'v9', now() - interval '1 day', 1) returning ota_id`,
    )
    await query('insert into ota_policies (ota_id, tenant_id, mode) values ($1, 1, 2)', [row.ota_id])
    await Promise.all([first!.services.fleet.sync(), second!.services.fleet.sync()])
    const sns = Array.from({ length: 60 }, (_, i) => `D${i + 1}`)
    await Promise.all(sns.flatMap((sn) => [first!, second!, first!, second!].map(({ url }) => poll(url, sn))))
    const [{ tasks, devices }] = await query(
      'select count(*)::int as tasks, count(distinct device_id)::int as devices from ota_tasks',
    )
    expect({ tasks, devices }).toEqual({ tasks: 60, devices: 60 })
    for (const sn of sns.slice(0, 10)) {
      const [a, b] = [await poll(first!.url, sn), await poll(second!.url, sn)]
      const idOf = (body: typeof a) => /deploymentBase\/(\d+)/.exec(body._links?.deploymentBase?.href ?? '')?.[1]
      expect(idOf(a)).toBeDefined()
      expect(idOf(b)).toBe(idOf(a))
    }
  })

  test('stopping a release in the console applies to polls of every device process within five seconds', async () => {
    const [first, second] = of('device')
    await query(`insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted)
      select 1, 1, 'LATE' || g, 1, token_hash, 0 from generate_series(1, 2) g, devices where id = 1`)
    await query('update ota_policies set state = 4')
    await query('update ota_tasks set state = 50 where close_time is null')
    const started = performance.now()
    for (const { url } of [first!, second!]) while (!(await poll(url, 'D5'))._links?.cancelAction) await tick()
    expect(performance.now() - started).toBeLessThan(5000)
    for (const [at, { url }] of [first!, second!].entries()) {
      // A device is unknown until the insert is notified. Afterwards the poll is idle, because new devices receive no
      // task.
      while ((await fetch(`${url}/default/controller/v1/LATE${at + 1}`, AUTH)).status !== 200) await tick()
      expect((await poll(url, `LATE${at + 1}`))._links).toBeUndefined()
    }
  })

  test('ten thousand devices behind one IP address that poll at the same time all get a response', {
    timeout: 120_000,
  }, async () => {
    const { url, services } = of('device')[0]!
    await query(`insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted)
      select 1, 1, 'P' || g, 1, token_hash, 0 from generate_series(1, 10000) g, devices where id = 1`)
    await services.fleet.sync()
    const statuses = new Map<number, number>()
    const sns = Array.from({ length: 10_000 }, (_, i) => `P${i + 1}`)
    const one = async () => {
      for (let sn = sns.pop(); sn; sn = sns.pop()) {
        const reply = await fetch(`${url}/default/controller/v1/${sn}`, AUTH)
        await reply.arrayBuffer()
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 200 }, one))
    expect([...statuses]).toEqual([[200, 10_000]])
  })
})

describe.skipIf(withoutNginx)(`behind nginx${withoutNginx ? ` (${withoutNginx})` : ''}`, () => {
  test('links use the host and port that the client called, and ignore forwarding headers of the client', async () => {
    await query(`update devices set attributes_wanted = 1 where sn = 'D60'`)
    await start('all', { OMS_TRUST_PROXY: '1' })
    const nginx = await startNginx(mkdtempSync(join(dataDir, 'nginx-')), [Number(new URL(started.at(-1)!.url).port)])
    onTestFinished(nginx.stop)
    const forged = {
      'x-forwarded-host': 'evil.example.com',
      'x-forwarded-port': '1',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example.com',
    }
    const hostOf = async (headers: Record<string, string>) => {
      const reply = await getRaw(nginx.url, '//DEFAULT/controller/v1/D60', { ...AUTH.headers, ...forged, ...headers })
      return JSON.parse(reply.body)._links.configData.href.split('/DEFAULT/')[0]
    }
    expect(await hostOf({})).toBe(nginx.url.replace('127.0.0.1', 'localhost'))
    expect(await hostOf({ host: 'oms.example.com:18443' })).toBe('http://oms.example.com:18443')
  })
})

describe('malformed HTTP', () => {
  const HEAD = 'POST /api/v1/account/login HTTP/1.1\r\nhost: oms\r\n'
  test.each([
    ['a line that is no request', 'HELLO\r\n\r\n', 400, '请求格式不正确'],
    ['a header without a colon', `${HEAD}nonsense\r\n\r\n`, 400, '请求格式不正确'],
    ['two lengths of one body', `${HEAD}content-length: 3\r\ncontent-length: 4\r\n\r\n`, 400, '请求格式不正确'],
    [
      'a length beside chunks',
      `${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      '请求格式不正确',
    ],
    [
      'headers beyond 16 KiB',
      `${HEAD}cookie: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      '请求头过大，请清除浏览器的 Cookie 后重试',
    ],
  ])('%s gets an error envelope, and the connection is closed', async (_what, sent, status, msg) => {
    const { head, body } = await rawReply(of('console')[0]!.url, sent)
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/m)
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`)
    expect(JSON.parse(body)).toEqual({ code: status, msg, data: null })
  })

  test('a client that sends headers too slowly gets an error response', async () => {
    const { serving, url } = of('console')[0]!
    // Emits the error that Node emits when the time for headers ends, without waiting for it.
    serving.server.once('connection', (socket) => serving.server.emit('clientError', timedOut, socket))
    const { head, body } = await rawReply(url, HEAD)
    expect(head).toContain('HTTP/1.1 408 ')
    expect(JSON.parse(body).msg).toBe('请求超时，请重试')
  })

  test('a URL with an invalid escape gets HTTP status 400', async () => {
    for (const path of ['/%', '/%E0%A4%A']) {
      const response = await fetch(`${of('console')[0]!.url}${path}`)
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 400, msg: '请求地址格式不正确', data: null },
      ])
    }
  })

  test('the server serves other clients after malformed requests', async () => {
    expect((await fetch(`${of('console')[0]!.url}/healthz`)).status).toBe(200)
  })
})

const timedOut = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Returns everything the server sends on one connection until it closes the connection. */
async function rawReply(url: string, sent: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(sent)
  let said = ''
  for await (const bytes of socket.setEncoding('utf8')) said += bytes
  const [head = '', body = ''] = said.split('\r\n\r\n')
  return { head, body }
}

const tick = () => new Promise((done) => setTimeout(done, 5))
