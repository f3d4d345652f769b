import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { closeDueGrants } from './grant-clock.ts'
import { operLogs } from '#core/schema/system.ts'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'

const lab = useOrders()
const { app, people, confirm, get, newAgent, newDevice, newPackage, place, put, sold, talk, fold, grantsOf } = lab

afterAll(() => lab.assertSound())

describe('AGENT-13 order, confirmation and closing', () => {
  test('AGENT-13 an order has a preview, keeps the price of its package version, and is found by every filter and exported', async () => {
    const [device, pack] = [await newDevice(), await newPackage()]
    const goods = { packageId: pack.id, tenantId: people.tenantId, serials: device.mac, copies: 2 }
    const preview = await people.seller.call('POST', `${ORDER_URL}/preview`, { ...goods, discount: 300 })
    expect(preview.data).toMatchObject({ targetCount: 1, grantCount: 2, listAmount: 1800, amount: 1500, problems: [] })
    expect(preview.data.packs).toHaveLength(2)
    const { id, orderNo } = await place({ ...goods, discount: 300, discountReason: '老客户', remark: '加急' })
    expect(orderNo).toMatch(/^AO\d{13}$/)
    await people.seller.call('PUT', '/api/v1/agent/product', { ...pack, rev: 0, price: 5000 })
    expect(await get(id)).toMatchObject({
      state: 0,
      unitPrice: 900,
      amount: 1500,
      version: 1,
      content: '100 轮',
      targetName: device.sn,
      proposal: null,
      isMine: true,
    })
    const target = encodeURIComponent(device.sn)
    const query = `orderNo=${orderNo}&target=${target}&tenantId=${people.tenantId}&packageId=${pack.id}&scope=1&state=0`
    const found = await people.seller.call('GET', `${ORDER_URL}/page?${query}&orderByColumn=amount&isAsc=asc`)
    expect(found.data).toMatchObject({ total: 1, list: [{ id }] })
    const none = await people.seller.call('GET', `${ORDER_URL}/page?${query.replace('scope=1', 'scope=2')}`)
    expect(none.data.total).toBe(0)
    const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/export?format=csv&orderNo=${orderNo}` })
    expect(file.body).toContain('15.00')
    const targets = await people.seller.call('GET', `${ORDER_URL}/target/page?orderId=${id}`)
    expect(targets.data).toMatchObject({ total: 1, list: [{ line: 1, targetId: device.id, name: device.sn }] })
  })

  test('AGENT-13 a person other than the creator confirms the payment, and the log describes the change', async () => {
    const order = await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })
    expect(await confirm(order.id, {}, people.seller)).toMatchObject({
      code: 501,
      msg: '不能确认自己提交的订单，请由其他人确认',
    })
    expect(await confirm(order.id, { voucherNo: '' })).toMatchObject({ code: 400, data: { field: 'voucherNo' } })
    expect(await confirm(order.id, { payWay: '' })).toMatchObject({ code: 400, data: { field: 'payWay' } })
    expect(await confirm(order.id, { payWay: '', voucherNo: '', voucherFiles: ['f'.repeat(32)] })).toMatchObject({
      msg: '请选择收款方式',
      data: { fields: [{ field: 'payWay' }, { field: 'voucherNo' }, { field: 'voucherFiles' }] },
    })
    expect(await confirm(order.id)).toMatchObject({ code: 200, msg: '已确认，套餐已发放', data: { rev: 1 } })
    expect(await grantsOf(`orderId=${order.id}`)).toMatchObject([{ total: 100, left: 100, state: 0, packNo: 1 }])
    const [entry] = (
      await app.db
        .select()
        .from(operLogs)
        .where(eq(operLogs.bizId, String(order.id)))
    ).filter(({ bizType, action }) => bizType === 'agentOrder' && action.startsWith('确认收款9.00元'))
    expect(entry?.diff).toEqual(
      expect.arrayContaining([expect.objectContaining({ title: '状态', from: '待确认', to: '已支付' })]),
    )
  })

  test('AGENT-13 fifty simultaneous confirmations create the grants once, and a used voucher number is refused', async () => {
    const order = await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })
    const { rev } = await get(order.id)
    const input = { id: order.id, rev, payWay: 2, voucherNo: `P${order.id}` }
    const answers = await Promise.all(Array.from({ length: 50 }, () => put(people.accountant, 'confirm', input)))
    expect(answers.filter(({ code }) => code === 200).length).toBeGreaterThan(0)
    for (const { code } of answers) expect([200, 503]).toContain(code)
    expect(await grantsOf(`orderId=${order.id}`)).toHaveLength(1)
    expect(await put(people.accountant, 'confirm', { ...input, voucherNo: 'other' })).toMatchObject({
      code: 501,
      msg: '订单已支付，只有待确认的订单可以确认收款',
    })
    const second = await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })
    expect(await confirm(second.id, { voucherNo: input.voucherNo })).toMatchObject({
      code: 400,
      msg: `凭证号已用于订单 ${order.orderNo}`,
    })
  })

  test('AGENT-13 only the creator closes a pending order', async () => {
    const order = await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })
    const input = { id: order.id, rev: 0, reason: '客户取消' }
    expect(await put(people.accountant, 'close', input)).toMatchObject({ code: 501, msg: '只有创建人可以关闭订单' })
    expect(await put(people.seller, 'close', input)).toMatchObject({ code: 200, data: { rev: 1 } })
    expect(await get(order.id)).toMatchObject({ state: 4, closeReason: '客户取消' })
    expect(await confirm(order.id)).toMatchObject({ code: 501, msg: '订单已关闭，只有待确认的订单可以确认收款' })
  })

  test('AGENT-13 a gift is free and requires confirmation by a second person, without a voucher', async () => {
    const input = { packageId: (await newPackage()).id, tenantId: people.tenantId, deviceIds: [(await newDevice()).id] }
    const gift = (await people.seller.call('POST', `${ORDER_URL}/gift`, { ...input, remark: '补偿' })).data
    expect((await confirm(gift.id, {}, people.seller)).code).toBe(501)
    expect(await put(people.accountant, 'confirm', { id: gift.id, rev: 0 })).toMatchObject({ code: 200 })
    expect(await get(gift.id)).toMatchObject({ amount: 0, discount: 900, payWay: 3, voucherNo: '', state: 1 })
  })

  test('AGENT-13 a sale with amount 0 requires confirmation by a second person, but no payment method or voucher', async () => {
    const order = await place({
      packageId: (await newPackage({ price: 0 })).id,
      deviceIds: [(await newDevice()).id],
    })
    expect((await put(people.seller, 'confirm', { id: order.id, rev: 0 })).code).toBe(501)
    expect(await put(people.accountant, 'confirm', { id: order.id, rev: 0 })).toMatchObject({ code: 200 })
    expect(await get(order.id)).toMatchObject({ amount: 0, payWay: 5, voucherNo: '', state: 1 })
    expect(await grantsOf(`orderId=${order.id}`)).toHaveLength(1)
    const list = await people.seller.call('GET', `${ORDER_URL}/page?payWay=5&orderNo=${order.orderNo}`)
    expect(list.data.total).toBe(1)
    expect(await put(people.accountant, 'confirm', { id: order.id, rev: 0 })).toMatchObject({ code: 501 })
  })
})

describe('AGENT-13 refunds', () => {
  test('AGENT-13 the refund equals the smallest unused share of the units; unused grants stay frozen until the decision', async () => {
    const device = await newDevice()
    const pack = await newPackage({
      price: 1000,
      allowances: [
        { unit: 2, amount: 3 },
        { unit: 4, amount: 100 },
      ],
    })
    const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
    expect((await get(id)).proposal).toBe(1000)
    await talk(device.id, 2, 2)
    await talk(device.id, 4, 10)
    await fold()
    const { rev, proposal, units } = await get(id)
    expect({ proposal, units }).toMatchObject({
      proposal: 333,
      units: [
        { left: 1, spent: 2 },
        { left: 90, spent: 10 },
      ],
    })
    const asked = await put(people.seller, 'refund', { id, rev, reason: '不再使用' })
    expect(asked).toMatchObject({ code: 200, data: { amount: 333 } })
    await talk(device.id, 2, 1)
    await fold()
    expect((await get(id)).units[0]).toMatchObject({ left: 1, spent: 2 })
    const decision = { id, rev: asked.data.rev, pass: 1, auditRemark: '' }
    expect(await put(people.seller, 'refund/audit', decision)).toMatchObject({
      code: 501,
      msg: '不能审批自己提交的退款申请，请由其他人审批',
    })
    expect(await put(people.accountant, 'refund/audit', { ...decision, pass: 0 })).toMatchObject({
      msg: '驳回时请填写审批意见',
    })
    expect(await put(people.accountant, 'refund/audit', decision)).toMatchObject({ code: 200 })
    expect(await get(id)).toMatchObject({ state: 3, refunded: 333, refunds: [{ state: 1, amount: 333 }] })
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([
      { state: 4, left: 0, refunded: 90 },
      { state: 4, left: 0, refunded: 1 },
    ])
  })

  test('AGENT-13 a rejected refund releases the frozen grants', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    const asked = await put(people.seller, 'refund', { id, rev: 1, reason: '误操作' })
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ isFrozen: 1 }])
    const decision = { id, rev: asked.data.rev, pass: 0, auditRemark: '已使用' }
    expect(await put(people.accountant, 'refund/audit', decision)).toMatchObject({ code: 200 })
    await talk(device.id, 2, 1)
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ isFrozen: 0, left: 99 }])
    expect(await get(id)).toMatchObject({ state: 1, refunds: [{ state: 2, auditRemark: '已使用' }] })
  })

  test('AGENT-13 a rejected refund extends running grants and the activation windows of waiting grants by the frozen time', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id], copies: 2 })
    await talk(device.id, 2, 1)
    await fold()
    const ends = async () =>
      (
        await app.db.execute<{
          ends: number
          opens: number
        }>(sql`select extract(epoch from valid_until)::float8 as ends,
          extract(epoch from activate_until)::float8 as opens from agent_grants where order_id = ${id} order by pack_no`)
      ).rows
    const [running, waiting] = await ends()
    const asked = await put(people.seller, 'refund', { id, rev: 1, reason: '误操作' })
    await app.db.execute(
      sql`update agent_order_refunds set create_time = now() - interval '40 days' where order_id = ${id}`,
    )
    // The running grant would have ended while it was frozen.
    await closeDueGrants({ ...app.services, now: () => new Date(Date.now() + 35 * 86_400_000) })
    const decision = { id, rev: asked.data.rev, pass: 0, auditRemark: '已使用' }
    expect(await put(people.accountant, 'refund/audit', decision)).toMatchObject({ code: 200 })
    const [later, still] = await ends()
    const day = 86_400
    expect((later!.ends - running!.ends) / day).toBeCloseTo(40, 2)
    expect(later!.opens).toBe(running!.opens)
    expect((still!.opens - waiting!.opens) / day).toBeCloseTo(40, 2)
    expect(still!.ends).toBeNull()
    const { rows } = await app.db.execute<{ action: string }>(sql`select action from oper_logs
      where biz_type = 'agentOrder' and biz_id = ${String(id)} and action like '驳回退款%'`)
    expect(rows[0]!.action).toContain('套餐期限顺延40天0小时')
  })

  test('AGENT-13 an order whose amounts are used up cannot be refunded', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await talk(device.id, 2, 500)
    await fold()
    expect(await put(people.seller, 'refund', { id, rev: 1, reason: '不再使用' })).toMatchObject({
      msg: '套餐已没有可退的余量',
    })
  })
})

describe('AGENT-13 targets and tenants', () => {
  test('AGENT-13 invalid targets, scopes and amounts are refused at their fields', async () => {
    const pack = await newPackage()
    const foreign = await newDevice(await newAgent(1), 1)
    const send = (input: object) =>
      people.seller.call('POST', ORDER_URL, { tenantId: people.tenantId, packageId: pack.id, ...input })
    expect(await send({})).toMatchObject({ msg: '请选择设备', data: { field: 'deviceIds' } })
    expect(await send({ deviceIds: [foreign.id] })).toMatchObject({ msg: `「${foreign.sn}」设备不属于该客户` })
    expect(await send({ serials: 'NOPE1, NOPE2' })).toMatchObject({
      msg: '「NOPE1」设备不存在或未绑定智能体，共2个',
      data: { field: 'serials' },
    })
    const deviceIds = [(await newDevice()).id]
    expect(await send({ deviceIds, discount: 901, discountReason: '测试' })).toMatchObject({
      msg: '优惠金额不能大于9.00元',
      data: { field: 'discount' },
    })
    expect(await send({ deviceIds, discount: 1 })).toMatchObject({ msg: '请输入优惠原因' })
    expect(await send({ deviceIds, copies: 37 })).toMatchObject({ msg: '份数应为1～36' })
    await people.seller.call('POST', `/api/v1/agent/product/disable/${pack.id}`)
    expect(await send({ deviceIds })).toMatchObject({ msg: '套餐已停用', data: { field: 'packageId' } })
    const other = await newPackage({ tenantIds: [1] })
    expect(await send({ packageId: other.id, deviceIds })).toMatchObject({ msg: '该套餐不适用于此客户' })
  })

  test('AGENT-13 a tenant orders for itself at the list price, cannot confirm orders and sees only its own orders', async () => {
    const { tenant } = people
    const [device, pack] = [await newDevice(), await newPackage()]
    const goods = { packageId: pack.id, deviceIds: [device.id] }
    const priced = { ...goods, discount: 1, discountReason: '自己' }
    expect(await tenant.call('POST', ORDER_URL, priced)).toMatchObject({ data: { field: 'discount' } })
    const { data } = await tenant.call('POST', ORDER_URL, goods)
    expect(await get(data.id, tenant)).toMatchObject({ amount: 900, state: 0 })
    const answers = [
      await put(tenant, 'confirm', { id: data.id, rev: 0, payWay: 1, voucherNo: 'X' }),
      await tenant.call('POST', `${ORDER_URL}/gift`, { ...goods, remark: '送' }),
      await put(tenant, 'refund', { id: data.id, rev: 0, reason: '退' }),
      await put(tenant, 'refund/audit', { id: data.id, rev: 0, pass: 1, auditRemark: '' }),
    ]
    expect(answers.map(({ code }) => code)).toEqual([501, 501, 501, 501])
    expect((await confirm(data.id)).code).toBe(200)
    expect(await grantsOf(`orderId=${data.id}`, tenant)).toHaveLength(1)
    const stranger = await app.by({ tenant: '别的公司', permissions: ['agent:order:list', 'agent:order:query'] })
    expect((await stranger.call('GET', `${ORDER_URL}/detail/${data.id}`)).msg).toBe('订单不存在或已被删除')
    expect((await stranger.call('GET', `${ORDER_URL}/page`)).data.total).toBe(0)
    expect((await stranger.call('GET', `${ORDER_URL}/grant/page?orderId=${data.id}`)).data.total).toBe(0)
    expect((await stranger.call('GET', `${ORDER_URL}/ledger/page?orderId=${data.id}`)).data.total).toBe(0)
  })

  test('AGENT-12 a device gets one trial, also with a second order, a new device row or another tenant', async () => {
    const trial = await newPackage({ isTrial: 1, price: 0 })
    const device = await newDevice()
    const first = await place({ packageId: trial.id, deviceIds: [device.id] })
    const second = await place({ packageId: trial.id, deviceIds: [device.id] })
    const answers = await Promise.all([confirm(first.id), confirm(second.id)])
    expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect(answers.find(({ code }) => code === 400)?.msg).toBe(`设备「${device.sn}」已领取过试用`)
    const again = await people.seller.call('POST', ORDER_URL, {
      tenantId: people.tenantId,
      packageId: (await newPackage({ isTrial: 1, price: 0 })).id,
      deviceIds: [device.id],
    })
    expect(again.msg).toBe(`「${device.sn}」该设备已领取过试用`)
    // The device gets another serial number in another row, for another tenant.
    await app.db.execute(sql`update devices set mac = '' where id = ${device.id}`)
    const renewed = await newDevice(await newAgent(1), 1)
    await app.db.execute(sql`update devices set mac = ${device.mac} where id = ${renewed.id}`)
    const elsewhere = { tenantId: 1, packageId: trial.id, deviceIds: [renewed.id] }
    const preview = await people.seller.call('POST', `${ORDER_URL}/preview`, elsewhere)
    expect(preview.data.problems).toEqual([{ name: renewed.sn, msg: '该设备已领取过试用' }])
    await expect(lab.app.db.execute('delete from agent_trials')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
  })
})
