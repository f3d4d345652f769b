import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenForDevices } from '#test/device-port.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = useApp()
let port: Awaited<ReturnType<typeof listenForDevices>>
let platform: Caller
let agent: number
let made = 0

const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows
const device = () => {
  made += 1
  return new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac: `02:00:00:00:04:${made.toString(16).padStart(2, '0')}` })
}
const digitsOf = ({ mac }: XiaozhiDevice) => mac.replaceAll(':', '')
const bind = (by: Caller, body: object) => by.call('POST', '/api/v1/agent/device/bind', body)

beforeAll(async () => {
  port = await listenForDevices(oms.services)
  platform = await oms.by({ permissions: ['agent:device:list', 'agent:device:query', 'agent:device:bind'] })
  const inserted = `insert into agents (tenant_id, agent_code, agent_name) values (1, 'AGT_1', '小智') returning id`
  agent = (await query(inserted))[0].id as number
})
afterAll(() => port?.close())

describe('AGENT-11 why a device does not talk', () => {
  const missing = async (booted: XiaozhiDevice) =>
    (await platform.call('GET', `/api/v1/agent/device/diagnosis?mac=${booted.mac}`)).data

  test('the diagnosis names the first missing step between boot and end of a session', async () => {
    const booted = device()
    expect((await missing(booted)).missing).toBe('boot')
    const { activation } = await booted.boot()
    expect((await missing(booted)).missing).toBe('bound')
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    await booted.boot()
    const third = await missing(booted)
    expect(third.missing).toBe('configured')
    expect(third.steps.map(({ state }: { state: number }) => state)).toEqual([1, 1, 1, 1, 0, 2, 2])
    await query('update agent_devices set session_time = now() where device_id = $1', [data.id])
    expect((await missing(booted)).missing).toBe('turn')
    expect((await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)).data.state).toBe(2)
    await query('update agent_devices set turn_time = now() where device_id = $1', [data.id])
    const talking = await missing(booted)
    expect([talking.missing, talking.steps.at(-1)]).toEqual([
      '',
      expect.objectContaining({ state: 2, words: '对话进行中' }),
    ])
    const earlier = `session_time = now() - interval '1 hour', turn_time = now() - interval '1 hour'`
    await query(`update agent_devices set ${earlier} where device_id = $1`, [data.id])
    expect((await missing(booted)).missing).toBe('ended')
    await query('update agent_devices set close_time = now() where device_id = $1', [data.id])
    const last = await missing(booted)
    expect(last.missing).toBe('')
    const kinds = last.events.map(({ kind }: { kind: number }) => kind)
    expect(kinds.filter((kind: number) => kind !== 1)).toEqual([3, 2])
    expect((await platform.call('GET', `/api/v1/agent/device/detail/${data.id}`)).data.state).toBe(1)
  })

  test('the diagnosis checks only the last connection, also when the agent stores no turns', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    await booted.boot()
    const set = (times: string) => query(`update agent_devices set ${times} where device_id = $1`, [data.id])
    await set(`turn_time = now() - interval '1 day', close_time = now() - interval '1 day', session_time = now()`)
    expect((await missing(booted)).missing).toBe('')
    await set(`session_time = now() - interval '1 hour'`)
    expect((await missing(booted)).missing).toBe('turn')
    await set(`turn_time = null, close_time = null`)
    await query('update agents set chat_history_conf = 0 where id = $1', [agent])
    expect((await missing(booted)).missing).toBe('turn')
    await query('update agents set chat_history_conf = 2 where id = $1', [agent])
    expect((await missing(booted)).missing).toBe('turn')
    await set(`turn_time = now(), close_time = now()`)
    const refusals = `insert into agent_events (mac, tenant_id, kind, detail, create_time) values ($1, $2, 12, $3, $4)`
    const mac = digitsOf(booted)
    const [{ now, before }] = await query(`select now() as now, now() - interval '1 day' as before`)
    await query(refusals, [mac, null, { reason: '设备未绑定' }, now])
    await query(refusals, [mac, 1, { reason: '早于绑定' }, before])
    expect((await missing(booted)).missing).toBe('')
    await query(refusals, [mac, 1, { reason: '语音服务使用了另一客户的密钥' }, now])
    const refused = await missing(booted)
    expect([refused.missing, refused.steps[4].words]).toEqual([
      'configured',
      '最近一次被拒绝：语音服务使用了另一客户的密钥',
    ])
  })

  test('the diagnosis finds a question without an answer, and calls of the relay without reported turns', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    await booted.boot()
    const now = '2026-03-05 10:00:00'
    await query(`update agent_devices set session_time = $2, turn_time = null, close_time = $2 where device_id = $1`, [
      data.id,
      now,
    ])
    await query(
      `insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n) values ($2, 1, $3, $1, 0, 1, 6, 40)`,
      [data.id, now, agent],
    )
    const turn = async () => {
      const { missing: key, steps } = await missing(booted)
      return [key, steps.find((step: { key: string }) => step.key === 'turn').words]
    }
    expect(await turn()).toEqual(['turn', expect.stringContaining('调用了大语言模型，但没有上报对话')])
    const [session] = await query(
      `insert into agent_sessions (tenant_id, session_id, device_id, agent_id, version_no, first_time, last_time)
       values (1, 'quiet', $1, $2, 1, $3, $3) returning id`,
      [data.id, agent, now],
    )
    await query(`update agent_devices set session_id = 'quiet', turn_time = session_time where device_id = $1`, [
      data.id,
    ])
    const said = (kind: number) =>
      query(
        `insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5)
         values ($3, 1, $1, $2, $4, $5, '', 'x')`,
        [session.id, data.id, now, agent, kind],
      )
    await said(1)
    expect(await turn()).toEqual(['turn', expect.stringContaining('没有回答')])
    await said(2)
    expect((await turn())[0]).toBe('')
  })

  test('the diagnosis reports a missing token of a disabled device and a missing configuration of a disabled agent', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const { data } = await bind(platform, { agentId: agent, code: activation.code })
    await query('update agent_devices set boot_time = now(), session_time = now() where device_id = $1', [data.id])
    await query('update agents set status = 0 where id = $1', [agent])
    expect((await missing(booted)).missing).toBe('configured')
    await query('update agents set status = 1 where id = $1', [agent])
    await query('update devices set status = 0 where id = $1', [data.id])
    expect((await missing(booted)).missing).toBe('token')
  })
})
