import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { oms, serve } from '#test/serving.ts'

let site: ClusterSite
let base: string
let url: string
beforeAll(async () => {
  base = mkdtempSync(join(inject('scratch'), 'keys-'))
  const cluster = await openCluster({ dataDir: base, role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  // The last user of a cluster deletes the folder of its socket.
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  url = `postgres://oms@localhost/oms?host=${sockets}`
})
afterAll(() => stopPostmaster(site))

const [KEY, OTHER] = ['k'.repeat(40), 'o'.repeat(40)]

test('FAULT a process whose secret key or signing key differs from the running processes refuses to start', {
  timeout: 300_000,
}, async () => {
  const one = { DATABASE_URL: url, DATA_DIR: join(base, 'one'), OMS_SECRET_KEY: KEY }
  const first = await serve(one)
  expect(first.url, first.lines.join('\n')).not.toBe('')

  const wrongSecret = await serve({ ...one, OMS_SECRET_KEY: OTHER })
  expect(await wrongSecret.gone).toBe(1)
  expect(wrongSecret.lines.join()).toContain('密钥不同')
  const tool = await oms(['user', 'disable', 'nobody'], { ...one, OMS_SECRET_KEY: OTHER })
  expect(tool.err.join()).toContain('密钥不同')

  // Without OMS_SECRET_KEY, a second directory would create its own key.
  const two = { ...one, DATA_DIR: join(base, 'two') }
  const noSecret = await serve({ ...two, OMS_SECRET_KEY: undefined })
  expect(await noSecret.gone).toBe(1)
  expect(noSecret.lines.join()).toContain('没有密钥')

  const wrongSigning = await serve(two)
  expect(await wrongSigning.gone).toBe(1)
  expect(wrongSigning.lines.join()).toContain('签名私钥')
  cpSync(join(one.DATA_DIR, 'signing.key'), join(two.DATA_DIR, 'signing.key'))
  const second = await serve(two)
  expect(second.url, second.lines.join('\n')).not.toBe('')

  for (const { child } of [first, second]) child.kill('SIGTERM')
  await Promise.all([first.gone, second.gone])
  // A server that runs alone may bring a new signing key, but never another secret key.
  rmSync(join(two.DATA_DIR, 'signing.key'))
  const renewed = await serve(two)
  expect(renewed.url, renewed.lines.join('\n')).not.toBe('')
  expect(renewed.lines.join()).toContain('signing key has changed')
  renewed.child.kill('SIGTERM')
  await renewed.gone
  const stillWrong = await serve({ ...one, OMS_SECRET_KEY: OTHER })
  expect(await stillWrong.gone).toBe(1)
})
