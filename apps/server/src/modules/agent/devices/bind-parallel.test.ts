import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenForDevices } from '#test/device-port.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const ACCOUNTS = 5
const EACH = 10
const oms = useApp()
let port: Awaited<ReturnType<typeof listenForDevices>>
let callers: Caller[]
let agentId: number

const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows

beforeAll(async () => {
  port = await listenForDevices(oms.services)
  callers = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => oms.by({ permissions: ['agent:device:list', 'agent:device:bind'] })),
  )
  const values = `values (1, 'AGT_P', '并行') returning id`
  agentId = (await query(`insert into agents (tenant_id, agent_code, agent_name) ${values}`))[0].id
})
afterAll(() => port?.close())

test('AGENT-04 exactly one of fifty parallel bindings with the same code succeeds', async () => {
  const device = new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac: '02:00:00:00:05:01' })
  const { activation } = await device.boot()
  const payload = { agentId, code: activation.code }
  const answers = await Promise.all(
    callers.flatMap((caller) =>
      Array.from({ length: EACH }, () => caller.call('POST', '/api/v1/agent/device/bind', payload)),
    ),
  )
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code !== 200 && code !== 400)).toEqual([])
  expect(await device.activate()).toBe(200)
  const found = await query(
    `select (select count(*)::int from devices where mac = $1) as devices,
      (select count(*)::int from agent_devices where mac = $1) as bindings,
      (select count(*)::int from agent_codes where mac = $1) as codes,
      (select count(*)::int from oper_logs where biz_type = 'agentDevice' and status = 1) as logged`,
    ['020000000501'],
  )
  expect(found).toEqual([{ devices: 1, bindings: 1, codes: 0, logged: 1 }])
})

test('AGENT-04 parallel bindings by MAC address and by code during boots bind the device once', async () => {
  const device = new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac: '02:00:00:00:05:02' })
  const { activation } = await device.boot()
  const mac = '02:00:00:00:05:02'
  const answers = await Promise.all(
    callers.flatMap((caller) => [
      caller.call('POST', '/api/v1/agent/device/bind', { agentId, code: activation.code }),
      caller.call('POST', '/api/v1/agent/device/bindMac', { agentId, mac }),
      device.boot(),
    ]),
  )
  expect(answers.filter((answer) => answer.code === 200)).toHaveLength(1)
  expect(await query(`select count(*)::int as n from agent_devices where mac = '020000000502'`)).toEqual([{ n: 1 }])
  expect(await query(`select count(*)::int as n from devices where mac = '020000000502'`)).toEqual([{ n: 1 }])
  expect((await device.boot()).activation).toBeUndefined()
})

test('AGENT-04 exactly one of fifty parallel bindings of a new MAC address succeeds; the others return the reason', async () => {
  const payload = { agentId, mac: '02:00:00:00:05:03' }
  const answers = await Promise.all(
    callers.flatMap((caller) =>
      Array.from({ length: EACH }, () => caller.call('POST', '/api/v1/agent/device/bindMac', payload)),
    ),
  )
  const refused = answers.filter(({ code }) => code !== 200)
  expect(refused).toHaveLength(ACCOUNTS * EACH - 1)
  for (const answer of refused)
    expect(answer).toMatchObject({ code: 400, msg: '该设备已绑定智能体，请先解绑', data: { field: 'mac' } })
})
