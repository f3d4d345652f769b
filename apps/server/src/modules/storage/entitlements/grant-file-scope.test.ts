import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '#test/fixtures/storage-fixture.ts'
import { loadSubmitter } from './grant-file-scope.ts'

const app = useApp()
const { setNow, call, packages, newDevice, shown } = useStorage(app)
const ACTIONS = [
  'system:operLog:list',
  ...['list', 'query', 'open', 'import', 'audit'].map((action) => `ossManage:deviceList:${action}`),
]
const tenants = { inside: 0, outside: 0 }
let limited: Caller
let colleague: Caller
let unlimited: Caller
let made = 0

beforeAll(async () => {
  registerImports(app.services)
  setNow(START_MS)
  for (const [key, name] of [
    ['inside', '范围之内'],
    ['outside', '范围之外'],
  ] as const) {
    await app.by({ tenant: name })
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
    tenants[key] = rows[0]!.id
  }
  const scope = { permissions: ACTIONS, dataScope: 3, scopeIds: [tenants.inside] }
  limited = await app.by(scope)
  colleague = await app.by(scope)
  unlimited = await app.as(...ACTIONS)
  const { data } = await call('GET', '/api/v1/oss/setting')
  await call('PUT', '/api/v1/oss/setting', { ...data, twoPersonAbove: 1 })
})

const devices = { inside: '', second: '', outside: '' }
beforeEach(async () => {
  devices.inside = await newDevice(tenants.inside)
  devices.second = await newDevice(tenants.inside)
  devices.outside = await newDevice(tenants.outside)
})

/** Sends a batch of several devices, which waits for approval, and returns its id. */
const submit = async (who: Caller, sns: readonly string[]) => (await send(who, sns)).data.grantFileId as number

async function send(who: Caller, sns: readonly string[], { reason = '批量赠送', dryRun = 0 } = {}) {
  const b = 'x-grant'
  const fields = { packageId: packages['M1']!, reason, dryRun }
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${b}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  made += 1
  const head = `Content-Disposition: form-data; name="file"; filename="s${made}.csv"\r\nContent-Type: text/csv`
  const text = ['*序列号,通道,份数', ...sns.map((sn) => `${sn},0,1`)].join('\n')
  const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
  const payload = `${parts.join('')}--${b}\r\n${head}\r\n\r\n${text}\r\n--${b}--\r\n`
  const reply = await who.inject({ method: 'POST', url: `${URL}/import`, headers, payload })
  return reply.json()
}
const decide = (who: Caller, id: number, pass: number) =>
  who.call('PUT', `${URL}/import/audit`, { id, rev: 0, pass, auditRemark: '已核对' })
const batchOf = async (id: number) => (await unlimited.call('GET', `${URL}/import/detail/${id}`)).data.row

test('limited staff approve a batch whose devices are all within their data scope', async () => {
  const id = await submit(unlimited, [devices.inside, devices.second])
  expect(await decide(limited, id, 1)).toMatchObject({ code: 200 })
  await app.services.jobs.drain()
  expect(await batchOf(id)).toMatchObject({ state: 2, done: 2, failed: 0 })
})

test('limited staff cannot decide on a batch with a device outside their data scope, also after a later move', async () => {
  const id = await submit(unlimited, [devices.inside, devices.outside])
  for (const pass of [1, 0]) expect(await decide(limited, id, pass)).toMatchObject({ code: 400, data: null })
  const moved = await submit(unlimited, [devices.inside, devices.second])
  await app.db.execute(sql`update devices set tenant_id = ${tenants.outside} where sn = ${devices.second}`)
  for (const pass of [1, 0])
    expect(await decide(limited, moved, pass)).toMatchObject({ code: 501, msg: '该批次涉及您数据范围之外的设备' })
  await app.services.jobs.drain()
  for (const each of [id, moved]) expect(await batchOf(each)).toMatchObject({ state: 0, done: 0 })
})

test('the operation log shows a batch only to accounts that see the batch in its list', async () => {
  const [own, mixed] = ['只在范围之内', '含范围之外']
  const batches = {
    [own]: [devices.inside, devices.second],
    [mixed]: [devices.inside, devices.outside],
  }
  for (const [reason, sns] of Object.entries(batches)) {
    // oxlint-disable-next-line no-await-in-loop -- batches are sent one after the other
    await send(unlimited, sns, { reason })
  }
  await send(unlimited, [devices.outside], { reason: '直接开通范围之外' })
  await send(unlimited, [devices.inside], { reason: '直接开通范围之内' })
  await send(unlimited, [devices.inside], { reason: '试导入', dryRun: 1 })
  await send(limited, [devices.inside, devices.outside], { reason: '本人提交' })
  const reasonsOf = async (who: Caller) => {
    const { list } = (await who.call('GET', '/api/v1/sys/operlog/page?pageSize=200')).data
    const ids = list
      .filter(({ title }: { title: string }) => title === '批量开通云存储')
      .map(({ operId }: { operId: number }) => operId)
    const { rows } = await app.db.execute<{ reason: string }>(
      sql`select oper_param::jsonb ->> 'reason' as reason from oper_logs where oper_id = any(${sql.param(ids)}::int[])`,
    )
    return rows.map(({ reason }) => reason)
  }
  const all = [own, mixed, '直接开通范围之外', '直接开通范围之内', '试导入', '本人提交']
  expect(await reasonsOf(unlimited)).toEqual(expect.arrayContaining(all))
  const seen = await reasonsOf(limited)
  expect(seen).toEqual(expect.arrayContaining([own, '直接开通范围之内', '本人提交']))
  expect(seen.filter((reason) => [mixed, '直接开通范围之外', '试导入'].includes(reason))).toEqual([])
})

test('an approved batch opens packages only on devices within the data scope of the submitter', async () => {
  const id = await submit(colleague, [devices.inside, devices.outside])
  expect(await decide(unlimited, id, 1)).toMatchObject({ code: 200 })
  await app.services.jobs.drain()
  expect(await batchOf(id)).toMatchObject({ state: 2, done: 1, failed: 1 })
  expect(await shown(devices.inside)).toHaveLength(1)
  expect(await shown(devices.outside)).toEqual([])
})

test('a batch cannot be approved when its submitter lost the permission to import', async () => {
  const former = await app.as(...ACTIONS)
  const id = await submit(former, [devices.inside, devices.second])
  await app.db.execute(sql`update accounts set status = 0 where uid = ${former.uid}`)
  app.services.sessions.forgetAll()
  expect(await decide(unlimited, id, 1)).toMatchObject({
    code: 501,
    msg: '提交人已没有批量开通的权限，请驳回后重新导入',
  })
  expect(await decide(unlimited, id, 0)).toMatchObject({ code: 200 })
})

test('the rights of the submitter of a batch are read through the connection of the transaction', async () => {
  const { pool } = app.services.database
  await app.db.transaction(async (db) => {
    const other = [vi.spyOn(pool, 'connect'), vi.spyOn(pool, 'query')]
    const submitter = await loadSubmitter({ db, user: null }, { createBy: colleague.uid, tenantId: 1 })
    expect(submitter).toMatchObject({
      uid: colleague.uid,
      scope: { tenants: expect.arrayContaining([tenants.inside]) },
    })
    for (const spy of other) {
      expect(spy).not.toHaveBeenCalled()
      spy.mockRestore()
    }
  })
})
