import { eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  DEVICE_PERMISSIONS,
  addDevice,
  findSerialsByQuery,
  insertGroup,
  DEVICE_URL,
  insertModel,
  insertTenant,
} from './device-fixture.ts'
import { deviceGroupMembers } from './schema.ts'

const server = useApp()
let me: Caller
let customer: Caller
let modelId: number
let theirs: number
const HEAD = '*序列号,设备名称,型号编码,客户编号,MAC,IMEI,固件版本号,硬件版本,标签,分组,保修到期,备注'

beforeAll(async () => {
  registerImports(server.services)
  me = await server.as(...DEVICE_PERMISSIONS)
  customer = await server.by({ tenant: '蓉城', permissions: DEVICE_PERMISSIONS })
  theirs = await insertTenant(server.db, '蓉城')
  modelId = await insertModel(server.db, 'IMP')
  await insertGroup(server.db, 1, '仓库')
})

const take = (who: Caller, lines: readonly string[], fields: Record<string, string> = {}) =>
  takeFile(who, [HEAD, ...lines].join('\n'), fields)

async function takeFile(who: Caller, content: string, fields: Record<string, string>) {
  const boundary = 'x-device-import'
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="d.csv"\r\nContent-Type: text/csv\r\n\r\n${content}\r\n--${boundary}--\r\n`
  const reply = await who.inject({
    method: 'POST',
    url: `${DEVICE_URL}/import`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: [...parts, file].join(''),
  })
  return reply.json()
}

const LINES = [
  'IMP-1,一号,imp,,00:11:22:33:44:55,490154203237518,120,V2,样机、展厅,仓库,2030-01-31,好',
  'IMP-2,二号,IMP,,,,,,,,,',
  ',没有序列号,IMP,,,,,,,,,',
  'IMP-2,重复,IMP,,,,,,,,,',
  'IMP-3,坏型号,NOPE,,,,,,,,,',
  'IMP-4,坏MAC,IMP,,12,,,,,,,',
  'IMP-5,坏客户,IMP,T999,,,,,,,,',
  'IMP-6,坏分组,IMP,,,,,,,没有,,',
  'IMP-7,四个问题,NOPE,T999,12,,x,,,没有,,',
  'IMP-8,两个问题,,,,,,,,没有、无,,',
]

test('MODULE-01 an import creates valid lines and reports invalid lines with row and column; a dry run changes nothing', async () => {
  for (const dryRun of ['1', '0']) {
    const { data } = await take(me, LINES, { dryRun })
    expect(data).toMatchObject({ total: 10, created: 2, updated: 0, failed: 8, dryRun: dryRun === '1' })
    expect(data.rows).toEqual([
      { row: 4, field: '序列号', msg: '请输入序列号' },
      { row: 5, field: '序列号', msg: '与第3行的序列号重复' },
      { row: 6, field: '型号编码', msg: '型号编码「NOPE」不存在或已停用' },
      { row: 7, field: 'MAC', msg: 'MAC格式不正确，应为12位十六进制' },
      { row: 8, field: '客户编号', msg: '客户编号「T999」不存在' },
      { row: 9, field: '分组', msg: '静态分组「没有」不存在' },
      { row: 10, field: '型号编码', msg: '型号编码「NOPE」不存在或已停用' },
      { row: 10, field: '客户编号', msg: '客户编号「T999」不存在' },
      { row: 10, field: 'MAC', msg: 'MAC格式不正确，应为12位十六进制' },
      { row: 10, field: expect.stringContaining('版本'), msg: expect.stringContaining('版本') },
      { row: 11, field: '型号编码', msg: '请输入型号编码' },
      { row: 11, field: '分组', msg: '静态分组「没有、无」不存在' },
    ])
    expect(await findSerialsByQuery(me, { sn: 'IMP-' })).toEqual(dryRun === '1' ? [] : ['IMP-2', 'IMP-1'])
  }
  const [first] = (await me.call('GET', `${DEVICE_URL}/page?sn=IMP-1`)).data.list
  expect(first).toMatchObject({ mac: '001122334455', verCode: 120, tags: ['样机', '展厅'], warrantyEnd: '2030-01-31' })
  expect((await me.call('GET', `${DEVICE_URL}/groups/${first.id}`)).data.list).toMatchObject([{ groupName: '仓库' }])
  expect((await me.call('GET', `${DEVICE_URL}/versions/${first.id}`)).data.list).toMatchObject([
    { verCode: 120, source: 3 },
  ])
})

test('lines of existing devices are refused, or with the update option change the filled fields', async () => {
  await addDevice(me, { sn: 'UPD-1', modelId, devName: '旧名', tags: ['留'], verCode: 5 })
  const lines = ['UPD-1,新名,,,,,6,,,,,', 'UPD-2,新的,IMP,,,,,,,,,']
  expect((await take(me, lines)).data).toMatchObject({ created: 1, failed: 1, rows: [{ row: 2, msg: '序列号已存在' }] })
  expect((await take(me, lines, { update: '1' })).data).toMatchObject({ created: 0, updated: 2, failed: 0 })
  const [row] = (await me.call('GET', `${DEVICE_URL}/page?sn=UPD-1`)).data.list
  expect(row).toMatchObject({ devName: '新名', tags: ['留'], verCode: 6, rev: 1 })
  const cases = ['upd-1,其他大小写,IMP,,,,,,,,,', 'UPD-3,,IMP,,,,,,,,,', 'upd-3,,IMP,,,,,,,,,']
  for (const dryRun of ['1', '0'])
    expect((await take(me, cases, { dryRun, update: '1' })).data).toMatchObject({
      created: 1,
      rows: [{ msg: '序列号已存在（不区分大小写）' }, { msg: '与第3行的序列号重复' }],
    })
  const foreign = await take(customer, ['UPD-1,抢走,IMP,,,,,,,,,', 'UPD-9,给平台,IMP,P001,,,,,,,,'], { update: '1' })
  expect(foreign.data).toMatchObject({
    created: 0,
    updated: 0,
    failed: 2,
    rows: [{ msg: '序列号已存在（不区分大小写）' }, { field: '客户编号' }],
  })
  const adder = await server.as('device:apkManage:import')
  expect(await take(adder, lines, { update: '1' })).toMatchObject({ code: 501, msg: '您没有权限！' })
})

test('an import refuses the lines above the quota and writes lines of all batches', async () => {
  await server.db.execute(sql`update tenants set device_quota = 1500 where id = ${theirs}`)
  const { data } = await take(
    customer,
    Array.from({ length: 1502 }, (_, at) => `Q-${at},,IMP,,,,,,,,,`),
  )
  expect(data).toMatchObject({ created: 1500, failed: 2 })
  expect(data.rows[0]).toEqual({ row: 1502, field: '客户编号', msg: '设备数量已达上限（1500台），请联系管理员' })
  const lines = Array.from({ length: 4500 }, (_, at) => `J-${at},,IMP,,,,${at % 2 ? 7 : ''},,批量,仓库,,`)
  const { data: job } = await take(me, lines)
  expect(job).toEqual({ jobId: expect.any(Number) })
  await server.services.jobs.drain()
  const { data: done } = await me.call('GET', `/api/v1/account/job/${job.jobId}`)
  expect(done).toMatchObject({ state: 'done', report: { total: 4500, created: 4500, failed: 0 } })
  const { rows } = await server.db.execute(sql`select count(*)::int as n, count(v.id)::int as versions,
    (select count(*)::int from device_group_members m join devices x on x.id = m.device_id where x.sn like 'J-%') as members
    from devices d left join device_versions v on v.device_id = d.id where d.sn like 'J-%'`)
  expect(rows[0]).toEqual({ n: 4500, versions: 2250, members: 4500 })
  // Without current statistics the planner expects few rows and selects a slow join.
  const { rows: guesses } =
    await server.db.execute(sql`select sum((reltuples >= case relname when 'device_versions' then 2250
    else 4500 end)::int)::int as known from pg_class where relname in ('devices', 'device_versions', 'device_group_members')`)
  expect(guesses[0]).toEqual({ known: 3 })
}, 60_000)

test('an import reports exceeded group limits with the line', async () => {
  await server.db.execute(sql`update tenants set device_quota = -1 where id = ${theirs}`)
  const near = await insertGroup(server.db, theirs, '将满')
  const names = Array.from({ length: 11 }, (_, at) => `组${at}`)
  const groups = []
  for (const name of names) groups.push(await insertGroup(server.db, theirs, name))
  const kept = await addDevice(customer, { sn: 'G-0', modelId })
  await server.db.execute(sql`insert into device_group_members (group_id, device_id)
    select ${near}, 10000000 + n from generate_series(1, 19998) n`)
  await server.db.execute(sql`insert into device_group_members (group_id, device_id)
    select g, ${kept} from unnest(${sql.param(groups.slice(0, 10))}::int[]) g`)
  const line = (sn: string, group: string) => `${sn},,IMP,,,,,,,${group},,`
  const lines = [
    line('G-1', names.slice(0, 10).join('、')),
    line('G-2', names.join('、')),
    line('G-0', '组10'),
    line('G-0b', '将满、组1'),
    line('G-3', '将满'),
    line('G-4', '将满'),
    line('G-5', '组1'),
  ]
  const { data } = await take(customer, lines, { update: '1' })
  expect(data.rows).toEqual([
    { row: 3, field: '分组', msg: '分组不能超过10个' },
    { row: 4, field: '分组', msg: '设备最多加入10个分组' },
    { row: 7, field: '分组', msg: '分组「将满」已有20000台设备，不能再添加' },
  ])
  expect(data).toMatchObject({ created: 4, updated: 0 })
  expect(await server.db.$count(deviceGroupMembers, eq(deviceGroupMembers.groupId, near))).toBe(20_000)
})

test('the import template is an Excel workbook', async () => {
  const reply = await me.inject({ method: 'GET', url: `${DEVICE_URL}/template` })
  expect(reply.statusCode).toBe(200)
  expect(reply.rawPayload.subarray(0, 2).toString()).toBe('PK')
})

test('an export that was not touched is imported, and each device keeps its tenant', async () => {
  for (const [sn, tenantId] of [
    ['BACK-1', 1],
    ['BACK-2', theirs],
  ] as const)
    await addDevice(me, { sn, modelId, tenantId, tags: ['样机'], verCode: 7 })
  const payload = { format: 'csv', sn: 'BACK-' }
  const { body } = await me.inject({ method: 'POST', url: `${DEVICE_URL}/export`, payload })
  const update = { update: '1', dryRun: '0' }
  expect((await takeFile(me, body, update)).data).toMatchObject({ created: 0, updated: 2, failed: 0 })
  await server.db.execute(sql`update devices set deleted_at = now() where sn like 'BACK-%'`)
  expect((await takeFile(me, body, update)).data).toMatchObject({ created: 2, updated: 0, failed: 0 })
  const { list } = (await me.call('GET', `${DEVICE_URL}/page?sn=BACK-`)).data
  const tenantOf = ({ sn, tenantId }: { sn: string; tenantId: number }) => [sn, tenantId]
  expect(list.map(tenantOf).sort()).toEqual([
    ['BACK-1', 1],
    ['BACK-2', theirs],
  ])
})
