import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { otaVersions, otaPolicies } from '#modules/upgrade/schema.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { deviceGroupMembers, deviceModels, devices, deviceTypes } from './schema.ts'

const app = useApp()
const GROUP = '/api/v1/device/group'
const ALL = ['list', 'query', 'add', 'edit', 'remove', 'addDevice', 'removeDevice'].map(
  (action) => `device:deviceGroup:${action}`,
)
let admin: Caller
let customer: Caller
let tenantId: number
let modelId: number
let typeId: number
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  customer = await app.by({ tenant: '甲公司', permissions: ALL })
  const { rows } = await app.services.database.pool.query<{ id: number }>(
    `select id from tenants where name = '甲公司'`,
  )
  tenantId = rows[0]!.id
  const [type] = await app.db.insert(deviceTypes).values({ typeName: '门铃', typeCode: 'bell' }).returning()
  typeId = type!.id
  const [model] = await app.db.insert(deviceModels).values({ typeId, modelName: '甲型', modelCode: 'A' }).returning()
  modelId = model!.id
})

const newDevices = (list: (Partial<typeof devices.$inferInsert> & { sn: string })[]) =>
  app.db
    .insert(devices)
    .values(list.map((device) => ({ tenantId: 1, modelId, ...device })))
    .returning({ id: devices.id, sn: devices.sn })
async function newGroup(over: object = {}, who = admin) {
  made += 1
  const input = { groupName: `分组${made}`, kind: 1, ...over }
  const answer = await who.call('POST', GROUP, input)
  expect(answer.msg).toBe('新增成功')
  return { id: answer.data.id as number, parentId: 0, status: 1, description: '', ...input, rev: 0 }
}
const countsOf = async (id: number, who = admin, query = '') => {
  const { data } = await who.call('GET', `${GROUP}/counts${query}`)
  return data.list.find((row: { id: number }) => row.id === id)
}
const membersOf = async (id: number, who = admin, query = '') =>
  (await who.call('GET', `${GROUP}/devices/${id}${query}`)).data.list.map(({ sn }: { sn: string }) => sn).sort()

