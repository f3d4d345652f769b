import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenForDevices } from '#test/device-port.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = useApp()
const RIGHTS = ['list', 'query', 'bind', 'unbind', 'edit', 'move', 'reset', 'import', 'export'].map(
  (right) => `agent:device:${right}`,
)
let port: Awaited<ReturnType<typeof listenForDevices>>
let platform: Caller
let tenant: Caller
let agent: number
let foreign: number
let made = 0

const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows
const device = (options: Partial<ConstructorParameters<typeof XiaozhiDevice>[1]> = {}) => {
  made += 1
  const mac = `02:00:00:00:03:${made.toString(16).padStart(2, '0')}`
  return new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac, ...options })
}
const digitsOf = ({ mac }: XiaozhiDevice) => mac.replaceAll(':', '')
const bind = (by: Caller, body: object) => by.call('POST', '/api/v1/agent/device/bind', body)
const agentOf = async (tenantId: number, name: string) =>
  (
    await query(`insert into agents (tenant_id, agent_code, agent_name) values ($1, $2, $3) returning id`, [
      tenantId,
      `AGT_${name}`,
      name,
    ])
  )[0].id as number

beforeAll(async () => {
  port = await listenForDevices(oms.services)
  platform = await oms.by({ permissions: RIGHTS })
  tenant = await oms.by({ tenant: '乙公司', permissions: RIGHTS })
  const [{ id }] = await query(`select id from tenants where name = '乙公司'`)
  agent = await agentOf(1, '小智')
  foreign = await agentOf(id, '乙的小智')
})
afterAll(() => port?.close())

