import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import type { ApiResponse } from '#test/harness.ts'
import { freePort, type Nginx, startNginx, withoutNginx } from '#test/clients/nginx.ts'
import { type Serving, serve } from '#test/serving.ts'

const LIST = '/api/v1/tenant/user/list?pageNum=1&pageSize=20'
const MIB = 1024 * 1024

let site: ClusterSite
let nginx: Nginx
let database: pg.Client
let s3: { run(): Promise<unknown>; close(): Promise<void> }
let s3Port: number
let folder: string
let ticket: string
const processes: Serving[] = []
const environments: Record<string, string>[] = []

const store = () =>
  new S3rver({
    port: s3Port,
    address: '127.0.0.1',
    directory: join(folder, 'buckets'),
    silent: true,
    configureBuckets: [{ name: 'oms' }],
  }) as typeof s3

async function prepare() {
  folder = mkdtempSync(join(inject('scratch'), 'nginx-'))
  const cluster = await openCluster({ dataDir: join(folder, 'pg'), role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  s3Port = await freePort()
  s3 = store()
  await s3.run()
  const DATABASE_URL = `postgres://oms@localhost/oms?host=${sockets}`
  database = new pg.Client({ connectionString: DATABASE_URL })
  const signingKey = join(folder, 'signing.pem')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  for (const name of ['one', 'two'])
    environments.push({
      DATABASE_URL,
      DATA_DIR: join(folder, name),
      PORT: String(await freePort()),
      // Two hops: nginx, and the test client, which sends the client's address.
      OMS_TRUST_PROXY: '2',
      OMS_ROLE: 'console',
      OMS_SECRET_KEY: 'x'.repeat(40),
      OMS_SIGNING_KEY_FILE: signingKey,
      OMS_S3_ENDPOINT: `http://127.0.0.1:${s3Port}`,
      OMS_S3_REGION: 'us-east-1',
      OMS_S3_BUCKET: 'oms',
      OMS_S3_ACCESS_KEY: 'S3RVER',
      OMS_S3_SECRET_KEY: 'S3RVER',
    })
  for (const env of environments) {
    const started = await serve(env)
    expect(started.url, started.lines.join('\n')).not.toBe('')
    processes.push(started)
  }
  await database.connect()
  const ports = environments.map(({ PORT }) => Number(PORT))
  nginx = await startNginx(join(folder, 'nginx'), ports)
  ticket = await (processes[0] as Serving).login()
}

const fetchThroughProxy = (path: string, init: RequestInit & { from?: string } = {}) =>
  fetch(`${nginx.url}${path}`, {
    ...init,
    headers: { 'x-forwarded-for': init.from ?? '192.0.2.1', ...(init.headers as Record<string, string>) },
    signal: init.signal ?? AbortSignal.timeout(60_000),
  })
const list = (from?: string) => fetchThroughProxy(LIST, { headers: { ticket }, ...(from && { from }) })

/** Creates accounts and returns their session tickets. */
async function tickets(accounts: number, sessions: number) {
  const made: string[] = []
  for (let n = 0; n < accounts; n += 1) {
    const { rows } = await database.query<{ uid: number }>(
      `insert into accounts (account, realname, tenant_id, password_hash) values ($1, 'x', 1, 'none') returning uid`,
      [`client${n}-${randomBytes(4).toString('hex')}`],
    )
    for (let at = 0; at < sessions; at += 1) {
      const token = randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(token).digest()
      await database.query(
        `insert into sessions (id, token_hash, uid, tenant_id, ip, user_agent, expire_time)
         values ($1, $2, $3, 1, '192.0.2.1', '', now() + interval '1 hour')`,
        [randomBytes(16).toString('hex'), hash, rows[0]?.uid],
      )
      made.push(token)
    }
  }
  return made
}

describe.skipIf(withoutNginx)(`two processes behind nginx${withoutNginx ? ` (${withoutNginx})` : ''}`, () => {
  beforeAll(prepare, 180_000)
  afterAll(async () => {
    await nginx?.stop()
    for (const { child } of processes) child.kill('SIGTERM')
    await Promise.all(processes.map(({ gone }) => gone))
    await database?.end().catch(() => {})
    await s3?.close().catch(() => {})
    if (site) await stopPostmaster(site)
  }, 60_000)

  test('FAULT both processes stay in service after bodies of 8 MB were refused', async () => {
    const body = Buffer.alloc(8 * MIB, 'x')
    const refused = [
      { path: '/api/v1/account/login', type: 'application/json', status: 413 },
      { path: '/api/v1/tenant/role', type: 'application/json', status: 413 },
      { path: '/api/v1/file/upload', type: 'multipart/form-data; boundary=b', status: 200 },
      { path: '/api/v1/unknown', type: 'application/octet-stream', status: 404 },
    ]
    for (const { path, type, status } of refused)
      for (let n = 0; n < 4; n += 1) {
        const reply = await fetchThroughProxy(path, { method: 'POST', body, headers: { 'content-type': type } })
        expect(reply.status, path).toBe(status)
        expect(((await reply.json()) as ApiResponse).code, path).not.toBe(200)
      }
    for (let n = 0; n < 10; n += 1) expect((await list()).status).toBe(200)
    expect(nginx.errors()).not.toMatch(/Broken pipe|reset by peer|prematurely closed|no live upstreams/)
  })

  test.each([
    ['an upload to a call with a wrong query', '/api/v1/file/upload?kind=nonsense', 'multipart/form-data; boundary=b'],
    ['an upload of an unknown part', '/api/v1/file/parts/nonsense/0', 'application/octet-stream'],
    ['a body for nobody', '/api/v1/unknown', 'application/octet-stream'],
  ])('FAULT the next call on a keep-alive connection is served after %s', async (_what, path, type) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { url } = processes[0] as Serving
    const send = (method: string, to: string, body?: Buffer) =>
      new Promise<number>((done, fail) => {
        const outgoing = request(`${url}${to}`, {
          agent,
          method,
          headers: { ticket, ...(body && { 'content-type': type, 'content-length': body.length }) },
        })
        outgoing
          .on('error', fail)
          .on('response', (reply) => reply.resume().on('end', () => done(reply.statusCode ?? 0)))
        outgoing.end(body)
      })
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n'
    const body = Buffer.concat([Buffer.from(head), Buffer.alloc(6 * MIB), Buffer.from('\r\n--b--\r\n')])
    expect(await send('POST', path, body)).toBeLessThan(500)
    const since = performance.now()
    expect(await send('GET', LIST)).toBe(200)
    expect(performance.now() - since).toBeLessThan(5_000)
    agent.destroy()
  })

  test('FAULT running calls are counted by the IP address of the client, not of the proxy', {
    timeout: 120_000,
  }, async () => {
    const all = await tickets(8, 3)
    const open = await Promise.all(
      all.flatMap((one) =>
        Array.from({ length: 10 }, async () => {
          const stop = new AbortController()
          const reply = await fetchThroughProxy('/api/v1/events', {
            headers: { ticket: one },
            from: '198.51.100.7',
            signal: stop.signal,
          })
          // Keeps a reference to the response: garbage collection would close its connection.
          return { status: reply.status, reply, stop }
        }),
      ),
    )
    const statuses = new Set(open.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([200, 429])
    // Each of the two processes accepts a hundred calls of one address.
    expect(open.filter(({ status }) => status === 200)).toHaveLength(200)
    expect((await list('198.51.100.8')).status).toBe(200)
    expect((await list('198.51.100.7')).status).toBe(429)
    expect(processes.flatMap(({ lines }) => lines).join('\n')).toMatch(/"ip":"198\.51\.100\.7".*connection refused/)
    for (const { stop } of open) stop.abort()
    await expect.poll(async () => (await list('198.51.100.7')).status, { timeout: 10_000 }).toBe(200)
  })

  test('FAULT no call fails during a rolling restart', { timeout: 180_000 }, async () => {
    const failures: string[] = []
    let calls = 0
    let isOver = false
    const worker = async (write: boolean) => {
      while (!isOver) {
        const reply = write
          ? await fetchThroughProxy('/api/v1/account/preference', {
              method: 'PUT',
              headers: { ticket, 'content-type': 'application/json' },
              body: JSON.stringify({ key: 'restart', value: '1' }),
            })
          : await list()
        calls += 1
        if (reply.status !== 200) failures.push(`${reply.status} ${await reply.text()}`)
        else await reply.arrayBuffer()
      }
    }
    const working = Promise.all(
      [false, false, false, true, true].map((write) =>
        worker(write).catch((error: Error) => failures.push(String(error.cause ?? error))),
      ),
    )
    for (const [at, env] of environments.entries()) {
      const before = processes[at] as Serving
      const stream = await fetch(`${before.url}/api/v1/events`, { headers: { ticket } })
      const said = stream.text()
      before.child.kill('SIGTERM')
      const probe = await pollUntil(2_000, 10, async () => {
        const reply = await fetch(`${before.url}/readyz`)
        return reply.status === 503 ? ((await reply.json()) as { status: string }) : undefined
      })
      expect(probe?.status).toBe('stopping')
      expect((await said).split('\n\n').filter((block) => /^retry: \d+$/.test(block))).toHaveLength(2)
      expect(await before.gone).toBe(0)
      const after = await serve(env)
      expect(after.url, after.lines.join('\n')).not.toBe('')
      processes[at] = after
      // Longer than `fail_timeout`, so that nginx tries the process again.
      await sleep(2_500)
    }
    isOver = true
    await working
    expect(failures).toEqual([])
    expect(calls).toBeGreaterThan(50)
  })

  test('FAULT uploads wait while the file store is unavailable, and other calls succeed', {
    timeout: 120_000,
  }, async () => {
    await s3.close()
    const body = new FormData()
    body.set('file', new Blob([Buffer.from('%PDF-1.7\nwaiting')]), 'a.pdf')
    const uploading = fetchThroughProxy('/api/v1/file/upload', { method: 'POST', headers: { ticket }, body })
    const since = performance.now()
    while (performance.now() - since < 30_000) {
      const probe = await fetch(`${(processes[0] as Serving).url}/readyz`)
      expect([probe.status, await probe.json()]).toEqual([
        200,
        { status: 'degraded', checks: { database: true, files: false, videos: false } },
      ])
      expect((await list()).status).toBe(200)
      await sleep(2_000)
    }
    s3 = store()
    await s3.run()
    expect(await (await uploading).json()).toMatchObject({ code: 200 })
    await expect
      .poll(async () => ((await (await fetchThroughProxy('/readyz')).json()) as { status: string }).status, {
        timeout: 10_000,
      })
      .toBe('ok')
  })
})