describe('groups', () => {
  test('MODULE-01 a group can be created, found, changed and deleted', async () => {
    const group = await newGroup({ description: '一楼' })
    const { list } = (await admin.call('GET', `${GROUP}/tree?groupName=${encodeURIComponent(group.groupName)}`)).data
    expect(list).toMatchObject([{ id: group.id, kind: 1, description: '一楼', tenantId: 1 }])
    const next = { ...group, groupName: `${group.groupName}改` }
    expect(await admin.call('PUT', GROUP, next)).toMatchObject({ code: 200, data: { rev: 1 } })
    expect(await admin.call('PUT', GROUP, { ...next, kind: 2, rev: 1, rule: { snPrefix: 'A' } })).toMatchObject({
      msg: '分组类型不能修改，请新增分组',
    })
    expect((await admin.call('POST', GROUP, { groupName: next.groupName })).data).toEqual({ field: 'groupName' })
    expect((await admin.call('DELETE', `${GROUP}/${group.id}`)).code).toBe(200)
    expect(await admin.call('GET', `${GROUP}/${group.id}`)).toMatchObject({ msg: '设备分组不存在或已被删除' })
  })

  test('a save conflict shows an account of a tenant the names of its own accounts, but not of platform staff', async () => {
    const group = await newGroup({}, customer)
    await app.db.execute(sql`update accounts set realname = '内部员工' where uid = ${admin.uid}`)
    await app.db.execute(sql`update accounts set realname = '客户员工' where uid = ${customer.uid}`)
    expect((await admin.call('PUT', GROUP, { ...group, description: '平台' })).code).toBe(200)
    const late = await customer.call('PUT', GROUP, group)
    expect(late).toMatchObject({ code: 400, data: { conflict: { by: '平台人员', isOwn: false, rev: 1 } } })
    expect(late.msg).toMatch(/^该数据已被平台人员于 /)
    const { rows } = await app.db.execute<{ text: string }>(
      sql`select error_msg as text from oper_logs where oper_id = (select max(oper_id) from oper_logs)`,
    )
    expect(rows[0]?.text).toBe(late.msg)
    expect((await admin.call('PUT', GROUP, group)).data).toMatchObject({ conflict: { by: '内部员工', isOwn: true } })
    expect((await customer.call('PUT', GROUP, { ...group, rev: 1 })).code).toBe(200)
    const seen = await admin.call('PUT', GROUP, group)
    expect(seen.data).toMatchObject({ conflict: { by: '客户员工', isOwn: false } })
  })

  test('groups form a tree of three levels without cycles', async () => {
    const top = await newGroup()
    const middle = await newGroup({ parentId: top.id })
    const low = await newGroup({ parentId: middle.id })
    const said = { code: 400, msg: '分组最多3级', data: { field: 'parentId' } }
    expect(await admin.call('POST', GROUP, { groupName: '第四级', parentId: low.id })).toEqual(said)
    const other = await newGroup()
    expect(await admin.call('PUT', GROUP, { ...top, parentId: other.id })).toEqual(said)
    expect((await admin.call('PUT', GROUP, { ...top, parentId: low.id })).data).toEqual({ field: 'parentId' })
    expect((await admin.call('PUT', GROUP, { ...middle, parentId: middle.id })).msg).toBe('上级分组不能是自己')
    expect((await admin.call('PUT', GROUP, { ...middle, parentId: other.id })).code).toBe(200)
    expect((await admin.call('DELETE', `${GROUP}/${other.id}`)).msg).toBe('该分组下还有1个下级分组，请先删除下级分组')
  })

  test('a dynamic group contains the devices that match its rule, and the form counts them before saving', async () => {
    await newDevices([
      { sn: 'DYN-1', verCode: 100, tags: ['展厅'], region: '上海', online: 1 },
      { sn: 'DYN-2', verCode: 200, tags: ['展厅', '样机'], region: '上海' },
      { sn: 'DYN-3', verCode: 300, region: '北京' },
    ])
    const preview = async (rule: object) => (await admin.call('POST', `${GROUP}/preview`, { rule })).data.count
    expect(await preview({ snPrefix: 'DYN-' })).toBe(3)
    expect(await preview({ snPrefix: 'DYN-', tags: ['展厅'] })).toBe(2)
    expect(await preview({ typeIds: [typeId], region: '上海', verCodeMin: 150 })).toBe(1)
    expect(await preview({ modelIds: [modelId], snPrefix: 'DYN-', verCodeMax: 200 })).toBe(2)
    const group = await newGroup({ kind: 2, rule: { tags: ['展厅'], typeIds: [typeId] } })
    expect(await countsOf(group.id)).toEqual({ id: group.id, deviceCount: 2, onlineCount: 1 })
    expect(await membersOf(group.id)).toEqual(['DYN-1', 'DYN-2'])
    expect(await membersOf(group.id, admin, '?online=1')).toEqual(['DYN-1'])
    const { data } = await admin.call('GET', `${GROUP}/${group.id}`)
    expect(data).toMatchObject({ rule: { tags: ['展厅'], typeIds: [typeId] }, types: [{ id: typeId, name: '门铃' }] })
    const refused = await admin.call('POST', `${GROUP}/devices/add`, { id: group.id, deviceIds: [1] })
    expect(refused).toMatchObject({ code: 501 })
  })

  test.each([
    [{}, '请至少设置一个条件'],
    [{ verCodeMin: 9, verCodeMax: 1 }, '最高版本号不能小于最低版本号'],
    [{ snPrefix: 'x'.repeat(65) }, '序列号前缀不能超过64个字符'],
  ])('a dynamic group with the rule %o is refused: %s', async (rule, msg) => {
    expect((await admin.call('POST', GROUP, { groupName: '坏规则', kind: 2, rule })).msg).toBe(msg)
  })

  test('a dynamic group without a rule is refused', async () => {
    expect((await admin.call('POST', GROUP, { groupName: '无规则', kind: 2 })).msg).toBe('动态分组请设置规则')
  })

  test('a group that a release targets cannot be deleted until the release is stopped', async () => {
    const group = await newGroup()
    const version = { tenantId: 1, modelId, verCode: 7, verName: '七', releaseDate: '2026-01-01 00:00:00', status: 1 }
    const [made] = await app.db.insert(otaVersions).values(version).returning()
    const otaId = made!.otaId
    await app.db.insert(otaPolicies).values({ otaId, tenantId: 1, groupIds: [group.id] })
    expect((await admin.call('DELETE', `${GROUP}/${group.id}`)).msg).toBe('还有1个升级发布指定了该分组，不能删除')
    await app.db.update(otaPolicies).set({ state: 4 })
    expect((await admin.call('DELETE', `${GROUP}/${group.id}`)).code).toBe(200)
  })
})