describe('AGENT-04 binding by code', () => {
  test('binding a code creates a device of the shipped model, invalidates the code and completes the activation', async () => {
    const booted = device({ serial: 'CHIP-0000-0001' })
    const { activation } = await booted.boot()
    expect(await booted.activate()).toBe(202)
    const { code, data } = await bind(platform, { agentId: agent, code: activation.code, alias: '客厅' })
    expect([code, data.sn]).toEqual([200, 'CHIP-0000-0001'])
    expect(await booted.activate()).toBe(200)
    expect((await booted.boot()).activation).toBeUndefined()
    const [row] = await query(
      `select d.mac, d.dev_name, m.model_code, a.client_id, a.board, a.auto_update from devices d
       join device_models m on m.id = d.model_id join agent_devices a on a.device_id = d.id where d.id = $1`,
      [data.id],
    )
    expect(row).toEqual({
      mac: digitsOf(booted),
      dev_name: '客厅',
      model_code: 'XIAOZHI',
      client_id: booted.clientId,
      board: 'bread-compact-wifi',
      auto_update: 1,
    })
    expect((await bind(platform, { agentId: agent, code: activation.code })).msg).toBe('验证码不正确或已过期')
    const { data: page } = await platform.call('GET', '/api/v1/agent/device/page?name=客厅')
    expect(page.list[0]).toMatchObject({ mac: booted.mac, agentName: '小智', state: 1, identity: 0 })
    const { data: uses } = await platform.call('DELETE', `/api/v1/device/info?ids=${data.id}`)
    expect(uses).toBeDefined()
  })

  test('a device that is bound by a code gets the device model that lists its board', async () => {
    await query(`insert into device_types (type_name, type_code) values ('类型B', 'tb')`)
    await query(`insert into device_models (type_id, model_name, model_code, boards)
      select id, 'B1', 'B1', '{box-3}' from device_types where type_code = 'tb'`)
    const booted = device({ board: 'box-3' })
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    expect(
      await query('select m.model_code from devices d join device_models m on m.id = d.model_id where d.id = $1', [
        data.id,
      ]),
    ).toEqual([{ model_code: 'B1' }])
  })

  test('a second device model with the same board is refused', async () => {
    const editor = await oms.by({
      permissions: ['list', 'add', 'edit', 'query'].map((right) => `device:updateManage:${right}`),
    })
    const [{ id: typeId }] = await query(`select id from device_types where type_code = 'tb'`)
    const input = (code: string, boards: string[]) => ({ typeId, modelName: code, modelCode: code, boards })
    const add = (code: string, boards: string[]) => editor.call('POST', '/api/v1/device/model', input(code, boards))
    await add('M1', ['cube', 'cube', 'cube-lcd'])
    expect((await editor.call('GET', '/api/v1/device/model/page?modelCode=M1')).data.list[0].boards).toEqual([
      'cube',
      'cube-lcd',
    ])
    expect((await add('M2', ['cube-lcd'])).msg).toBe('开发板「cube-lcd」已属于型号「M1」')
    expect((await add('M3', ['bad board'])).code).toBe(400)
  })

  test('a code binds the existing device with the MAC address; two matching devices are refused by name', async () => {
    const [{ model }] = await query(`select max(id) as model from device_models`)
    const booted = device()
    const [{ id }] = await query(
      `insert into devices (tenant_id, model_id, sn, mac) values (1, $1, 'OLD-1', $2) returning id`,
      [model, digitsOf(booted)],
    )
    const { activation } = await booted.boot()
    expect((await bind(platform, { agentId: agent, code: activation.code })).data).toEqual({ id, sn: 'OLD-1' })
    const twice = device()
    await query(`insert into devices (tenant_id, model_id, sn, mac) values (1, $1, 'TWO-1', $2), (1, $1, $2, '')`, [
      model,
      digitsOf(twice),
    ])
    const second = await twice.boot()
    const refused = await bind(platform, { agentId: agent, code: second.activation.code })
    expect(refused.msg).toContain('「TWO-1」')
    expect(refused.msg).toContain(`「${digitsOf(twice)}」`)
    expect(await twice.activate()).toBe(202)
  })

  test('a tenant binds devices only to its own agents, within its quota, and never a device of another tenant', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    expect((await bind(tenant, { agentId: agent, code: activation.code })).msg).toBe('智能体不存在或已被删除')
    await query(`update tenants set device_quota = 0 where name = '乙公司'`)
    expect((await bind(tenant, { agentId: foreign, code: activation.code })).msg).toContain('设备数量已达上限')
    await query(`update tenants set device_quota = 5 where name = '乙公司'`)
    const { data } = await bind(tenant, { agentId: foreign, code: activation.code })
    expect(data.sn).toBe(digitsOf(booted))
    const body = { agentId: agent, mac: booted.mac }
    const taken = await platform.call('POST', '/api/v1/agent/device/bindMac', body)
    expect(taken.msg).toBe(`MAC「${booted.mac}」已被其他设备使用`)
    const own = device()
    const answer = await own.boot()
    const mine = await bind(platform, { agentId: agent, code: answer.activation.code })
    for (const path of [`detail/${mine.data.id}`]) {
      const { msg } = await tenant.call('GET', `/api/v1/agent/device/${path}`)
      expect(msg).toContain('不存在')
    }
    expect((await tenant.call('POST', '/api/v1/agent/device/unbind', { ids: [mine.data.id] })).msg).toBe(
      '设备未绑定智能体',
    )
    expect((await tenant.call('GET', '/api/v1/agent/device/page')).data.total).toBe(1)
    const seen = await tenant.call('GET', `/api/v1/agent/device/diagnosis?mac=${own.mac}`)
    expect(seen.data.missing).toBe('boot')
    expect(seen.data.events).toEqual([])
  })

  test('wrong codes are limited to ten a minute, and to a hundred a day across all processes', async () => {
    const guesser = await oms.by({ permissions: RIGHTS })
    const answers: string[] = []
    for (let i = 0; i < 12; i += 1) answers.push((await bind(guesser, { agentId: agent, code: '000000' })).msg)
    expect(answers.slice(0, 10).every((msg) => msg === '验证码不正确或已过期')).toBe(true)
    expect(answers.at(-1)).toBe('验证码输入错误次数过多，请稍后再试')
    const other = await oms.by({ permissions: RIGHTS })
    await query(
      `insert into login_failures (key, count, last_time, lock_until) values ($1, 100, now(), now() + interval '1 hour')`,
      [`bind:${other.uid}`],
    )
    expect((await bind(other, { agentId: agent, code: '000000' })).msg).toBe('验证码输入错误次数过多，请稍后再试')
  })

  test('exactly one of thirty simultaneous bindings with the same code succeeds', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const body = { agentId: agent, code: activation.code }
    const people = await Promise.all(Array.from({ length: 5 }, () => oms.by({ permissions: RIGHTS })))
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => bind(people[at % 5]!, body)))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await query('select count(*)::int as n from agent_devices where mac = $1', [digitsOf(booted)])).toEqual([
      { n: 1 },
    ])
  })
})

