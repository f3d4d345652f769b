import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { isInUse } from '#core/database/embedded/processes.ts'
import { serve } from '#test/serving.ts'

/** True while PostgreSQL runs in the data folder; PostgreSQL removes the file when it stops. */
const isClusterRunning = (dataDir: string) => existsSync(join(dataDir, 'postgres', 'postmaster.pid'))
const newFolder = () => mkdtempSync(join(inject('scratch'), 'start-'))
const DAY_MS = 24 * 60 * 60 * 1000

describe('impossible starts', () => {
  test.each([
    [{ PORT: 'abc' }, 'PORT 应为 0～65535 的整数'],
    [{ OMS_SESION_HOURS: '3' }, 'OMS_SESION_HOURS 不是 OMS 认识的变量'],
    [{ DATABASE_URL: 'mysql://root@localhost/oms' }, 'DATABASE_URL 应为以 postgres:// 或 postgresql:// 开头的地址'],
    [{ DATABASE_URL: 'postgres://oms@127.0.0.1:9/oms' }, '连接不上数据库'],
    [{ OMS_S3_BUCKET: 'files' }, '使用 S3 存储还须设置 OMS_S3_ENDPOINT'],
    [{ DATA_DIR: '/etc/passwd/oms' }, '不能使用数据目录 /etc/passwd/oms'],
    [{ HOST: '203.0.113.7' }, 'HOST'],
  ])('FAULT a start that is impossible prints its error in one line: %o', async (env, reason) => {
    const { url, lines, gone } = await serve({ DATA_DIR: newFolder(), ...env })
    expect({ url, code: await gone }).toEqual({ url: '', code: 1 })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(reason)
  })

  test('FAULT a second server on the same directory or port refuses to start and causes no damage', async () => {
    const dataDir = newFolder()
    const first = await serve({ DATA_DIR: dataDir })
    const second = await serve({ DATA_DIR: dataDir })
    expect({ url: second.url, code: await second.gone, lines: second.lines.length }).toEqual({
      url: '',
      code: 1,
      lines: 1,
    })
    expect(second.lines[0]).toContain(`数据目录 ${dataDir} 正由另一个 OMS 服务使用（进程 ${first.child.pid}）`)
    const thirdDir = newFolder()
    const third = await serve({ DATA_DIR: thirdDir, OMS_METRICS: 'on', PORT: new URL(first.url).port })
    expect({ code: await third.gone, said: third.lines.at(-1) }).toMatchObject({ code: 1 })
    expect(third.lines.at(-1)).toContain('端口已被占用')
    expect(isClusterRunning(thirdDir), 'the embedded database of the refused start').toBe(false)
    expect(await first.login()).toBeTruthy()
    first.child.kill('SIGTERM')
    expect(await first.gone).toBe(0)
  })
})

test('FAULT the built server starts with metrics enabled and serves them', async () => {
  const server = await serve({ DATA_DIR: newFolder(), OMS_METRICS: 'on' })
  expect(server.url, server.lines.join('\n')).not.toBe('')
  const metrics = await fetch(`${server.url}/metrics`)
  expect(await metrics.text()).toContain('oms_requests_total')
  server.child.kill('SIGTERM')
  expect(await server.gone).toBe(0)
})

describe('interrupted starts', () => {
  test('FAULT a first start that is killed at any moment, also in a migration, does not prevent the next start', {
    timeout: 90_000,
  }, async () => {
    const dataDir = newFolder()
    for (const after of [60, 150, 250, 350, 450, 600, 800]) {
      const pending = serve({ DATA_DIR: dataDir })
      await sleep(after)
      void pending.then(({ child }) => child.kill('SIGKILL'))
      const { child, gone } = await pending
      child.kill('SIGKILL')
      await gone
    }
    const server = await serve({ DATA_DIR: dataDir })
    expect(server.url, server.lines.join('\n')).not.toBe('')
    expect(await server.login()).toBeTruthy()
    server.child.kill('SIGTERM')
    expect(await server.gone).toBe(0)
  })
})

describe('shutdown', () => {
  test('FAULT SIGTERM ends the process within 10 s despite an open event stream and a running upload', {
    timeout: 40_000,
  }, async () => {
    const server = await serve({ DATA_DIR: newFolder() })
    const ticket = await server.login()
    const stream = await fetch(`${server.url}/api/v1/events`, { headers: { ticket } })
    expect(stream.status).toBe(200)
    const reader = stream.body?.getReader()
    await reader?.read()
    const upload = request(`${server.url}/api/v1/file/upload`, {
      method: 'POST',
      headers: { ticket, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 5_000_000 },
    })
    upload.on('error', () => {})
    upload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n')
    await sleep(300)
    const since = Date.now()
    server.child.kill('SIGTERM')
    expect(await server.gone).toBe(0)
    expect(Date.now() - since).toBeLessThan(10_000)
    upload.destroy()
    await reader?.cancel().catch(() => {})
  })
})

/** Prevents the end of a stop: no port of the process ever closes. */
const STUCK_STOP = `--import=data:text/javascript,${encodeURIComponent(
  "import net from 'node:net'; net.Server.prototype.close = function close() { return this }",
)}`

describe('a forced exit', () => {
  test.each([
    ['a stop that takes too long', false],
    ['a second signal', true],
  ])(
    'FAULT %s leaves no process of the embedded database, and a start right after it succeeds',
    {
      timeout: 60_000,
    },
    async (_, isRepeated) => {
      const dataDir = newFolder()
      const server = await serve({ DATA_DIR: dataDir, NODE_OPTIONS: STUCK_STOP })
      expect(await server.login(), server.lines.join('\n')).toBeTruthy()
      expect(isInUse(join(dataDir, 'postgres'))).toBe(true)
      server.child.kill('SIGTERM')
      if (isRepeated) {
        await sleep(2_200)
        server.child.kill('SIGTERM')
      }
      expect(await server.gone).toBe(1)
      expect(isInUse(join(dataDir, 'postgres'))).toBe(false)
      const next = await serve({ DATA_DIR: dataDir })
      expect(next.url, next.lines.join('\n')).not.toBe('')
      expect(await next.login()).toBeTruthy()
      next.child.kill('SIGTERM')
      expect(await next.gone).toBe(0)
      expect(isInUse(join(dataDir, 'postgres'))).toBe(false)
    },
  )
})

describe('a wrong system clock', () => {
  test.each([-400, 400])(
    'FAULT a server whose system clock is wrong by %i days starts and serves calls',
    { timeout: 120_000 },
    async (days) => {
      const dataDir = newFolder()
      mkdirSync(dataDir, { recursive: true })
      // Shifts the clock of the process. The database keeps the system clock, so both clocks differ.
      const shift = `const now = Date.now, D = Date; Date.now = () => now() + ${days * DAY_MS};
      globalThis.Date = new Proxy(D, { construct: (t, a) => a.length ? new t(...a) : new t(Date.now()) })`
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`
      // The clock is then corrected. Rows written with the wrong year must not prevent that start.
      for (const options of [NODE_OPTIONS, NODE_OPTIONS, '']) {
        const server = await serve({ DATA_DIR: dataDir, NODE_OPTIONS: options })
        expect(server.url, server.lines.join('\n')).not.toBe('')
        await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
        const ticket = await server.login()
        if (options === '') expect((await server.call('GET', '/api/v1/sys/account/perms', { ticket })).code).toBe(200)
        server.child.kill('SIGTERM')
        expect(await server.gone).toBe(0)
      }
    },
  )
})
