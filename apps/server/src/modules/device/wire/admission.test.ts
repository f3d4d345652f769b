import { beforeEach, expect, test } from 'vitest'
import { deviceLab, GATEWAY } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.query(`update tenants set status = 1, device_quota = -1`)
  await oms.query(`delete from device_access`)
  await oms.sync()
})
const register = (sn: string) => oms.plain('check', { sn }, GATEWAY)
const reasons = () =>
  oms.logs.flatMap((line) => {
    const { msg, reason } = JSON.parse(line)
    return String(msg).startsWith('device refused') ? [reason] : []
  })

test('sixty simultaneous registrations never exceed the device quota', async () => {
  await oms.gateway({ modelId: 1, tenantId: 7 })
  for (const quota of [30, 40]) {
    await oms.query('update tenants set device_quota = $1 where id = 7', [quota])
    const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => register(`Q${quota}-${n}`)))
    const [{ n }] = await oms.query('select count(*)::int as n from devices where tenant_id = 7')
    expect(n).toBe(quota)
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(quota === 30 ? 30 : 10)
  }
  expect(reasons()).toContain('device quota reached')
  // An existing device is served although the quota is used up.
  expect((await register('Q30-0')).status + (await register('Q40-0')).status).toBeGreaterThan(0)
})

test('the gateway registers only serial numbers that the form of the console accepts', async () => {
  await oms.gateway({ modelId: 1 })
  for (const sn of ['设备一', '-A', '.hidden', 'é1', 'A B']) expect((await register(sn)).status).toBe(401)
  expect(reasons()).toContain('bad serial')
  expect((await register('OK-1')).status).toBe(204)
})

test('devices of a disabled tenant are refused until the tenant is enabled again', async () => {
  const { root, sn } = await oms.device({ tenantId: 7 })
  await oms.version({ verCode: 7000 })
  await oms.query('update tenants set status = 0 where id = 7')
  await oms.sync()
  expect((await oms.send(root)).status).toBe(401)
  expect((await oms.plain('check', { sn })).status).toBe(401)
  expect(reasons()).toContain('tenant disabled')
  await oms.query('update tenants set status = 1 where id = 7')
  await oms.sync()
  expect((await oms.poll(root)).href).toContain('deploymentBase')
})

test('the reason of every 401 is written to the log and never to the response', async () => {
  const { root, sn, id } = await oms.device()
  oms.logs.length = 0
  const answers = [
    await oms.send(root, { token: null }),
    await oms.send(root, { token: 'wrong' }),
    await oms.send('/DEFAULT/controller/v1/NOBODY'),
    await oms.send(`/NOWHERE/controller/v1/${sn}`),
    await oms.send(`/ACME/controller/v1/${sn}`),
  ]
  await oms.query('update devices set status = 0 where id = $1', [id])
  await oms.sync()
  answers.push(await oms.send(root))
  for (const { status, body } of answers)
    expect([status, JSON.parse(body.toString()).message]).toEqual([401, 'unknown device or wrong token'])
  expect(reasons()).toEqual([
    'no credential',
    'wrong device token',
    'unknown serial',
    'unknown tenant',
    'serial of another tenant',
    'device disabled',
  ])
  expect(oms.logs.join('')).not.toContain('token-of-one-device')
})

test('the log of a refused and of a failed device call contains the request id of the proxy', async () => {
  await oms.gateway({ modelId: 1 })
  oms.logs.length = 0
  const check = (id: string, token: string) => {
    const headers = { 'x-request-id': id, authorization: `Bearer ${token}` }
    return oms.send('/device/v1/check', { method: 'POST', token: null, headers, body: { sn: 'REQUEST-1' } })
  }
  expect((await check('refused-1', 'wrong')).status).toBe(401)
  await oms.query('alter table devices rename to hidden_devices')
  const failed = await check('failed-01', GATEWAY)
  await oms.query('alter table hidden_devices rename to devices')
  expect(failed.status).toBe(503)
  const idOf = (message: string) => oms.logs.map((line) => JSON.parse(line)).find(({ msg }) => msg === message)?.reqId
  expect([idOf('device refused'), idOf('device call failed')]).toEqual(['refused-1', 'failed-01'])
})

test('a paused release does not start installing fetched updates, and started installations continue', async () => {
  const [waiting, begun] = [await oms.device(), await oms.device()]
  const { otaId } = await oms.version({ verCode: 8000 })
  const first = await oms.poll(waiting.root)
  const second = await oms.poll(begun.root)
  await oms.send(first.href!)
  await oms.send(second.href!)
  await oms.query('update ota_tasks set state = 20 where task_id = $1', [second.taskId])
  await oms.query(`update ota_policies set state = 3 where ota_id = $1`, [otaId])
  await oms.sync()
  expect((await oms.poll(waiting.root)).href).toBeUndefined()
  expect((await oms.send(first.href!)).status).toBe(429)
  expect((await oms.plain('check', { sn: waiting.sn })).status).toBe(204)
  expect((await oms.poll(begun.root)).href).toContain(`deploymentBase/${second.taskId}`)
  expect((await oms.send(second.href!)).status).toBe(200)
  await oms.query(`update ota_policies set state = 0 where ota_id = $1`, [otaId])
  await oms.sync()
  expect((await oms.poll(waiting.root)).href).toContain(`deploymentBase/${first.taskId}`)
})
