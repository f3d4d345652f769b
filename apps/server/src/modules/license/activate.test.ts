import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { actionsOf, breaches, deviceOf, modelOf, stateOf, stock, uidOf } from '#test/fixtures/license-fixture.ts'
import { useApp } from '#test/harness.ts'
import { activateLicense } from './activate.ts'

const server = useApp()
let modelId: number
const activate = (uid: string, sn: string, more: object = {}) => activateLicense(server.services, { uid, sn, ...more })

beforeAll(async () => {
  modelId = await modelOf(server.db, 'ACT')
})

test('MODULE-01 the first device of the tenant that sends a free certificate gets it; a repeated call is harmless', async () => {
  const [first, second] = await stock(server.db, { prefix: 'ACTA', count: 2, tenantId: 1 })
  const device = await deviceOf(server.db, 'ACT-1', 1, modelId)
  await deviceOf(server.db, 'ACT-2', 1, modelId)
  expect(
    await activate('acta000001sssss'.replace('sssss', uidOf('ACTA', 1).slice(-5).toLowerCase()), 'ACT-1'),
  ).toMatchObject({ status: 200, state: 3 })
  expect(await activate(uidOf('ACTA', 1), 'ACT-1', { deviceId: device, model: 'act' })).toMatchObject({ status: 200 })
  expect(await activate(uidOf('ACTA', 1), 'ACT-2')).toMatchObject({ status: 409, state: 3 })
  expect(await activate(uidOf('ACTA', 2), 'ACT-1')).toMatchObject({ status: 409, state: 1 })
  expect(await stateOf(server.db, first!)).toEqual({ state: 3, tenant: 1, device })
  expect(await stateOf(server.db, second!)).toMatchObject({ state: 1, device: null })
  expect(await actionsOf(server.db, first!)).toEqual(['bind', 'activate'])
  const { rows } = await server.db.execute(
    sql`select uid, activate_time is not null as active from devices where id = ${device}`,
  )
  expect(rows).toEqual([{ uid: uidOf('ACTA', 1), active: true }])
  expect(await breaches(server.db)).toEqual([])
})

test('a caller without a right to a certificate gets the same 404 as for an unknown certificate', async () => {
  await stock(server.db, { prefix: 'ACTB', count: 1 })
  await stock(server.db, { prefix: 'ACTC', count: 1, tenantId: 77 })
  await deviceOf(server.db, 'ACT-3', 1, modelId)
  for (const uid of ['nothing', uidOf('ACTB', 1), uidOf('ACTC', 1), 'x'.repeat(5000)])
    expect(await activate(uid, 'ACT-3')).toMatchObject({ status: 404, state: null })
  expect(await activate(uidOf('ACTC', 1), 'ACT-404')).toMatchObject({ status: 404 })
})

test('suspended, expired and scrapped certificates and certificates of another model return their own status', async () => {
  const other = await modelOf(server.db, 'ACT-X')
  const ids = await stock(server.db, { prefix: 'ACTD', count: 3, tenantId: 1 })
  await stock(server.db, { prefix: 'ACTE', count: 1, tenantId: 1, modelId: other })
  await stock(server.db, { prefix: 'ACTF', count: 1, tenantId: 1, expireTime: '2020-01-01' })
  const device = await deviceOf(server.db, 'ACT-4', 1, modelId)
  await server.db.execute(sql`update licenses set state = 4, device_id = ${device} where id = ${ids[0]}`)
  await server.db.execute(sql`update devices set uid = ${uidOf('ACTD', 1)} where id = ${device}`)
  await server.db.execute(sql`update licenses set state = 6 where id = ${ids[1]}`)
  expect(await activate(uidOf('ACTD', 1), 'ACT-4')).toMatchObject({ status: 423, state: 4 })
  expect(await activate(uidOf('ACTD', 2), 'ACT-4')).toMatchObject({ status: 410, state: 6 })
  expect(await activate(uidOf('ACTF', 1), 'ACT-4')).toMatchObject({ status: 410, state: 5 })
  await deviceOf(server.db, 'ACT-5', 1, modelId)
  expect(await activate(uidOf('ACTE', 1), 'ACT-5')).toMatchObject({ status: 422, state: 1 })
  expect(await activate(uidOf('ACTD', 3), 'ACT-5', { model: 'WRONG' })).toMatchObject({ status: 422 })
})

test('one of twenty devices that send the same certificate simultaneously gets it', async () => {
  const [id] = await stock(server.db, { prefix: 'ACTG', count: 1, tenantId: 1 })
  const sns = Array.from({ length: 20 }, (_, at) => `ACT-RACE-${at}`)
  for (const sn of sns) await deviceOf(server.db, sn, 1, modelId)
  const answers = await Promise.all(sns.map((sn) => activate(uidOf('ACTG', 1), sn)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
  expect(await actionsOf(server.db, id!)).toEqual(['bind', 'activate'])
  expect(await breaches(server.db)).toEqual([])
})

test('a device that sends twenty certificates simultaneously gets one of them', async () => {
  await stock(server.db, { prefix: 'ACTH', count: 20, tenantId: 1 })
  await deviceOf(server.db, 'ACT-GREEDY', 1, modelId)
  const uids = Array.from({ length: 20 }, (_, at) => uidOf('ACTH', at + 1))
  const answers = await Promise.all(uids.map((uid) => activate(uid, 'ACT-GREEDY')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await breaches(server.db)).toEqual([])
})

test('a device that is transferred to another tenant keeps its certificate', async () => {
  const [id] = await stock(server.db, { prefix: 'ACTI', count: 1, tenantId: 1 })
  const device = await deviceOf(server.db, 'ACT-MOVED', 1, modelId)
  await activate(uidOf('ACTI', 1), 'ACT-MOVED')
  await server.db.execute(sql`update devices set tenant_id = 99 where id = ${device}`)
  expect(await stateOf(server.db, id!)).toEqual({ state: 3, tenant: 99, device })
  expect(await actionsOf(server.db, id!)).toEqual(['bind', 'activate', 'transfer'])
})
