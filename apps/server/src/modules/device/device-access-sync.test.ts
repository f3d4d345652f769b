import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenForDevices } from '#test/device-port.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const INFO = '/api/v1/device/info'
const ROUNDS = 8
let admin: Caller
let tenantId = 0
let port: Awaited<ReturnType<typeof listenForDevices>>

const query = async (text: string, values: unknown[] = []) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
  (await app.services.database.pool.query<any>(text, values)).rows

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  await app.by({ tenant: '甲公司', permissions: [] })
  ;[{ id: tenantId }] = await query(`select id from tenants where name = '甲公司'`)
  await query(`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
  await query(`insert into device_models (type_id, model_name, model_code) values (1, 'C1', 'C1')`)
  port = await listenForDevices(app.services)
  await app.services.fleet.ready()
})
afterAll(() => port.close())

const check = async (sn: string, token: string) => {
  const body = JSON.stringify({ sn, model: 'C1' })
  const response = await fetch(`${port.url}/device/v1/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  })
  return response.status
}
const must = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) => {
  const response = await admin.call(method, path, body)
  expect(response).toMatchObject({ code: 200 })
  return response.data
}

test('DEV a device uses a new token as soon as the console shows the token, and a replaced or cleared token is invalid', async () => {
  const { id } = await must('POST', INFO, { sn: 'SYNC-1', modelId: 1, tenantId })
  let last = ''
  for (let round = 0; round < ROUNDS; round++) {
    const { token } = await must('POST', `${INFO}/token/${id}`)
    expect([round, await check('SYNC-1', token)]).toEqual([round, 204])
    if (last) expect([round, await check('SYNC-1', last)]).toEqual([round, 401])
    last = token
  }
  const { tokens } = await must('POST', `${INFO}/tokens`, { ids: [id], replace: 1 })
  expect(await check('SYNC-1', tokens[0].token)).toBe(204)
})

test('DEV a device is refused as soon as it or its tenant is disabled, and accepted as soon as both are enabled', async () => {
  const { id } = await must('POST', INFO, { sn: 'SYNC-2', modelId: 1, tenantId })
  const { token } = await must('POST', `${INFO}/token/${id}`)
  for (let round = 0; round < ROUNDS; round++) {
    await must('POST', `${INFO}/status`, { ids: [id], status: 0 })
    expect([round, await check('SYNC-2', token)]).toEqual([round, 401])
    await must('POST', `${INFO}/status`, { ids: [id], status: 1 })
    expect([round, await check('SYNC-2', token)]).toEqual([round, 204])
    await must('POST', `/api/v1/tenant/disable/${tenantId}`)
    expect([round, await check('SYNC-2', token)]).toEqual([round, 401])
    await must('POST', `/api/v1/tenant/enable/${tenantId}`)
    expect([round, await check('SYNC-2', token)]).toEqual([round, 204])
  }
})

test('DEV a gateway uses a new gateway token as soon as the console shows the token', async () => {
  const access = '/api/v1/device/access'
  await must('POST', INFO, { sn: 'SYNC-3', modelId: 1, tenantId })
  await must('POST', `${access}/gatewayToken`, { tenantId })
  const { data } = await admin.call('GET', `${access}?tenantId=${tenantId}`)
  const { rev, pollSeconds, autoModelId } = data
  await must('PUT', access, { tenantId, targetToken: 1, gatewayToken: 1, pollSeconds, autoModelId, rev })
  for (let round = 0; round < ROUNDS; round++) {
    const { token } = await must('POST', `${access}/gatewayToken`, { tenantId })
    expect([round, await check('SYNC-3', token)]).toEqual([round, 204])
  }
})
