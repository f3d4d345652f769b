import type { AddressInfo } from 'node:net'
import { spawn } from 'node:child_process'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { blocksOf, readGuide } from '#test/device-guide.ts'
import { useApp } from '#test/harness.ts'
import { useStorage } from './storage-fixture.ts'

const app = useApp()
const { setNow, call, addPackage, rowsOf } = useStorage(app)
let address: string

beforeAll(async () => {
  // The guide signs with the clock of the machine.
  setNow(Date.now())
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  address = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  await addPackage('YC30M1', { price: 2900 })
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id) values ('CAM0001', 1, 1)`)
  await app.db.execute(sql`select setval('oss_hooks_id_seq', 6)`)
})

function run(command: string, env: Record<string, string>): Promise<string> {
  const child = spawn('sh', ['-ec', command], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (part) => (output += part))
  child.stderr.on('data', (part) => (output += part))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}

test('STORAGE-10 the lines of the guide send a paid order, and the same event again changes nothing', async () => {
  const { data } = await call('POST', '/api/v1/oss/hook', { hookName: '官方商城' })
  expect(data.id).toBe(7)
  const [block] = blocksOf(readGuide('sell-cloud-storage.md'), 'sh')
  const env = { OMS: address, SECRET: data.secret as string }
  expect(await run(block!.body, env)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await run(block!.body, env)).toContain('"msg":"已处理过"')
  expect(await run(block!.body, { ...env, SECRET: 'wrong' })).toMatch(/^HTTP\/1\.1 401 /)
  expect(await rowsOf('CAM0001')).toMatchObject([{ state: 1, source: 1, amount: 2900 }])
  const orders = (await call('GET', '/api/v1/oss/order/page')).data
  expect(orders.list).toMatchObject([{ outOrderNo: 'S1001', payStatus: 1, amount: 2900 }])
})
