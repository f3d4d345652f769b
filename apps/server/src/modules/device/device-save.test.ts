import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
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

const server = useApp()
let me: Caller
let customer: Caller
let modelId: number
let theirs: number

beforeAll(async () => {
  me = await server.as(...DEVICE_PERMISSIONS)
  customer = await server.by({ tenant: '启明', permissions: DEVICE_PERMISSIONS })
  theirs = await insertTenant(server.db, '启明')
  modelId = await insertModel(server.db, 'S1')
})
const row = async (id: number) => (await me.call('GET', `${DEVICE_URL}/detail/${id}`)).data
const stored = async (id: number) =>
  (await server.db.execute(sql`select * from devices where id = ${id}`)).rows[0] as Record<string, unknown>

test.each([
  [{ sn: '' }, '请输入序列号', 'sn'],
  [{ sn: '有 空格' }, '序列号只能包含字母、数字和 . _ : -，以字母或数字开头', 'sn'],
  [{ modelId: 999_999 }, '设备型号不存在或已被删除', 'modelId'],
  [{ tenantId: 999_999 }, '客户不存在或已被删除', 'tenantId'],
  [{ mac: '00:11' }, 'MAC格式不正确，应为12位十六进制', 'mac'],
  [{ imei: '12' }, 'IMEI应为15位数字', 'imei'],
  [{ verCode: '1234567890' }, '固件版本号不能超过9个字符', 'verCode'],
  [{ tags: ['a,b'] }, '标签不能包含空格、逗号、分号、引号等符号', 'tags.0'],
  [{ verCode: '0x10' }, '固件版本号必须为数字值', 'verCode'],
  [{ verCode: '1e3' }, '固件版本号必须为数字值', 'verCode'],
  [{ verCode: '5.0' }, '固件版本号必须为数字值', 'verCode'],
  [{ verCode: true }, '固件版本号必须为数字值', 'verCode'],
  [{ verCode: [5] }, '固件版本号必须为数字值', 'verCode'],
  [{ tags: ['a\ud800b'] }, '标签含有不支持的字符', 'tags.0'],
  [{ tags: ['a\u0007b'] }, '标签含有不支持的字符', 'tags.0'],
  [{ tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }, '标签不能超过10个', 'tags'],
  [{ warrantyEnd: '2026-02-30' }, '日期不存在', 'warrantyEnd'],
])('a device with %o is refused: %s', async (over, msg, field) => {
  expect(await me.call('POST', DEVICE_URL, { sn: 'X-1', modelId, ...over })).toEqual({
    code: 400,
    msg,
    data: { field },
  })
})

test('MODULE-01 a device can be added and edited with its revision, and its history records both', async () => {
  const id = await addDevice(me, {
    sn: 'EDIT-1',
    modelId,
    devName: '一号',
    mac: 'AA-BB-CC-DD-EE-FF',
    tags: ['甲', '甲'],
  })
  expect(await row(id)).toMatchObject({ mac: 'aabbccddeeff', tags: ['甲'], rev: 0, status: 1, online: 0 })
  expect(await me.call('POST', DEVICE_URL, { sn: 'EDIT-1', modelId })).toMatchObject({
    msg: '序列号已存在',
    data: { field: 'sn' },
  })
  const next = {
    id,
    rev: 0,
    modelId,
    devName: '二号',
    verCode: 7,
    tags: ['乙'],
    warrantyEnd: '2030-01-31',
    remark: '换名',
  }
  expect((await me.call('PUT', DEVICE_URL, next)).data).toEqual({ rev: 1 })
  expect((await me.call('PUT', DEVICE_URL, next)).data.conflict).toMatchObject({ rev: 1 })
  expect(await row(id)).toMatchObject({ devName: '二号', verCode: 7, mac: '', warrantyEnd: '2030-01-31' })
  const history = await server.db.execute(
    sql`select action from oper_logs where biz_type = 'device' and biz_id = ${String(id)} and status = 1 order by oper_id`,
  )
  expect(history.rows.map(({ action }) => action)).toEqual(['新增设备「一号（EDIT-1）」', '修改设备「二号（EDIT-1）」'])
})

test('a serial number that differs only in case is refused', async () => {
  await addDevice(me, { sn: 'CASE-1', modelId })
  expect(await me.call('POST', DEVICE_URL, { sn: 'case-1', modelId })).toEqual({
    code: 400,
    msg: '序列号已存在（不区分大小写）',
    data: { field: 'sn' },
  })
})

