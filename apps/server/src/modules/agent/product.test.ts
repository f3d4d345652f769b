import { eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agentProductVersions } from './schema/agent-orders.ts'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/agent/product'
let admin: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const inputOf = (over: object = {}) => {
  made += 1
  return {
    packageName: `套餐${made}`,
    packageCode: `ZN${made}`,
    allowances: [
      { unit: 1, amount: 30 },
      { unit: 2, amount: 2000 },
    ],
    scope: 1,
    activateDays: 180,
    validDays: 30,
    price: 900,
    ...over,
  }
}

async function newPackage(over: object = {}) {
  const input = inputOf(over)
  const { data } = await admin.call('POST', URL, input)
  return { id: data.id as number, ...input }
}

/** Marks the current terms as sold, as an order does. */
const sell = (id: number) =>
  app.db.execute(sql`update agent_product_versions set is_sold = 1 where package_id = ${id} and is_sold = 0`)

test('AGENT-12 a package can be created, found by every filter, disabled and enabled', async () => {
  const { id, packageName, packageCode } = await newPackage({
    scope: 2,
    allowances: [{ unit: 5, amount: 0 }],
    originPrice: 1200,
  })
  const filters = `packageName=${encodeURIComponent(packageName)}&packageCode=${packageCode}&scope=2&unit=5&isTrial=0`
  const shown = await admin.call('GET', `${URL}/page?${filters}&status=1`)
  expect(shown.data).toMatchObject({
    total: 1,
    list: [{ id, content: 'Token不限', price: 900, originPrice: 1200, version: 1, isSold: 0, wasSold: 0, rev: 0 }],
  })
  expect((await admin.call('GET', `${URL}/page?${filters.replace('unit=5', 'unit=1')}`)).data.total).toBe(0)
  expect(await admin.call('POST', `${URL}/disable/${id}`)).toMatchObject({ code: 200, msg: '已停用' })
  expect((await admin.call('GET', `${URL}/page?${filters}&status=1`)).data.total).toBe(0)
  expect(await admin.call('POST', `${URL}/enable/${id}`)).toMatchObject({ code: 200, msg: '已启用' })
})

const SIX = [1, 2, 3, 4, 5, 1].map((unit) => ({ unit, amount: 1 }))
test.each([
  [{ packageName: ' ' }, '请输入套餐名称', 'packageName'],
  [{ packageCode: '中文' }, '套餐编码只能包含字母、数字和 _ . -', 'packageCode'],
  [{ price: 100_000_000 }, '价格应为0～999999.99元，最多两位小数', 'price'],
  [{ originPrice: 800 }, '原价不能低于价格', 'originPrice'],
  [{ activateDays: 0 }, '激活期限应为1～3650 天', 'activateDays'],
  [{ validDays: 3651 }, '有效期应为1～3650 天', 'validDays'],
  [{ allowances: [] }, '请添加套餐内容', 'allowances'],
  [{ allowances: SIX }, '套餐内容最多5项', 'allowances'],
  [{ allowances: [SIX[0], SIX[5]] }, '套餐内容的计量单位不能重复', 'allowances'],
  [{ allowances: [{ unit: 9, amount: 1 }] }, '请选择计量单位', 'allowances.0.unit'],
  [{ scope: 3, isTrial: 1 }, '试用套餐的使用范围应为单台设备', 'isTrial'],
  [{ scope: 2, modelIds: [1] }, '只有单台设备的套餐可以限定适用型号', 'modelIds'],
  [{ modelIds: [999_999] }, '型号不存在或已被删除', 'modelIds'],
  [{ tenantIds: [999_999] }, '客户不存在或已被删除', 'tenantIds'],
])('AGENT-12 a package with %o is refused: %s', async (over, msg, field) => {
  expect(await admin.call('POST', URL, inputOf(over))).toEqual({ code: 400, msg, data: { field } })
})

test('AGENT-12 names and codes of packages are unique', async () => {
  const { packageName, packageCode } = await newPackage()
  expect(await admin.call('POST', URL, inputOf({ packageName }))).toMatchObject({ msg: '套餐名称已存在' })
  expect(await admin.call('POST', URL, inputOf({ packageCode }))).toMatchObject({ msg: '套餐编码已存在' })
})

