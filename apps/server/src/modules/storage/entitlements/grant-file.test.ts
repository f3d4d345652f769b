import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const { setNow, call, packages, breaches, newDevice, open, shown } = useStorage(app)
const ACTIONS = ['list', 'query', 'open', 'import', 'audit'].map((action) => `ossManage:deviceList:${action}`)
let requester: Caller
let approver: Caller
let made = 0

beforeAll(async () => {
  registerImports(app.services)
  setNow(START_MS)
  requester = await app.as(...ACTIONS)
  approver = await app.as(...ACTIONS)
})

/** Sends a file of lines `serial number, channel, copies`. Every file differs from all others. */
async function send(who: Caller, lines: readonly string[], fields: Record<string, string | number> = {}) {
  const text = ['*序列号,通道,份数', ...lines].join('\n')
  const given = { packageId: packages['M1']!, reason: '批量赠送', dryRun: 0, ...fields }
  const b = 'x-grant'
  const parts = Object.entries(given).map(
    ([key, value]) => `--${b}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  made += 1
  const head = `Content-Disposition: form-data; name="file"; filename="g${made}.csv"\r\nContent-Type: text/csv`
  const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
  const payload = `${parts.join('')}--${b}\r\n${head}\r\n\r\n${text}\r\n--${b}--\r\n`
  return (await who.inject({ method: 'POST', url: `${URL}/import`, headers, payload })).json()
}
const files = async () => (await requester.call('GET', `${URL}/import/page`)).data.list
const limitTo = async (twoPersonAbove: number) => {
  const { data } = await call('GET', '/api/v1/oss/setting')
  await call('PUT', '/api/v1/oss/setting', { ...data, twoPersonAbove })
}

test('STORAGE-12 a dry run of a grant file returns the plan without changes; the import reports every line', async () => {
  const [first, second] = [await newDevice(), await newDevice()]
  const none = await newDevice(1, 2)
  await open([first], 'W1')
  const lines = [
    `${first},0,2`,
    `${second},1,`,
    `${second},,`,
    `${none},0,1`,
    'NOPE,0,1',
    `${first},0,1`,
    `${first},9,1`,
  ]
  const { data: dry } = await send(requester, lines, { dryRun: 1 })
  expect(dry).toMatchObject({ total: 7, created: 3, failed: 4, dryRun: true })
  expect(dry.plan).toMatchObject({ devices: 2, entitlements: 4, listPrice: 3600, amount: 0, allowance: null })
  expect(dry.plan.queues[0]).toMatchObject({ sn: first, channel: 0, before: [{ packageName: '套餐W1' }] })
  expect(dry.plan.queues[0].after).toHaveLength(3)
  expect(dry.plan.queues[0].after[0]).toEqual(dry.plan.queues[0].before[0])
  expect(await shown(second)).toEqual([])
  expect(await files()).toEqual([])

  const { data } = await send(requester, lines)
  expect(data.rows).toEqual([
    { row: 5, field: '序列号', msg: '该型号不支持云存储' },
    { row: 6, field: '序列号', msg: '设备不存在' },
    { row: 7, field: '序列号', msg: '与第2行的序列号和通道重复' },
    { row: 8, field: '通道', msg: '通道号应为0～1' },
  ])
  expect(data.file.name).toBe('云存开通导入失败明细.csv')
  expect(data.plan).toBeUndefined()
  expect(await shown(second)).toHaveLength(2)
  expect(await files()).toMatchObject([
    { state: 2, lines: 7, devices: 2, copies: 4, listPrice: 3600, done: 3, failed: 4 },
  ])
  expect(await send(requester, lines)).toMatchObject({ code: 400, msg: '文件已导入过', data: { field: 'file' } })
  expect(await send(requester, lines, { dryRun: 1 })).toMatchObject({ msg: '文件已导入过' })
  expect(await breaches()).toEqual([])
})

/** Reads the file of refused lines of a batch. */
const failedLines = async (who: Caller, id: number) => who.inject({ method: 'GET', url: `${URL}/import/failed/${id}` })

test('STORAGE-12 the report of a batch and its refused lines can be downloaded later', async () => {
  const [sn, none] = [await newDevice(), await newDevice(1, 2)]
  const { data } = await send(requester, [`${sn},0,1`, `${none},0,1`, 'NOPE,0,1'])
  const [{ id }] = await files()
  const colleague = await app.as('ossManage:deviceList:list', 'ossManage:deviceList:query')
  const { data: detail } = await colleague.call('GET', `${URL}/import/detail/${id}`)
  expect(detail).toMatchObject({ row: { id, done: 1, failed: 2, state: 2 }, problems: data.rows, hasFile: 1 })
  expect(detail.problems).toHaveLength(2)
  // Files with the purpose `export` are deleted after some days; the report of a batch stays.
  const { rows } = await app.db.execute(sql`select purpose from files where id = ${data.file.id}`)
  expect(rows).toEqual([{ purpose: 'importReport' }])
  const sent = await failedLines(colleague, id)
  expect(sent.headers['content-disposition']).toContain(encodeURIComponent('云存开通导入失败明细.csv'))
  expect(sent.body).toContain('NOPE')
  expect(sent.body).toContain('设备不存在')
  // The address of the file itself stays with the account that imported.
  expect(await colleague.call('GET', `/api/v1/file/${data.file.id}`)).toMatchObject({ code: 400 })
  const stranger = await app.by({ tenant: '辛公司', permissions: ACTIONS })
  expect(await stranger.call('GET', `${URL}/import/detail/${id}`)).toMatchObject({ code: 400 })
  expect((await failedLines(stranger, id)).json()).toMatchObject({ code: 400 })
})

test('a batch without refused lines has no file of refused lines', async () => {
  await send(requester, [`${await newDevice()},0,1`])
  const [{ id }] = await files()
  expect((await requester.call('GET', `${URL}/import/detail/${id}`)).data).toMatchObject({ problems: [], hasFile: 0 })
  expect((await failedLines(requester, id)).json()).toMatchObject({ code: 501, msg: '该批次没有失败明细' })
})

test('an imported grant file counts its opened entitlements, and an invalid cell is reported with its column', async () => {
  const [sn] = [await newDevice()]
  const { data } = await send(requester, [`${sn},0,999`, `${sn},0,abc`, `${sn},x,1`, `${sn},0,2`])
  expect(data.rows).toEqual([
    { row: 2, field: '份数', msg: '份数应为1～36的整数' },
    { row: 3, field: '份数', msg: '份数应为1～36的整数' },
    { row: 4, field: '通道', msg: '通道应为0～63的整数' },
  ])
  expect((await files())[0]).toMatchObject({ lines: 4, devices: 1, copies: 2, listPrice: 1800, done: 1, failed: 3 })
})

test('a line with several invalid columns is reported with one problem per column', async () => {
  const [sn, used] = [await newDevice(), await newDevice()]
  await open([used], 'TRY')
  const { data } = await send(requester, [`${sn},9,2`, `${used},9,2`], { packageId: packages['TRY']!, dryRun: 1 })
  expect(data.rows).toEqual([
    { row: 2, field: '通道', msg: '通道号应为0～1' },
    { row: 2, field: '份数', msg: '试用套餐每台设备只能开通1份、1个通道' },
    { row: 3, field: '序列号', msg: '该设备已领取过试用' },
    { row: 3, field: '通道', msg: '通道号应为0～1' },
    { row: 3, field: '份数', msg: '试用套餐每台设备只能开通1份、1个通道' },
  ])
})

test('a grant file that opened nothing may be sent again', async () => {
  const lines = ['LATER01,0,1']
  expect((await send(requester, lines)).data).toMatchObject({ created: 0, failed: 1 })
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id) values ('LATER01', 1, 1)`)
  expect((await send(requester, lines)).data).toMatchObject({ created: 1, failed: 0 })
})

