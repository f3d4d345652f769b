import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { type Serving, serve } from '#test/serving.ts'

/** A PostgreSQL server that the servers only reach by its URL and cannot restart. */
let site: ClusterSite
let one: Serving
let other: Serving
let admin: string
const PERMS = '/api/v1/sys/account/perms'

beforeAll(async () => {
  const dataDir = mkdtempSync(join(inject('scratch'), 'shared-'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  // The last user of a cluster deletes the folder of its socket.
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  const env = { DATABASE_URL: `postgres://oms@localhost/oms?host=${sockets}`, DATA_DIR: join(dataDir, 'server') }
  // Both start on an empty database: one migrates and seeds, the other waits.
  ;[one, other] = await Promise.all([serve(env), serve(env)])
  admin = await one.login()
})
afterAll(async () => {
  for (const { child } of [one, other]) child.kill('SIGTERM')
  await Promise.all([one.gone, other.gone])
  await stopPostmaster(site)
})

let people = 0
/** Creates an account with one role and a session that both servers know. */
async function somebody() {
  people += 1
  const account = `worker${people}`
  const role = { roleName: `角色${people}`, roleCode: `role_${people}` }
  const { data: made } = await one.call('POST', '/api/v1/tenant/role', { ticket: admin, payload: role })
  const payload = { account, realname: '张三', roleIds: [made.id] }
  const { data, msg } = await one.call('POST', '/api/v1/tenant/user', { ticket: admin, payload })
  expect(data, msg).toBeTruthy()
  const ticket = await one.login(account, data.password)
  expect((await other.call('GET', PERMS, { ticket })).code).toBe(200)
  return { uid: data.uid as number, roleId: made.id as number, ticket }
}

/** Returns the milliseconds from the response of `change` on one server until the other server applies the change. */
async function delayUntil(change: () => Promise<{ code: number; msg: string }>, acted: () => Promise<boolean>) {
  const { code, msg } = await change()
  expect(code, msg).toBe(200)
  const since = performance.now()
  expect(await pollUntil(5_000, 2, async () => ((await acted()) ? true : undefined))).toBe(true)
  return performance.now() - since
}

const refuses = (ticket: string) => async () => (await other.call('GET', PERMS, { ticket })).code !== 200
/** Sends a call to the first server; the second server must apply changed rights at once. */
const call = (method: string, path: string, payload?: object) =>
  one.call(method, path, { ticket: admin, ...(payload && { payload }) })

describe('two server processes on one database', () => {
  test('FAULT a session that is ended on one server ends on the other server within 500 ms', async () => {
    const { uid, ticket } = await somebody()
    const { data } = await call('GET', `/api/v1/tenant/user/sessions/${uid}`)
    const sessionId = data.list[0].sessionId as string
    expect(await delayUntil(() => call('DELETE', `/api/v1/sys/online/${sessionId}`), refuses(ticket))).toBeLessThan(500)
  })

  test('FAULT a disabled account is refused by the other server within 500 ms', async () => {
    const { uid, ticket } = await somebody()
    const disable = () => call('POST', `/api/v1/tenant/disableAccount/${uid}`)
    expect(await delayUntil(disable, refuses(ticket))).toBeLessThan(500)
  })

  test('FAULT changed permissions apply on the other server within 500 ms', async () => {
    const { roleId, ticket } = await somebody()
    const { data } = await call('GET', `/api/v1/tenant/role/allPerm/${roleId}`)
    const menuIds = pagesOf(data.menus)
    const grant = () => call('POST', '/api/v1/tenant/role/permission', { roleId, menuIds, rev: data.rev })
    const buttons = async () => (await other.call('GET', PERMS, { ticket })).data.buttons as string[]
    expect(await buttons()).toEqual([])
    expect(await delayUntil(grant, async () => (await buttons()).length > 0)).toBeLessThan(500)
  })
})

type Node = { id: number; type: string; children: Node[] }
const pagesOf = (nodes: Node[]): number[] =>
  nodes.flatMap(({ id, type, children }) => [...(type === 'M' ? [] : [id]), ...pagesOf(children)])

describe('the database stops and restarts', () => {
  test('FAULT while the database is stopped, calls return 503 within 2 s; afterwards calls and events recover', {
    timeout: 60_000,
  }, async () => {
    const { uid, ticket } = await somebody()
    await stopPostmaster(site)
    const until = Date.now() + 5_000
    let asked = 0
    for (; Date.now() < until; asked += 1) {
      const since = performance.now()
      const paths = ['/api/v1/tenant/user/list?pageNum=1&pageSize=20', '/api/v1/tenant/role/list?pageNum=1&pageSize=20']
      const replies = await Promise.all(paths.map((path) => one.call('GET', path, { ticket: admin })))
      expect(replies.map(({ status, code }) => ({ status, code }))).toEqual(
        paths.map(() => ({ status: 503, code: 503 })),
      )
      expect(performance.now() - since).toBeLessThan(2_500)
      expect(JSON.stringify(replies)).not.toMatch(/ at |node:|\.ts|ECONN|ENOENT/)
      expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
      expect((await fetch(`${one.url}/readyz`)).status).toBe(503)
      await sleep(200)
    }
    expect(asked).toBeGreaterThan(1)
    await ensureRunning(site)
    const since = Date.now()
    const isBack = async () =>
      (await one.call('GET', '/api/v1/tenant/role/list?pageNum=1&pageSize=20', { ticket: admin })).code === 200
    expect(await pollUntil(10_000, 50, async () => ((await isBack()) ? true : undefined))).toBe(true)
    expect(Date.now() - since).toBeLessThan(10_000)
    expect((await other.call('GET', PERMS, { ticket })).code).toBe(200)
    // Waits for the slowest reconnect of both listeners before measuring.
    await sleep(5_500)
    const disable = () => call('POST', `/api/v1/tenant/disableAccount/${uid}`)
    expect(await delayUntil(disable, refuses(ticket))).toBeLessThan(500)
  })
})