test('the details show a reported version that is neither a number nor a known version name', async () => {
  const id = await addDevice(me, { sn: 'NAMED-1', modelId })
  const report = (text: string) =>
    server.db.execute(sql`insert into device_attributes (device_id, data) values (${id}, jsonb_build_object('verCode', ${text}::text))
      on conflict (device_id) do update set data = excluded.data`)
  for (const [text, shown] of [
    ['v2.6.0-rc1', 'v2.6.0-rc1'],
    ['0100', ''],
    ['v7', ''],
  ] as const) {
    await report(text)
    await server.db.execute(sql`insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, status, components)
      values (1, ${modelId}, 7, 'v7', now(), 1, 1) on conflict do nothing`)
    expect((await row(id)).unknownVersion).toBe(shown)
  }
})

test("simultaneous additions never exceed the tenant's quota", async () => {
  await addDevice(me, { sn: 'QUOTA-0', modelId, tenantId: theirs })
  await server.db.execute(sql`update tenants set device_quota = 4 where id = ${theirs}`)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => customer.call('POST', DEVICE_URL, { sn: `QUOTA-${at + 1}`, modelId })),
  )
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(3)
  expect(answers.filter(({ msg }) => msg === '设备数量已达上限（4台），请联系管理员')).toHaveLength(5)
  const ids = [await addDevice(me, { sn: 'MOVE-1', modelId }), await addDevice(me, { sn: 'MOVE-2', modelId })]
  expect(await me.call('POST', `${DEVICE_URL}/transfer`, { ids, tenantId: theirs })).toMatchObject({ code: 400 })
  await server.db.execute(sql`update tenants set device_quota = -1 where id = ${theirs}`)
  const whole = await insertGroup(server.db, 1, '厂商的分组')
  await me.call('POST', `${DEVICE_URL}/groups`, { ids, join: whole })
  expect((await me.call('POST', `${DEVICE_URL}/transfer`, { ids, tenantId: theirs })).data).toEqual({
    done: 2,
    failed: [],
  })
  expect(await findSerialsByQuery(customer, { sn: 'MOVE' })).toEqual(['MOVE-2', 'MOVE-1'])
  const own = await insertGroup(server.db, theirs, '客户的分组')
  await customer.call('POST', `${DEVICE_URL}/groups`, { ids, join: own })
  expect(await findSerialsByQuery(customer, { groupId: own })).toEqual(['MOVE-2', 'MOVE-1'])
  expect((await me.call('POST', `${DEVICE_URL}/transfer`, { ids, tenantId: 1 })).data).toEqual({ done: 2, failed: [] })
  const { rows } = await server.db.execute(sql`select distinct group_id from device_group_members
    where device_id = any(${sql.param(ids)}::int[])`)
  expect(rows).toEqual([{ group_id: whole }])
  expect(await customer.call('POST', `${DEVICE_URL}/transfer`, { ids, tenantId: 1 })).toMatchObject({
    code: 501,
    msg: '您没有权限！',
  })
})

test('a device with references cannot be deleted; the serial number of a deleted device can be used again', async () => {
  const ids = [
    await addDevice(me, { sn: 'DEL-1', modelId }),
    await addDevice(me, { sn: 'DEL-2', modelId }),
    await addDevice(me, { sn: 'DEL-3', modelId }),
    await addDevice(me, { sn: 'DEL-4', modelId }),
  ]
  await server.db.execute(
    sql`insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code) values (1, ${ids[0]}, 1, ${modelId}, 5)`,
  )
  await server.db.execute(sql`update devices set uid = 'ABC-1-VWXYZ' where id = ${ids[1]}`)
  await server.db.execute(sql`insert into tickets (tenant_id, feedback_no, sn, problem_type, content, status)
    values (1, 'F1', 'DEL-4', 1, '黑屏', 0), (1, 'F2', 'DEL-4', 1, '重启', 4), (1, 'F3', 'DEL-3', 1, '已解决', 5)`)
  const url = `${DEVICE_URL}?${ids.map((id) => `ids=${id}`).join('&')}&ids=999999`
  const { data } = await me.call('DELETE', url)
  expect(data.done).toBe(1)
  expect(data.failed).toEqual([
    { id: 999_999, name: '999999', msg: '设备不存在或已被删除' },
    { id: ids[0], name: 'DEL-1', msg: '该设备还有1个进行中的升级任务，不能删除' },
    { id: ids[1], name: 'DEL-2', msg: '该设备还有1个已绑定的授权，不能删除' },
    { id: ids[3], name: 'DEL-4', msg: '该设备还有2个未关闭的工单，不能删除' },
  ])
  expect(await me.call('DELETE', `${DEVICE_URL}?ids=${ids[0]}`)).toMatchObject({
    code: 501,
    msg: expect.stringContaining('升级任务'),
  })
  expect(await me.call('POST', `${DEVICE_URL}/transfer`, { ids: [ids[0]], tenantId: theirs })).toMatchObject({
    msg: '设备正在升级，完成后才能转移',
  })
  expect(await addDevice(me, { sn: 'DEL-3', modelId })).not.toBe(ids[2])
})