test('STORAGE-12 a grant file above the limit is imported after another person approves it', {
  timeout: 60_000,
}, async () => {
  await limitTo(1)
  const sns = [await newDevice(), await newDevice()]
  const lines = sns.map((sn) => `${sn},0,1`)
  expect((await send(requester, lines, { dryRun: 1 })).data).toMatchObject({
    plan: { devices: 2, fileDevices: 2, approvalAbove: 1 },
  })
  const { data } = await send(requester, lines)
  expect(data).toEqual({ grantFileId: expect.any(Number) })
  expect(await shown(sns[0]!)).toEqual([])
  const [file] = await files()
  expect(file).toMatchObject({ id: data.grantFileId, state: 0, devices: 2, listPrice: 1800 })
  expect(await send(requester, lines)).toMatchObject({ msg: '文件已导入过' })
  const audit = (who: Caller, pass: number, id = file.id, rev = 0) =>
    who.call('PUT', `${URL}/import/audit`, { id, rev, pass, auditRemark: '已核对' })
  expect(await audit(requester, 1)).toMatchObject({ code: 501, msg: '不能审批自己提交的批次，请由其他人审批' })
  const { data: approved } = await audit(approver, 1)
  await app.services.jobs.drain()
  const jobs = await app.db.execute<{ state: string }>(sql`select state from jobs where job_id = ${approved.jobId}`)
  expect(jobs.rows).toEqual([{ state: 'done' }])
  expect((await files())[0]).toMatchObject({ state: 2, done: 2, failed: 0, auditRemark: '已核对' })
  expect(await shown(sns[0]!)).toHaveLength(1)
  expect(await audit(approver, 1, file.id, 1)).toMatchObject({ code: 501, msg: '该批次已处理' })

  // A rejected file may be sent again.
  const more = [await newDevice(), await newDevice()].map((sn) => `${sn},1,1`)
  const { data: waiting } = await send(requester, more)
  expect(await audit(approver, 0, waiting.grantFileId)).toMatchObject({ code: 200, data: { jobId: null } })
  expect((await files())[0]).toMatchObject({ state: 3 })
  expect((await send(requester, more)).data).toEqual({ grantFileId: expect.any(Number) })
  await limitTo(1000)
  expect(await breaches()).toEqual([])
})