test('AGENT-12 editing the terms of a sold package creates the next version, and the log describes the change', async () => {
  const { id, ...input } = await newPackage()
  expect((await admin.call('PUT', URL, { ...input, id, rev: 0, price: 1000 })).data).toEqual({ rev: 1, version: 1 })
  await sell(id)
  const saved = await admin.call('PUT', URL, {
    ...input,
    id,
    price: 1000,
    rev: 1,
    allowances: [{ unit: 3, amount: 600 }],
  })
  expect(saved).toMatchObject({
    code: 200,
    msg: '已保存为版本 2，已售出的订单不受影响',
    data: { rev: 2, version: 2 },
  })
  const found = (await admin.call('GET', `${URL}/page?packageCode=${input.packageCode}`)).data.list
  expect(found).toMatchObject([{ id, version: 2, isSold: 0, wasSold: 1 }])
  const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
  expect(list).toMatchObject([
    { version: 2, content: '600 分钟', isSold: 0 },
    { version: 1, content: '30 天、2,000 轮', isSold: 1 },
  ])
  const log = await app.db.select().from(operLogs).where(eq(operLogs.bizType, 'agentProduct'))
  const entry = log.find(({ bizId, action }) => bizId === String(id) && action.endsWith('生成版本 2'))
  expect(entry?.diff).toMatchObject([{ title: '套餐内容', from: '30 天、2,000 轮', to: '600 分钟' }])
})

test('AGENT-12 the log of a package names the models that the package is limited to', async () => {
  const { rows } = await app.db.execute<{ id: number }>(sql`with t as (
      insert into device_types (type_name, type_code) values ('喇叭', 'agp-t') returning id)
    insert into device_models (type_id, model_name, model_code) select id, '小喇叭', 'AGP_H' from t returning id`)
  const { id, ...input } = await newPackage()
  await admin.call('PUT', URL, { ...input, id, rev: 0, modelIds: [rows[0]!.id] })
  const log = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizId, String(id)))
  const diff = log.filter(({ bizType }) => bizType === 'agentProduct').flatMap((entry) => entry.diff)
  expect(diff.findLast(({ field }) => field === 'modelIds')).toEqual({
    field: 'modelIds',
    title: '适用型号',
    from: null,
    to: '小喇叭',
  })
})

test('AGENT-12 the database refuses changes to the terms of a sold package', async () => {
  const { id } = await newPackage()
  await sell(id)
  const change = app.db.update(agentProductVersions).set({ price: 1 }).where(sql`package_id = ${id}`)
  await expect(change).rejects.toMatchObject({ cause: { message: expect.stringContaining('is sold') } })
})

test('AGENT-12 saving an old revision is refused, and a save without changes keeps the revision', async () => {
  const { id, ...input } = await newPackage()
  expect((await admin.call('PUT', URL, { ...input, id, rev: 0 })).data).toEqual({ rev: 0, version: 1 })
  await admin.call('PUT', URL, { ...input, id, rev: 0, sort: 5 })
  expect(await admin.call('PUT', URL, { ...input, id, rev: 0, sort: 6 })).toMatchObject({
    code: 400,
    data: { conflict: { rev: 1 } },
  })
})

test('AGENT-12 a package without sales can be deleted, a sold package cannot', async () => {
  const [unsold, sold] = [await newPackage(), await newPackage()]
  await sell(sold.id)
  expect(await admin.call('DELETE', `${URL}/${unsold.id}`)).toMatchObject({ code: 200, msg: '删除成功' })
  expect(await admin.call('GET', `${URL}/detail/${unsold.id}`)).toMatchObject({ msg: '套餐不存在或已被删除' })
  expect((await admin.call('DELETE', `${URL}/${sold.id}`)).msg).toBe('套餐已有订单，不能删除，可以停用')
})

test('AGENT-12 a tenant sees the packages that are offered to it and cannot change packages', async () => {
  const permissions = ['list', 'query', 'add', 'edit', 'enable', 'remove'].map((action) => `agent:product:${action}`)
  const [own, other] = [await app.by({ tenant: '甲公司', permissions }), await app.by({ tenant: '乙公司' })]
  const tenantOf = async (uid: number) =>
    (await app.db.execute<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)).rows[0]!.id
  const everyone = await newPackage()
  const offered = await newPackage({ tenantIds: [await tenantOf(own.uid)] })
  const foreign = await newPackage({ tenantIds: [await tenantOf(other.uid)] })
  const ids = (await own.call('GET', `${URL}/page?pageSize=50`)).data.list.map(({ id }: { id: number }) => id)
  expect(ids).toEqual(expect.arrayContaining([everyone.id, offered.id]))
  expect(ids).not.toContain(foreign.id)
  expect((await own.call('GET', `${URL}/detail/${foreign.id}`)).msg).toBe('套餐不存在或已被删除')
  const answers = [
    await own.call('POST', URL, inputOf()),
    await own.call('POST', `${URL}/disable/${everyone.id}`),
    await own.call('DELETE', `${URL}/${everyone.id}`),
  ]
  expect(answers.map(({ code }) => code)).toEqual([501, 501, 501])
})

test('AGENT-12 the export contains the filtered packages with prices in yuan', async () => {
  const { packageName } = await newPackage({ price: 12_345 })
  const query = `format=csv&packageName=${encodeURIComponent(packageName)}`
  const reply = await admin.inject({ method: 'GET', url: `${URL}/export?${query}` })
  expect(reply.body.trim().split('\n')).toHaveLength(2)
  expect(reply.body).toContain('123.45')
})