test('a batch changes status, tags and groups of each device independently and writes the history of each device', async () => {
  const ids = [
    await addDevice(me, { sn: 'BAT-1', modelId, tags: ['旧'] }),
    await addDevice(me, { sn: 'BAT-2', modelId }),
  ]
  const foreign = await addDevice(me, { sn: 'BAT-3', modelId, tenantId: theirs })
  expect((await me.call('POST', `${DEVICE_URL}/status`, { ids, status: 0 })).data).toEqual({ done: 2, failed: [] })
  expect(await findSerialsByQuery(me, { status: 0 })).toEqual(['BAT-2', 'BAT-1'])
  expect((await me.call('POST', `${DEVICE_URL}/readAttributes`, { ids })).data.failed).toMatchObject([
    { name: 'BAT-1', msg: '设备已停用，不能下发指令' },
    { name: 'BAT-2' },
  ])
  await me.call('POST', `${DEVICE_URL}/status`, { ids, status: 1 })
  const tagged = await me.call('POST', `${DEVICE_URL}/tags`, { ids, add: ['新', '样机'], remove: ['旧'] })
  expect(tagged.data).toEqual({ done: 2, failed: [] })
  expect((await row(ids[0]!)).tags).toEqual(['新', '样机'])
  const nine = Array.from({ length: 9 }, (_, at) => `多${at}`)
  expect(await me.call('POST', `${DEVICE_URL}/tags`, { ids: [ids[0]], add: nine })).toMatchObject({
    code: 501,
    msg: '标签不能超过10个',
  })
  const [first, second] = [await insertGroup(server.db, 1, '批次一'), await insertGroup(server.db, 1, '批次二')]
  expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids, join: first })).data).toEqual({ done: 2, failed: [] })
  const own = await insertGroup(server.db, theirs, '别家的分组')
  expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids: [ids[0], foreign], join: own })).data).toEqual({
    done: 1,
    failed: [{ id: ids[0], name: 'BAT-1', msg: '设备与分组不属于同一客户' }],
  })
  await me.call('POST', `${DEVICE_URL}/groups`, { ids: [ids[0]], join: second, leave: first })
  expect([await findSerialsByQuery(me, { groupId: first }), await findSerialsByQuery(me, { groupId: second })]).toEqual(
    [['BAT-2'], ['BAT-1']],
  )
  const ruled = await insertGroup(server.db, 1, '规则组', { tags: ['新'] })
  expect(await me.call('POST', `${DEVICE_URL}/groups`, { ids, join: ruled })).toMatchObject({
    code: 400,
    data: { field: 'join' },
  })
  const { rows } = await server.db.execute<{
    n: number
  }>(sql`select count(*)::int as n from oper_logs where biz_type = 'device'
    and biz_id = ${String(ids[1])} and status = 1`)
  expect(rows[0]?.n).toBe(5)
})