test('the approver of a grant file is shown the figures of the lines that will be executed', async () => {
  await limitTo(1)
  const [first, second] = [await newDevice(), await newDevice()]
  const lines = [`${first},0,2`, `${second},0,`, `${first},0,1`, 'NOPE1,0,5', 'NOPE2,0,5']
  const { data } = await send(requester, lines)
  const { row } = (await approver.call('GET', `${URL}/import/detail/${data.grantFileId}`)).data
  expect(row).toMatchObject({ state: 0, lines: 5, devices: 2, copies: 3, listPrice: 2700 })
  expect(row.checked).toMatchObject({ lines: 2, failed: 3, devices: 2, copies: 3, listPrice: 2700, tenantCount: 1 })
  expect(row.checked.tenants).toEqual([{ name: expect.any(String), devices: 2, copies: 3 }])
  expect(row.checked.reasons).toEqual([
    { msg: '序列号：设备不存在', lines: 2 },
    { msg: '序列号：与其他行的序列号和通道重复', lines: 1 },
  ])
  expect(await send(requester, ['NOPE3,0,1', 'NOPE4,0,1'])).toMatchObject({ msg: '文件中没有可以开通的行' })
  await limitTo(1000)
})

test('a grant file of a tenant is limited by the allowance, and the tenant sees only its own grant files', async () => {
  const tenant = await app.by({ tenant: '庚公司', permissions: ACTIONS })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '庚公司'`)
  const sns = [await newDevice(rows[0]!.id), await newDevice(rows[0]!.id)]
  const lines = sns.map((sn) => `${sn},0,2`)
  expect(await send(tenant, lines)).toMatchObject({ code: 400, msg: '开通额度不足，剩余0份' })
  await call('POST', '/api/v1/oss/allowance', { tenantId: rows[0]!.id, packageId: packages['M1'], quota: 5 })
  expect((await send(tenant, lines, { dryRun: 1 })).data.plan).toMatchObject({ entitlements: 4, allowance: 1 })
  expect((await send(tenant, [...lines, `${await newDevice(1)},0,1`])).data).toMatchObject({ created: 2, failed: 1 })
  const { data } = await tenant.call('GET', `${URL}/import/page`)
  expect(data.list).toMatchObject([{ done: 2, failed: 1 }])
  expect(await breaches()).toEqual([])
})

test('limited staff can neither read nor approve a batch with devices of tenants outside their data scope', async () => {
  await app.by({ tenant: '范围之内' })
  await app.by({ tenant: '范围之外' })
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select id from tenants where name in ('范围之内', '范围之外') order by name`,
  )
  const [inside, outside] = rows.map(({ id }) => id) as [number, number]
  const permissions = [...ACTIONS, 'system:operLog:list', 'system:operLog:query']
  const limited = await app.by({ permissions, dataScope: 3, scopeIds: [inside] })
  await limitTo(1)
  const [first, second] = [await newDevice(inside), await newDevice(inside)]
  const own = [`${first},0,1`, `${second},0,1`]
  const batches = {
    inside: own,
    foreign: [...own, `${await newDevice(outside)},0,1`],
    unknown: [...own, 'NO-SUCH-CAMERA,0,1'],
  }
  const ids: Record<string, number> = {}
  for (const [name, lines] of Object.entries(batches)) ids[name] = (await send(requester, lines)).data.grantFileId
  ids['sent'] = (await send(limited, [`${first},1,1`, 'NO-SUCH-CAMERA,1,1'])).data.grantFileId
  await app.db.execute(sql`update oss_grant_files set failed_file_id = 'x' where id = ${ids['foreign']}`)

  const listed: { id: number }[] = (await limited.call('GET', `${URL}/import/page?pageSize=50`)).data.list
  const seen = listed.map(({ id }) => id).filter((id) => id >= ids['inside']!)
  expect(seen).toEqual([ids['sent'], ids['inside']])
  for (const name of ['foreign', 'unknown']) {
    expect(await limited.call('GET', `${URL}/import/detail/${ids[name]}`)).toMatchObject({ code: 400, data: null })
    expect((await failedLines(limited, ids[name]!)).json()).toMatchObject({ code: 400 })
    const decision = { id: ids[name], rev: 0, pass: 0, auditRemark: '越权' }
    expect(await limited.call('PUT', `${URL}/import/audit`, decision)).toMatchObject({
      code: 400,
      msg: expect.stringContaining('批量任务'),
    })
  }
  const logs = async (id: number) =>
    (await limited.call('GET', `/api/v1/sys/operlog/page?bizType=storageGrantFile&bizId=${id}`)).data.total
  expect(await Promise.all([logs(ids['inside']!), logs(ids['foreign']!), logs(ids['unknown']!)])).toEqual([1, 0, 0])
  const decision = { id: ids['inside'], rev: 0, pass: 0, auditRemark: '名单不符' }
  expect(await limited.call('PUT', `${URL}/import/audit`, decision)).toMatchObject({ code: 200 })
})
