import { beforeAll, describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { createContextToken } from './context.ts'

const oms = voiceLab()
const ALL = ['customer', 'model', 'firmware', 'warranty', 'tickets']

/** Requests the configuration of a device and returns its context sources. */
const sourcesOf = async (macAddress: string) => {
  const body = { macAddress, clientId: 'c', selectedModule: {} }
  const { data } = (await oms.call('config/agent-models', { body })).json()
  return data.context_providers as { url: string; headers: Record<string, string> }[]
}
/** Requests the context as a voice server does, with the configured headers and `device-id`. */
const ask = async (source: { url: string; headers: Record<string, string> }, mac: string, method = 'GET') => {
  const reply = await fetch(source.url, { method, headers: { ...source.headers, 'device-id': mac } })
  return { status: reply.status, ...((await reply.json()) as { code: number; data: unknown }) }
}
const bearer = (agentId: number, at = Date.now()) => ({
  url: `${oms.origin()}/xiaozhi/context`,
  headers: { Authorization: `Bearer ${createContextToken(oms.services().config.secretKey, agentId, at)}` },
})

describe('context source of an agent at /xiaozhi/context', () => {
  let agentId: number
  let device: { id: number; mac: string }
  beforeAll(async () => {
    agentId = await oms.agent({ context_facts: ALL })
    device = await oms.bound(agentId)
    await oms.query(`update agent_devices set app_version = '2.4.2' where device_id = $1`, [device.id])
    await oms.query(`update devices set warranty_end = '2999-03-05' where id = $1`, [device.id])
    await oms.query(
      `insert into tickets (tenant_id, feedback_no, device_id, sn, problem_type, content, status)
       select 1, 'T' || n, id, sn, 1, case n when 1 then E'开机\\n无声音' else '已解决的问题' end, case n when 1 then 1 else 5 end
       from devices cross join generate_series(1, 2) n where id = $1`,
      [device.id],
    )
  })

  test('AGENT-11 the configuration contains a context source with a token, which returns device data in Chinese', async () => {
    const [source] = await sourcesOf(device.mac)
    expect(source!.url).toBe(`${oms.origin()}/xiaozhi/context`)
    const { code, data } = await ask(source!, device.mac)
    expect(code).toBe(0)
    expect(data).toEqual({
      客户: expect.any(String),
      设备型号: expect.any(String),
      固件版本: '2.4.2',
      保修: '保修期内，截至2999年3月5日',
      未完结工单: '1个：开机 无声音（分析中）',
    })
    await oms.query(`update devices set warranty_end = '2020-01-02' where id = $1`, [device.id])
    await oms.query(`update agents set context_facts = array['warranty'] where id = $1`, [agentId])
    expect((await ask(source!, device.mac.toUpperCase())).data).toEqual({ 保修: '已过保，保修截至2020年1月2日' })
  })

  test('AGENT-11 the configuration contains no context source when the agent has no chosen facts', async () => {
    const plain = await oms.bound(await oms.agent())
    expect(await sourcesOf(plain.mac)).toEqual([])
    expect((await ask(bearer(await oms.agent()), plain.mac)).data).toEqual({})
  })

  test('AGENT-11 the context source refuses a wrong, missing or expired token with HTTP 200 and code 401', async () => {
    const { url } = bearer(agentId)
    const day = 24 * 60 * 60 * 1000
    for (const source of [
      { url, headers: {} },
      { url, headers: { Authorization: 'Bearer 1.2.x' } },
      { url, headers: { Authorization: `Bearer ${await oms.secret()}` } },
      bearer(agentId, Date.now() - day - 2000),
    ])
      for (const method of ['GET', 'POST'])
        expect(await ask(source, device.mac, method)).toMatchObject({ status: 200, code: 401, data: null })
    expect((await fetch(url, { method: 'POST', headers: bearer(agentId).headers })).status).toBe(404)
  })

  test('AGENT-11 the context source returns an empty object for a disabled device and for devices of other agents', async () => {
    const theirs = await oms.bound(await oms.agent({ tenant_id: 7, context_facts: ALL }), 7)
    const ours = await oms.bound(await oms.agent({ context_facts: ALL }))
    const off = await oms.bound(agentId)
    await oms.query('update devices set status = 0 where id = $1', [off.id])
    for (const mac of [theirs.mac, ours.mac, off.mac, '00:00:00:00:00:09', 'x', ''])
      expect(await ask(bearer(agentId), mac)).toMatchObject({ status: 200, code: 0, data: {} })
  })
})