describe('members of a static group', () => {
  test('devices are added to a static group by selection, by pasted serial numbers or by filter, and can be removed', async () => {
    const found = await newDevices([{ sn: 'MEM-1', online: 1 }, { sn: 'MEM-2' }, { sn: 'MEM-3' }, { sn: 'MEM-4' }])
    const group = await newGroup()
    const first = found.slice(0, 2).map(({ id }) => id)
    const added = await admin.call('POST', `${GROUP}/devices/add`, { id: group.id, deviceIds: [...first, 999_999] })
    expect(added).toMatchObject({ msg: '已添加2台设备', data: { added: 2, already: 0, full: 0 } })
    expect(await countsOf(group.id)).toEqual({ id: group.id, deviceCount: 2, onlineCount: 1 })
    const pasted = await admin.call('POST', `${GROUP}/devices/sns`, { id: group.id, sns: 'MEM-2\nMEM-3\n不存在,X9' })
    expect(pasted.data).toEqual({ added: 1, already: 1, full: 0, unknown: ['不存在', 'X9'] })
    expect(await membersOf(group.id, admin, '?outside=1&sn=MEM-')).toEqual(['MEM-4'])
    const all = await admin.call('POST', `${GROUP}/devices/all`, { id: group.id, sn: 'MEM-' })
    expect(all.data).toEqual({ added: 1, already: 3, full: 0 })
    expect(await membersOf(group.id)).toEqual(['MEM-1', 'MEM-2', 'MEM-3', 'MEM-4'])
    await admin.call('POST', `${GROUP}/devices/remove`, { id: group.id, deviceIds: first })
    expect(await membersOf(group.id)).toEqual(['MEM-3', 'MEM-4'])
    expect((await admin.call('POST', `${GROUP}/devices/removeAll`, { id: group.id, sn: 'MEM-3' })).data.removed).toBe(1)
    expect((await admin.call('POST', `${GROUP}/devices/removeAll`, { id: group.id })).data.removed).toBe(1)
    expect(await countsOf(group.id)).toEqual({ id: group.id, deviceCount: 0, onlineCount: 0 })
  })

  test('a device can be in ten groups at most, also with ten simultaneous additions', async () => {
    const [device] = await newDevices([{ sn: 'CROWD-1' }])
    const groups = []
    for (let i = 0; i < 12; i++) groups.push(await newGroup())
    const answers = await Promise.all(
      groups.map(({ id }) => admin.call('POST', `${GROUP}/devices/add`, { id, deviceIds: [device!.id] })),
    )
    expect(answers.filter(({ data }) => data.added === 1)).toHaveLength(10)
    expect(answers.filter(({ data }) => data.full === 1)).toHaveLength(2)
    const held = await app.db.$count(deviceGroupMembers, sql`device_id = ${device!.id}`)
    expect(held).toBe(10)
  })

  test('deleting a group deletes its memberships', async () => {
    const [device] = await newDevices([{ sn: 'GONE-1' }])
    const group = await newGroup()
    await admin.call('POST', `${GROUP}/devices/add`, { id: group.id, deviceIds: [device!.id] })
    await admin.call('DELETE', `${GROUP}/${group.id}`)
    expect(await app.db.$count(deviceGroupMembers, sql`group_id = ${group.id}`)).toBe(0)
  })

  test('a group of a tenant contains at most twenty thousand devices', async () => {
    await app.db.execute(sql`insert into devices (tenant_id, model_id, sn)
      select ${tenantId}, ${modelId}, 'BULK-' || n from generate_series(1, 20001) n`)
    const group = await newGroup({}, customer)
    const said = await customer.call('POST', `${GROUP}/devices/all`, { id: group.id, sn: 'BULK-' })
    expect(said).toMatchObject({ code: 400, msg: '一个静态分组最多20000台设备，添加后将有20001台，请缩小范围' })
    expect(await countsOf(group.id, customer)).toMatchObject({ deviceCount: 0 })
    await app.db.execute(sql`delete from devices where sn like 'BULK-%'`)
  })
})

