import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { operLogs } from '#core/schema/system.ts'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'

const lab = useOrders()
const { app, people, confirm, get, newDevice, newPackage, place, put } = lab

afterAll(() => lab.assertSound())

const targetsOf = async (orderId: number) =>
  (await people.seller.call('GET', `${ORDER_URL}/target/page?orderId=${orderId}`)).data.list.map(
    ({ name }: { name: string }) => name,
  )
const edit = (input: object, who = people.seller) => who.call('PUT', ORDER_URL, input)

test('AGENT-13 only the creator edits a pending order; the amount is recalculated and logged', async () => {
  const [first, second] = [await newDevice(), await newDevice()]
  const [pack, other] = [await newPackage(), await newPackage({ price: 2000 })]
  const order = await place({ packageId: pack.id, deviceIds: [first.id] })
  const goods = { id: order.id, rev: 0, tenantId: people.tenantId, packageId: other.id, serials: second.mac, copies: 2 }
  expect(await edit(goods, people.accountant)).toMatchObject({ code: 501, msg: '只有创建人可以编辑订单' })
  expect(await edit({ ...goods, discount: 100 })).toMatchObject({ data: { field: 'discountReason' } })
  expect(await edit({ ...goods, serials: 'NOPE' })).toMatchObject({ data: { field: 'serials' } })
  expect(await targetsOf(order.id)).toEqual([first.sn])
  const saved = await edit({ ...goods, discount: 100, discountReason: '老客户', remark: '改套餐' })
  expect(saved).toMatchObject({ code: 200, data: { rev: 1 } })
  expect(await get(order.id)).toMatchObject({
    orderNo: order.orderNo,
    state: 0,
    packageName: other.packageName,
    copies: 2,
    amount: 3900,
    remark: '改套餐',
  })
  expect(await targetsOf(order.id)).toEqual([second.sn])
  const entries = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizId, String(order.id)))
  const entry = entries.find(({ action }) => action.startsWith('编辑订单'))
  expect(entry?.diff).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ title: '套餐', from: pack.packageName, to: other.packageName }),
      expect.objectContaining({ title: '订单金额（元）', from: '9.00', to: '39.00' }),
    ]),
  )
})

test('AGENT-13 an edit or confirmation with an old revision and an edit of a paid order are refused', async () => {
  const [device, pack] = [await newDevice(), await newPackage()]
  const order = await place({ packageId: pack.id, deviceIds: [device.id] })
  const goods = { id: order.id, tenantId: people.tenantId, packageId: pack.id, deviceIds: [device.id], copies: 3 }
  expect((await edit({ ...goods, rev: 0 })).code).toBe(200)
  expect((await edit({ ...goods, rev: 0 })).code).toBe(400)
  const old = { id: order.id, rev: 0, payWay: 1, voucherNo: `OLD${order.id}` }
  const refused = await put(people.accountant, 'confirm', old)
  expect(refused).toMatchObject({ msg: '订单已被他人修改，请关闭后重新打开' })
  expect(refused.data?.conflict, 'a conflict that a person may overwrite').toBeUndefined()
  expect((await confirm(order.id)).code).toBe(200)
  expect(await edit({ ...goods, rev: 2, copies: 1 })).toMatchObject({
    code: 501,
    msg: '订单已支付，只有待确认的订单可以编辑',
  })
})

test('AGENT-13 an edited gift stays a gift and still needs a reason', async () => {
  const [device, pack] = [await newDevice(), await newPackage()]
  const goods = { tenantId: people.tenantId, packageId: pack.id, deviceIds: [device.id] }
  const gift = (await people.seller.call('POST', `${ORDER_URL}/gift`, { ...goods, remark: '补偿' })).data
  const change = { ...goods, id: gift.id, rev: 0, copies: 2 }
  expect(await edit(change)).toMatchObject({ msg: '请输入赠送原因', data: { field: 'remark' } })
  expect((await edit({ ...change, remark: '再次补偿' })).code).toBe(200)
  expect(await get(gift.id)).toMatchObject({ amount: 0, payWay: 3, copies: 2, remark: '再次补偿' })
})

test('AGENT-13 invisible characters of a serial number are removed', async () => {
  const [device, other, pack] = [await newDevice(), await newDevice(), await newPackage()]
  const fields = { tenantId: people.tenantId, packageId: pack.id }
  const hidden = [`\u200B${device.sn}\u00A0`, `${other.sn.slice(0, 2)}\u200B${other.sn.slice(2)}`]
  const preview = await people.seller.call('POST', `${ORDER_URL}/preview`, { ...fields, serials: hidden.join('\n') })
  expect(preview.data).toMatchObject({ targetCount: 2, problems: [] })
})
