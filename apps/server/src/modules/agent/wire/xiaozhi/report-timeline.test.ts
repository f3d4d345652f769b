import { describe, expect, test } from 'vitest'
import { closeSilentDevices } from '#main/devices/device-jobs.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const configure = async (macAddress: string, secret?: string) =>
  (
    await oms.call('config/agent-models', {
      body: { macAddress, clientId: 'c', selectedModule: {} },
      ...(secret !== undefined && { secret }),
    })
  ).json()
const say = (macAddress: string, sessionId: string) =>
  oms.call('agent/chat-history/report', {
    body: { macAddress, sessionId, chatType: 1, content: '你好', reportTime: Date.now() },
  })
const flush = async () => {
  await oms.services().voiceServers.marks.flush()
  await oms.services().voiceServers.events.flush()
}
const eventsOf = async (mac: string) => {
  await flush()
  return oms.query('select kind, tenant_id, detail from agent_events where mac = $1 order by id', [
    mac.replaceAll(':', ''),
  ])
}

describe('AGENT-11 timeline of a conversation', () => {
  test('AGENT-11 the timeline contains the configuration with its values, the context and the session end', async () => {
    const { mac } = await oms.bound(await oms.agent({ context_facts: ['model'] }))
    const [{ url, headers }] = (await configure(mac)).data.context_providers
    await fetch(url, { headers: { ...headers, 'device-id': mac } })
    await configure(mac)
    await configure(mac)
    await say(mac, 'timeline1')
    await oms.call('agent/chat-title/timeline1/generate')
    await oms.call('agent/chat-summary/timeline1/save')
    const configured = {
      kind: 11,
      tenant_id: 1,
      detail: { agent: '小明', version: 1, llm: 'LLM_T', tts: 'TTS_T' },
    }
    expect(await eventsOf(mac)).toEqual([
      configured,
      { kind: 14, tenant_id: 1, detail: { facts: '设备型号' } },
      configured,
      { kind: 13, tenant_id: 1, detail: {} },
    ])
  })

  test('AGENT-11 the timeline records why a device got no configuration, once for repeated requests', async () => {
    const agentId = await oms.agent()
    const off = await oms.bound(agentId)
    await oms.query('update devices set status = 0 where id = $1', [off.id])
    const own = 'timeline-secret-of-acme-0123456789'
    await oms.ownSecret(7, own)
    const foreign = await oms.bound(agentId)
    const gone = await oms.bound(await oms.agent({ status: 0 }))
    await oms.query(
      `insert into agent_codes (mac, code, expire_time) values ('0a0000000001', '112233', now() + interval '1 hour')`,
    )
    const asked: readonly (readonly [string, string?])[] = [
      [off.mac],
      [foreign.mac, own],
      [gone.mac],
      ['0a:00:00:00:00:01'],
      ['0a:00:00:00:00:02'],
    ]
    for (const [mac, secret] of [...asked, ...asked]) await configure(mac, secret)
    const reasons: unknown[] = []
    for (const [mac] of asked)
      for (const { kind, tenant_id, detail } of await eventsOf(mac)) reasons.push([kind, tenant_id, detail.reason])
    expect(reasons).toEqual([
      [12, 1, '设备或所属客户已停用'],
      [12, 1, '语音服务使用了另一客户的密钥'],
      [12, 1, '智能体不存在或已停用'],
      [12, null, '设备未绑定，语音服务播报验证码'],
      [12, null, '设备未绑定，也没有有效的验证码'],
    ])
  })

  test('AGENT-11 a device without turns is online from its configuration or last turn until its session ends', async () => {
    const device = await oms.bound(await oms.agent())
    const online = async () => (await oms.query('select online from devices where id = $1', [device.id]))[0].online
    const silence = () =>
      oms.query(`update devices set last_online_time = now() - interval '1 day' where id = $1`, [device.id])
    for (const sign of [() => configure(device.mac), () => say(device.mac, 'online1')]) {
      await oms.query('update devices set online = 0 where id = $1', [device.id])
      await silence()
      await sign()
      await flush()
      expect(await online()).toBe(1)
    }
    await silence()
    await closeSilentDevices(oms.services())
    expect(await online()).toBe(1)
    await oms.call('agent/chat-title/online1/generate')
    await closeSilentDevices(oms.services())
    expect(await online()).toBe(0)
  })
})
