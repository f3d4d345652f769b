import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { ossPackageVersions } from './schema.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/oss/package'
let admin: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const inputOf = (over: object = {}) => {
  made += 1
  return {
    packageName: `套餐${made}`,
    packageCode: `PK${made}`,
    recordType: 1,
    storageDays: 7,
    periodType: 2,
    periodCount: 1,
    price: 900,
    ...over,
  }
}

async function newPackage(over: object = {}) {
  const input = inputOf(over)
  const { data } = await admin.call('POST', URL, input)
  return { id: data.id as number, ...input }
}

const detail = async (id: number) => (await admin.call('GET', `${URL}/detail/${id}`)).data
/** Marks the current terms as sold, as opening the package does. */
const sell = (id: number) =>
  app.db.execute(sql`update oss_package_versions set is_sold = 1 where package_id = ${id} and is_sold = 0`)

describe('cloud-storage packages', () => {
  test('a package can be created, found by every filter, taken off sale and put on sale again', async () => {
    const { id, packageName, packageCode } = await newPackage({ storageDays: 30, price: 2900, originPrice: 3500 })
    const filters = `packageName=${encodeURIComponent(packageName)}&recordType=1&storageDays=30&status=1&isTrial=0`
    const shown = await admin.call('GET', `${URL}/page?${filters}&packageCode=${packageCode}`)
    expect(shown.data).toMatchObject({
      total: 1,
      list: [{ id, price: 2900, originPrice: 3500, period: '1个月', version: 1, isSold: 0, rev: 0 }],
    })
    expect(await admin.call('POST', `${URL}/disable/${id}`)).toMatchObject({ code: 200, msg: '已下架' })
    expect((await admin.call('GET', `${URL}/page?${filters}`)).data.total).toBe(0)
    expect(await admin.call('POST', `${URL}/enable/${id}`)).toMatchObject({ code: 200, msg: '已上架' })
    expect((await detail(id)).status).toBe(1)
  })

  test.each([
    [{ packageName: ' ' }, '请输入套餐名称', 'packageName'],
    [{ packageCode: '中文' }, '套餐编码只能包含字母、数字和 _ . -', 'packageCode'],
    [{ price: 100_000_000 }, '价格应为0～999999.99元，最多两位小数', 'price'],
    [{ price: -1 }, '价格应为0～999999.99元，最多两位小数', 'price'],
    [{ originPrice: -1 }, '原价应为0～999999.99元，最多两位小数', 'originPrice'],
    [{ periodCount: 37 }, '有效期数量应为1～36', 'periodCount'],
    [{ storageDays: 8 }, '请选择保存天数', 'storageDays'],
    [{ channels: 65 }, '可用通道数不能大于64', 'channels'],
    [{ modelIds: [999_999] }, '型号不存在或已被删除', 'modelIds'],
    [{ tenantIds: [999_999] }, '客户不存在或已被删除', 'tenantIds'],
  ])('a package with %o is refused: %s', async (over, msg, field) => {
    expect(await admin.call('POST', URL, inputOf(over))).toEqual({ code: 400, msg, data: { field } })
  })

  test('a refused package names every wrong field', async () => {
    const wrong = { price: 200, originPrice: 100, modelIds: [999_999], tenantIds: [999_999] }
    const { msg, data } = await admin.call('POST', URL, inputOf(wrong))
    expect([msg, data.field]).toEqual(['原价不能低于价格', 'originPrice'])
    expect(data.fields).toEqual([
      { field: 'originPrice', msg: '原价不能低于价格' },
      { field: 'modelIds', msg: '型号不存在或已被删除' },
      { field: 'tenantIds', msg: '客户不存在或已被删除' },
    ])
  })

  test('names and codes of packages are unique', async () => {
    const { packageName, packageCode } = await newPackage()
    expect(await admin.call('POST', URL, inputOf({ packageName }))).toMatchObject({ msg: '套餐名称已存在' })
    expect(await admin.call('POST', URL, inputOf({ packageCode }))).toMatchObject({ msg: '套餐编码已存在' })
  })

  test('editing the terms of an unsold package changes its version; editing sold terms creates a new version', async () => {
    const { id, ...input } = await newPackage()
    expect((await admin.call('PUT', URL, { ...input, id, rev: 0, price: 1000 })).data).toEqual({ rev: 1, version: 1 })
    await sell(id)
    const renamed = { ...input, id, price: 1000, packageName: `${input.packageName}新` }
    expect((await admin.call('PUT', URL, { ...renamed, rev: 1 })).data).toEqual({ rev: 2, version: 1 })
    const saved = await admin.call('PUT', URL, { ...renamed, rev: 2, price: 1100, storageDays: 30 })
    expect(saved).toMatchObject({
      code: 200,
      msg: '已保存为版本 2，已开通的设备不受影响',
      data: { rev: 3, version: 2 },
    })
    const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
    expect(list).toMatchObject([
      { version: 2, price: 1100, storageDays: 30, isSold: 0 },
      { version: 1, price: 1000, storageDays: 7, isSold: 1 },
    ])
    expect(await detail(id)).toMatchObject({ version: 2, isSold: 0, price: 1100 })
  })

  test('the database refuses changes to the terms of a sold package', async () => {
    const { id } = await newPackage()
    await sell(id)
    const change = app.db.update(ossPackageVersions).set({ price: 1 }).where(sql`package_id = ${id}`)
    await expect(change).rejects.toMatchObject({ cause: { message: expect.stringContaining('is sold') } })
  })

  test('saving an old revision is refused, and a save without changes keeps the revision', async () => {
    const { id, ...input } = await newPackage()
    expect((await admin.call('PUT', URL, { ...input, id, rev: 0 })).data).toEqual({ rev: 0, version: 1 })
    await admin.call('PUT', URL, { ...input, id, rev: 0, sort: 5 })
    expect(await admin.call('PUT', URL, { ...input, id, rev: 0, sort: 6 })).toMatchObject({
      code: 400,
      data: { conflict: { rev: 1 } },
    })
  })

  test('an unsold package can be deleted, and a sold package cannot', async () => {
    const [unsold, sold] = [await newPackage(), await newPackage()]
    await sell(sold.id)
    expect(await admin.call('DELETE', `${URL}/${unsold.id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect(await admin.call('GET', `${URL}/detail/${unsold.id}`)).toMatchObject({ msg: '云存套餐不存在或已被删除' })
    expect((await admin.call('DELETE', `${URL}/${sold.id}`)).msg).toBe('套餐已有开通记录，不能删除，可以下架')
  })

  test('a tenant sees the packages that are offered to it and cannot change packages', async () => {
    const permissions = ['list', 'query', 'add', 'edit', 'enable', 'remove'].map(
      (action) => `ossManage:packageList:${action}`,
    )
    const [own, other] = [await app.by({ tenant: '甲公司', permissions }), await app.by({ tenant: '乙公司' })]
    const tenantOf = async (uid: number) =>
      (await app.db.execute<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)).rows[0]!.id
    const everyone = await newPackage()
    const offered = await newPackage({ tenantIds: [await tenantOf(own.uid)] })
    const foreign = await newPackage({ tenantIds: [await tenantOf(other.uid)] })
    const ids = (await own.call('GET', `${URL}/page?pageSize=200`)).data.list.map(({ id }: { id: number }) => id)
    expect(ids).toEqual(expect.arrayContaining([everyone.id, offered.id]))
    expect(ids).not.toContain(foreign.id)
    expect((await own.call('GET', `${URL}/detail/${foreign.id}`)).msg).toBe('云存套餐不存在或已被删除')
    const answers = [
      await own.call('POST', URL, inputOf()),
      await own.call('POST', `${URL}/disable/${everyone.id}`),
      await own.call('DELETE', `${URL}/${everyone.id}`),
    ]
    expect(answers.map(({ code }) => code)).toEqual([501, 501, 501])
    expect((await detail(everyone.id)).status).toBe(1)
  })

  test('the export contains the filtered packages with prices in yuan', async () => {
    const { packageName } = await newPackage({ price: 12_345 })
    const query = `format=csv&packageName=${encodeURIComponent(packageName)}`
    const reply = await admin.inject({ method: 'GET', url: `${URL}/export?${query}` })
    expect(reply.body.trim().split('\n')).toHaveLength(2)
    expect(reply.body).toContain('123.45')
  })
})