describe('devices of other tenants', () => {
  test('TENANT a group of a tenant contains only its own devices; a group of the platform may contain any device', async () => {
    await newDevices([{ sn: 'OWN-1', tenantId }, { sn: 'OWN-2' }])
    const own = await newGroup({}, customer)
    const rule = await newGroup({ kind: 2, rule: { snPrefix: 'OWN-' } }, customer)
    const wide = await newGroup()
    for (const [group, who] of [
      [own, customer],
      [own, admin],
      [wide, admin],
    ] as const)
      await who.call('POST', `${GROUP}/devices/sns`, { id: group.id, sns: ['OWN-1', 'OWN-2'] })
    expect(await membersOf(own.id)).toEqual(['OWN-1'])
    expect(await membersOf(rule.id)).toEqual(['OWN-1'])
    expect(await membersOf(wide.id)).toEqual(['OWN-1', 'OWN-2'])
    expect(await countsOf(rule.id, admin, `?tenantId=${tenantId}`)).toMatchObject({ deviceCount: 1 })
    expect(await customer.call('GET', `${GROUP}/${wide.id}`)).toMatchObject({ code: 400 })
    expect(await customer.call('GET', `${GROUP}/tree?tenantId=1`)).toMatchObject({ code: 400 })
    expect((await customer.call('POST', GROUP, { groupName: '越界', tenantId: 1 })).code).toBe(400)
    expect((await customer.call('POST', GROUP, { groupName: '越界', parentId: wide.id })).data.field).toBe('parentId')
    const foreign = await app.by({ tenant: '乙公司', permissions: ALL })
    expect((await foreign.call('DELETE', `${GROUP}/${own.id}`)).code).toBe(400)
  })
})

const PERMISSIONS = ['list', 'query', 'add', 'edit', 'remove'].map((key) => `device:deviceGroup:${key}`)
const REFUSED = { code: 501, msg: '该分组包含您数据范围之外的设备，您只能查看' }

async function tenantOf(name: string) {
  await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}

async function deviceOf(tenantId: number, sn: string) {
  await app.db.execute(
    sql`insert into device_types (id, type_name, type_code) values (1, '类型', 'T1') on conflict do nothing`,
  )
  await app.db.execute(sql`insert into device_models (id, type_id, model_name, model_code) values (1, 1, '型号', 'M1')
    on conflict do nothing`)
  const { rows } = await app.db.execute<{ id: number }>(
    sql`insert into devices (tenant_id, model_id, sn) values (${tenantId}, 1, ${sn}) returning id`,
  )
  return rows[0]!.id
}

test('limited staff can change a platform group only while all its devices are in their data scope', async () => {
  const [inside, outside] = [await tenantOf('范围内'), await tenantOf('范围外')]
  const admin = await app.by({ superAdmin: true })
  const limited = await app.by({ permissions: PERMISSIONS, dataScope: 3, scopeIds: [inside] })
  const made = async (input: object) => (await admin.call('POST', GROUP, input)).data.id as number
  const join = (group: number, device: number) =>
    app.db.execute(sql`insert into device_group_members (group_id, device_id) values (${group}, ${device})`)
  const [own, mixed] = [await made({ groupName: '只有范围内' }), await made({ groupName: '也有范围外' })]
  const dynamic = await made({ groupName: '规则', kind: 2, rule: { modelIds: [1] } })
  const near = await deviceOf(inside, 'NEAR1')
  for (const group of [own, mixed]) await join(group, near)
  await join(mixed, await deviceOf(outside, 'FAR1'))

  const stop = async (id: number, kind: number) => {
    const { data } = await admin.call('GET', `${GROUP}/${id}`)
    const { groupName, parentId, rule, rev } = data
    return limited.call('PUT', GROUP, { id, rev, groupName, parentId, kind, ...(rule && { rule }), status: 0 })
  }
  expect([await stop(mixed, 1), await stop(dynamic, 2)]).toMatchObject([REFUSED, REFUSED])
  expect(await limited.call('DELETE', `${GROUP}/${mixed}`)).toMatchObject(REFUSED)
  expect(await stop(own, 1)).toMatchObject({ code: 200 })
  expect(await limited.call('DELETE', `${GROUP}/${own}`)).toMatchObject({ code: 200 })
})