describe('AGENT-04 binding by MAC, moving and unbinding', () => {
  test('a device bound by MAC address waits for its first boot and needs no code', async () => {
    const waiting = device()
    const { data } = await platform.call('POST', '/api/v1/agent/device/bindMac', {
      agentId: agent,
      mac: waiting.mac.toUpperCase().replaceAll(':', '-'),
    })
    const before = await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)
    expect(before.data.state).toBe(0)
    const diagnosis = await platform.call('GET', `/api/v1/agent/device/diagnosis?mac=${waiting.mac}`)
    expect(diagnosis.data.missing).toBe('boot')
    expect((await waiting.boot()).activation).toBeUndefined()
    const again = { agentId: agent, mac: waiting.mac }
    expect((await platform.call('POST', '/api/v1/agent/device/bindMac', again)).msg).toBe(
      '该设备已绑定智能体，请先解绑',
    )
  })

  test('unbinding keeps the device row, and the next boot of the device gets a code again', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    expect((await platform.call('POST', '/api/v1/agent/device/unbind', { ids: [data.id] })).data.done).toBe(1)
    expect(await query('select sn from devices where id = $1 and deleted_at is null', [data.id])).toHaveLength(1)
    expect((await booted.boot()).activation.code).toMatch(/^\d{6}$/)
    expect(await booted.activate()).toBe(202)
  })

  test('moving a device to an agent of another tenant is refused; the log names the agent', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    const other = await agentOf(1, '英语老师')
    const moved = await platform.call('POST', '/api/v1/agent/device/move', { ids: [data.id], agentId: other })
    expect(moved.data.done).toBe(1)
    const refused = await platform.call('POST', '/api/v1/agent/device/move', { ids: [data.id], agentId: foreign })
    expect(refused.msg).toBe('智能体属于其他客户')
    const { data: row } = await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)
    expect(row.agentName).toBe('英语老师')
  })

  test('AGENT-01 after a reset of its identity, a device may boot with another Client-Id', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    const erased = device({ mac: booted.mac, clientId: 'after-erase' })
    await erased.boot()
    const { data: row } = await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)
    expect(row).toMatchObject({ identity: 1, otherClientId: 'after-erase' })
    const url = `/api/v1/agent/device/reset/${data.id}`
    expect((await platform.call('POST', url, { otherClientId: 'shown-before' })).msg).toContain('after-erase')
    await platform.call('POST', url, { otherClientId: 'after-erase' })
    const { data: after } = await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)
    expect(after).toMatchObject({ identity: 0, clientId: 'after-erase' })
  })
})

test('AGENT-11 list and export compute the state of a device with the parameters of the tenant of the device', async () => {
  const [ours, theirs] = [device(), device()]
  await bind(platform, { agentId: agent, code: (await ours.boot()).activation.code })
  await bind(tenant, { agentId: foreign, code: (await theirs.boot()).activation.code })
  await query(`insert into agent_params (tenant_id, code, value)
    select id, 'close_connection_no_voice_time', '900' from tenants where name = '乙公司'`)
  oms.services.agentParameters.forget()
  await query(
    `update agent_devices set session_time = now() - interval '5 minutes', close_time = null where mac = any($1)`,
    [[digitsOf(ours), digitsOf(theirs)]],
  )
  const states = async (filter = '') => {
    const { list } = (await platform.call('GET', `/api/v1/agent/device/page?pageSize=50${filter}`)).data
    const find = ({ mac }: XiaozhiDevice) => list.find((row: { mac: string }) => row.mac === mac)?.state
    return [find(ours), find(theirs)]
  }
  expect(await states()).toEqual([1, 2])
  expect(await states('&state=2')).toEqual([undefined, 2])
  const csv = (
    await platform.inject({
      method: 'POST',
      url: '/api/v1/agent/device/export',
      payload: { format: 'csv', state: 2 },
    })
  ).body
  expect([csv.includes(ours.mac), csv.includes(theirs.mac)]).toEqual([false, true])
})