test('every call that adds a device to a group checks the group limits', async () => {
  const ids = [
    await addDevice(me, { sn: 'LIM-1', modelId, tenantId: theirs }),
    await addDevice(me, { sn: 'LIM-2', modelId }),
  ]
  const [crowded, other] = ids as [number, number]
  const groups = []
  for (let at = 0; at < 11; at++) groups.push(await insertGroup(server.db, 1, `满员${at}`))
  const [first, last] = [groups[0]!, groups[10]!]
  // Groups of the vendor may contain devices of any tenant.
  for (const join of groups.slice(0, 10))
    expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], join })).code).toBe(200)
  const full = { id: crowded, name: 'LIM-1', msg: '设备最多加入10个分组' }
  expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids, join: last })).data).toEqual({ done: 1, failed: [full] })
  expect(await findSerialsByQuery(me, { groupId: last })).toEqual(['LIM-2'])
  // Adding to a group that already contains the device does not count. Exchanging one group for another is
  // permitted.
  expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], join: first })).code).toBe(200)
  expect((await me.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], join: last, leave: first })).code).toBe(200)
  expect(await findSerialsByQuery(me, { groupId: first })).toEqual([])
  // When the device cannot join the new group, the device stays in the old group.
  await server.db.execute(sql`insert into device_group_members (group_id, device_id) values (${first}, ${crowded})`)
  const again = { ids: [crowded, other], join: await insertGroup(server.db, 1, '另一组'), leave: last }
  expect((await me.call('POST', `${DEVICE_URL}/groups`, again)).data).toEqual({ done: 1, failed: [full] })
  expect(await findSerialsByQuery(me, { groupId: last })).toEqual(['LIM-1'])
  const own = await insertGroup(server.db, theirs, '两万台')
  await server.db.execute(sql`insert into device_group_members (group_id, device_id)
    select ${own}, 10000000 + n from generate_series(1, 20000) n`)
  await me.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], leave: first })
  await me.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], leave: last })
  expect(await customer.call('POST', `${DEVICE_URL}/groups`, { ids: [crowded], join: own })).toMatchObject({
    code: 400,
    msg: '一个静态分组最多20000台设备，添加后将有20001台，请缩小范围',
  })
})

test('MODULE-01 a device token is returned once, and a replaced or removed token is invalid', async () => {
  const id = await addDevice(me, { sn: 'TOK-1', modelId })
  const { data } = await me.call('POST', `${DEVICE_URL}/token/${id}`)
  expect(data).toEqual({ sn: 'TOK-1', token: expect.stringMatching(/^[A-Za-z0-9]{32}$/) })
  const hash = createHash('sha256').update(data.token).digest('hex')
  expect((await stored(id))['token_hash']).toEqual(Buffer.from(hash, 'hex'))
  const { data: second } = await me.call('POST', `${DEVICE_URL}/token/${id}`)
  expect(second.token).not.toBe(data.token)
  const log = JSON.stringify((await server.db.execute(sql`select * from oper_logs`)).rows)
  const kept = JSON.stringify((await server.db.execute(sql`select * from idempotency_keys`)).rows)
  for (const token of [data.token, second.token]) expect(log + kept).not.toContain(token)
  expect(log).toContain('更换设备令牌：「TOK-1」')
  expect(await row(id)).toMatchObject({ hasToken: true })
  expect((await me.call('DELETE', `${DEVICE_URL}/token/${id}`)).code).toBe(200)
  expect(await row(id)).toMatchObject({ hasToken: false })
  const other = await addDevice(me, { sn: 'TOK-2', modelId })
  await me.call('POST', `${DEVICE_URL}/token/${other}`)
  const batch = await me.call('POST', `${DEVICE_URL}/tokens`, { ids: [id, other], replace: 0 })
  expect(batch.data).toEqual({ tokens: [{ sn: 'TOK-1', token: expect.any(String) }], skipped: 1 })
  const both = await me.call('POST', `${DEVICE_URL}/tokens`, { ids: [id, other], replace: 1 })
  expect(both.data.tokens).toHaveLength(2)
  const after = await server.db.execute(sql`select o.*, (select json_agg(k) from idempotency_keys k) from oper_logs o`)
  for (const made of both.data.tokens) expect(JSON.stringify(after.rows)).not.toContain(made.token)
})

test('a tenant cannot change a device of another tenant by its id', async () => {
  const id = await addDevice(me, { sn: 'WALL-1', modelId })
  const gone = { code: 400, msg: '设备不存在或已被删除' }
  expect(await customer.call('PUT', DEVICE_URL, { id, rev: 0, modelId })).toMatchObject(gone)
  expect(await customer.call('POST', `${DEVICE_URL}/token/${id}`)).toMatchObject(gone)
  expect(await customer.call('POST', `${DEVICE_URL}/status`, { ids: [id], status: 0 })).toMatchObject({
    ...gone,
    code: 501,
  })
  expect(await customer.call('POST', DEVICE_URL, { sn: 'WALL-2', modelId, tenantId: 1 })).toMatchObject({
    data: { field: 'tenantId' },
  })
  expect(await customer.call('POST', DEVICE_URL, { sn: 'WALL-1', modelId })).toMatchObject({ msg: '序列号已存在' })
})
