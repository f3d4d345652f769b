import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { blocksOf, readGuide } from '#test/guides/device-guide.ts'
import { asReader } from '#test/guides/follow-guide.ts'
import { useApp } from '#test/harness.ts'
import { useStorage } from '#test/fixtures/storage-fixture.ts'

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

test('STORAGE-10 the commands of the guide send a paid order, and repeating them changes nothing', async () => {
  const { data } = await call('POST', '/api/v1/oss/hook', { hookName: '官方商城' })
  expect(data.id).toBe(7)
  const [, block] = blocksOf(readGuide('sell-cloud-storage.md'), 'sh')
  const env = { OMS_URL: address, SECRET: data.secret as string, HOOK: String(data.id) }
  const step = { kind: 'shell', command: block!.body, expected: undefined, isUntilStopped: false } as const
  await asReader(async (run) => {
    expect((await run(step, env)).output).toMatch(/^HTTP\/1\.1 200 /)
    expect((await run(step, env)).output).toContain('"msg":"已处理过"')
  })
  const forged = await asReader((run) => run(step, { ...env, SECRET: 'wrong' }))
  expect(forged.output).toMatch(/^HTTP\/1\.1 401 /)
  expect(await rowsOf('CAM0001')).toMatchObject([{ state: 1, source: 1, amount: 2900 }])
  const orders = (await call('GET', '/api/v1/oss/order/page')).data
  expect(orders.list).toMatchObject([{ outOrderNo: 'S1001', payStatus: 1, amount: 2900 }])
})
