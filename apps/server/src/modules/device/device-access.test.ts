import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { deviceAccess, deviceModels, deviceTypes } from './schema.ts'

const app = useApp()
const ACCESS = '/api/v1/device/access'
let admin: Caller
let customer: Caller
let tenantId: number

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  customer = await app.by({ tenant: '甲公司', permissions: ['device:apkManage:access'] })
  const { rows } = await app.services.database.pool.query<{ id: number }>(
    `select id from tenants where name = '甲公司'`,
  )
  tenantId = rows[0]!.id
})

test('by default a tenant has device tokens and a poll interval of five minutes, and can change both', async () => {
  const { data } = await customer.call('GET', ACCESS)
  expect(data).toMatchObject({ tenantId, targetToken: 1, gatewayToken: 0, hasGatewayToken: false, pollSeconds: 300 })
  expect(data.tenantNo).not.toBe('')
  const input = { targetToken: 1, gatewayToken: 0, pollSeconds: 30, rev: data.rev }
  expect((await customer.call('PUT', ACCESS, { ...input, pollSeconds: 29 })).data).toEqual({ field: 'pollSeconds' })
  expect((await customer.call('PUT', ACCESS, { ...input, pollSeconds: 82_801 })).data).toEqual({ field: 'pollSeconds' })
  expect(await customer.call('PUT', ACCESS, input)).toMatchObject({ code: 200, data: { rev: 1 } })
  expect((await customer.call('PUT', ACCESS, input)).data).toMatchObject({ conflict: { rev: 1 } })
  expect((await admin.call('GET', `${ACCESS}?tenantId=${tenantId}`)).data).toMatchObject({ pollSeconds: 30, rev: 1 })
})

test('SEC the gateway token is shown once, stored as a digest, and never logged', async () => {
  const before = (await customer.call('GET', ACCESS)).data
  const input = { targetToken: 1, gatewayToken: 1, pollSeconds: 60, rev: before.rev }
  expect((await customer.call('PUT', ACCESS, input)).data).toEqual({ field: 'gatewayToken' })
  const { data } = await customer.call('POST', `${ACCESS}/gatewayToken`, {})
  expect(data.token).toMatch(/^[A-Za-z0-9]{32}$/)
  const [row] = await app.db.select().from(deviceAccess).where(eq(deviceAccess.tenantId, tenantId))
  expect(row?.gatewayTokenHash).toEqual(createHash('sha256').update(data.token).digest())
  const shown = (await customer.call('GET', ACCESS)).data
  expect(shown.hasGatewayToken).toBe(true)
  expect(JSON.stringify(shown)).not.toContain(data.token)
  expect((await customer.call('PUT', ACCESS, { ...input, rev: shown.rev })).code).toBe(200)
  const again = await customer.call('POST', `${ACCESS}/gatewayToken`, {})
  expect(again.data.token).not.toBe(data.token)
  const logged = JSON.stringify(await app.db.select().from(operLogs))
  expect(logged).toContain('更换「甲公司」的网关令牌')
  expect(logged).not.toContain(data.token)
})

test('unknown serial numbers can be registered automatically as devices of an enabled model', async () => {
  const [type] = await app.db.insert(deviceTypes).values({ typeName: '网关', typeCode: 'gw' }).returning()
  const model = { typeId: type!.id, modelName: '停用款', modelCode: 'OFF', status: 0 }
  const [off] = await app.db.insert(deviceModels).values(model).returning()
  const [on] = await app.db
    .insert(deviceModels)
    .values({ ...model, modelName: '在用款', modelCode: 'ON', status: 1 })
    .returning()
  const { rev } = (await customer.call('GET', ACCESS)).data
  const input = { targetToken: 1, gatewayToken: 1, pollSeconds: 60, rev }
  const refused = await customer.call('PUT', ACCESS, { ...input, autoModelId: off!.id })
  expect(refused).toEqual({ code: 400, msg: '设备型号不存在或已停用', data: { field: 'autoModelId' } })
  expect((await customer.call('PUT', ACCESS, { ...input, autoModelId: on!.id })).code).toBe(200)
  expect((await customer.call('GET', ACCESS)).data).toMatchObject({ autoModelId: on!.id, autoModelName: '在用款' })
  const kept = await admin.call('DELETE', `/api/v1/device/model/${on!.id}`)
  expect(kept.msg).toBe('还有1个客户的自动登记设置使用该型号，不能删除')
})

test('a tenant reads and changes only its own access settings', async () => {
  expect((await customer.call('GET', `${ACCESS}?tenantId=1`)).code).toBe(400)
  expect((await customer.call('POST', `${ACCESS}/gatewayToken`, { tenantId: 1 })).code).toBe(400)
  expect((await (await app.as()).call('GET', ACCESS)).code).toBe(501)
})
