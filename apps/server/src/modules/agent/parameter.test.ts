import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureVoiceModel } from './devices/voice-model.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { VoiceServer } from '#test/clients/voice-server.ts'
import { openVoiceSide } from '#test/clients/voice-side.ts'

const app = useApp()
const PARAMS = '/api/v1/agent/params'
let admin: Caller
let customer: Caller
let reader: Caller
let side: Awaited<ReturnType<typeof openVoiceSide>>
let url = ''

const param = async (code: string, caller = admin) =>
  (await caller.call('GET', PARAMS)).data.list.find((each: { code: string }) => each.code === code)
const put = async (code: string, value: string, caller = admin) =>
  caller.call('PUT', PARAMS, { code, value, remark: '', rev: (await param(code, caller)).rev })
const secretOf = async (caller = admin) =>
  (await caller.call('POST', `${PARAMS}/reveal`, { code: 'server.secret', reason: '配置语音服务' })).data
    ?.value as string

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const permissions = ['list', 'query', 'edit', 'remove', 'plain', 'action'].map((each) => `agent:params:${each}`)
  customer = await app.by({ tenant: '甲公司', permissions })
  reader = await app.by({ tenant: '甲公司', permissions: ['agent:params:list', 'agent:params:query'] })
  side = await openVoiceSide(app.services)
  url = side.url
})
afterAll(() => side.close())

test('AGENT-06 a value of the tenant overrides the value of the platform, which overrides the default', async () => {
  expect(await param('tts_timeout', customer)).toMatchObject({ value: '10', source: 3, platformValue: '10' })
  expect(await put('tts_timeout', '20')).toMatchObject({ code: 200, data: { rev: 1 } })
  expect(await param('tts_timeout', customer)).toMatchObject({ value: '20', source: 2, platformValue: '20', rev: 0 })
  await put('tts_timeout', '30', customer)
  expect(await param('tts_timeout', customer)).toMatchObject({ value: '30', source: 1, rev: 1 })
  expect(
    (await customer.call('PUT', PARAMS, { code: 'tts_timeout', value: '40', remark: '', rev: 0 })).data,
  ).toMatchObject({
    conflict: { rev: 1 },
  })
  expect((await put('tts_timeout', 'x', customer)).data).toEqual({ field: 'value' })
  expect((await customer.call('DELETE', `${PARAMS}?code=tts_timeout`)).code).toBe(200)
  expect(await param('tts_timeout', customer)).toMatchObject({ value: '20', source: 2 })
  expect((await reader.call('PUT', PARAMS, { code: 'tts_timeout', value: '5', remark: '', rev: 0 })).code).not.toBe(200)
})

test('AGENT-06 an MCP endpoint is saved only when its health URL returns success', async () => {
  const health = createServer((request, response) =>
    response.end(request.url!.includes('key=right') ? '{"status":"success"}' : '{"status":"wrong key"}'),
  )
  await once(health.listen(0, '127.0.0.1'), 'listening')
  const { port } = health.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/mcp_endpoint/health?key=`
  const code = 'server.mcp_endpoint'
  expect(await put(code, `${address}wrong`)).toMatchObject({ code: 400, data: { field: 'value' } })
  expect(await put(code, `${address}right`)).toMatchObject({ code: 200 })
  expect((await put(code, `${address}right`, customer)).msg, 'a private address of a customer').toContain('无法连接')
  health.close()
  expect((await put(code, `${address}right2`)).msg).toContain('MCP 接入点无法连接')
  const { rev } = await param(code)
  const remark = { code, value: `${address}right`, remark: '备注', rev }
  expect((await admin.call('PUT', PARAMS, remark)).code, 'an unchanged address is not called').toBe(200)
  expect((await put(code, '')).code).toBe(200)
})

test('AGENT-03 a secret is masked, shown only after a reason is given, and never logged', async () => {
  expect(await secretOf(reader)).toBeUndefined()
  expect((await admin.call('POST', `${PARAMS}/reveal`, { code: 'server.secret', reason: '' })).data).toEqual({
    field: 'reason',
  })
  const secret = await secretOf()
  expect((await param('server.secret')).value).toBe(`••••••••${secret.slice(-4)}`)
  expect((await param('server.secret', customer)).value).toBe('••••••••')
  expect(await secretOf(customer)).toBeUndefined()
  await put('server.mqtt_signature_key', 'Gateway-Key-0123456')
  const { rows } = await app.services.database.pool.query('select * from oper_logs')
  expect(JSON.stringify(rows)).toContain('配置语音服务')
  for (const hidden of [secret, 'Gateway-Key-0123456']) expect(JSON.stringify(rows)).not.toContain(hidden)
  const stored = await app.services.database.pool.query(
    'select value from agent_params union all select encrypted from agent_secrets',
  )
  expect(JSON.stringify(stored.rows)).not.toContain(secret)
})

test('AGENT-03 the old and the new secret are valid during a change; the old secret can be invalidated', async () => {
  const before = await secretOf()
  const old = new VoiceServer({ url, secret: before })
  await old.start()
  expect((await admin.call('POST', `${PARAMS}/secret`, {})).code).toBe(200)
  const after = await secretOf()
  expect(after).not.toBe(before)
  await old.start()
  await new VoiceServer({ url, secret: after }).start()
  const again = await Promise.all(Array.from({ length: 10 }, () => admin.call('POST', `${PARAMS}/secret`, {})))
  expect(again.map(({ code, msg }) => [code, msg])).toEqual(
    Array.from({ length: 10 }, () => [400, '上次更换前的旧密钥仍然有效，请先停用旧密钥再更换']),
  )
  await old.start()
  expect((await admin.call('GET', PARAMS)).data.previousSecretUntil).toMatch(/^\d{4}-/)
  expect((await admin.call('DELETE', `${PARAMS}/secret`)).code).toBe(200)
  await expect(old.start()).rejects.toMatchObject({ code: 401 })
  expect((await admin.call('DELETE', `${PARAMS}?code=server.secret`)).data).toEqual({ field: 'code' })
})

test('AGENT-11 reload and restart reach the voice server, which calls OMS meanwhile; saving an address sends no action', async () => {
  const server = new VoiceServer({ url, secret: await secretOf() })
  await server.start()
  await server.listen()
  try {
    expect((await put('server.websocket', `${server.address};ws://127.0.0.1:1/`)).code).toBe(200)
    const { list } = (await admin.call('GET', `${PARAMS}/servers/reach`)).data
    expect(list.map(({ isReachable }: { isReachable: boolean }) => isReachable)).toEqual([true, false])
    expect([server.actions, server.starts]).toEqual([[], 1])
    const act = (action: string, address = server.address, caller = admin) =>
      caller.call('POST', `${PARAMS}/servers/action`, { address, action })
    await put('tool_call_timeout', '77')
    expect(await act('update_config')).toMatchObject({ code: 200, data: { words: '已执行' } })
    expect(server.config.tool_call_timeout).toBe(77)
    expect(await act('restart')).toMatchObject({ code: 200 })
    expect(server.actions).toEqual(['update_config', 'restart'])
    expect((await act('restart', 'ws://127.0.0.1:1/other')).data).toEqual({ field: 'address' })
    expect((await act('restart', 'ws://127.0.0.1:1/')).code).toBe(501)
    server.isBroken = true
    expect((await act('restart')).msg).toContain('密钥验证失败')
    expect((await act('restart', server.address, customer)).code).not.toBe(200)
    await app.services.voiceServers.contacts.flush()
    expect((await admin.call('GET', `${PARAMS}/servers`)).data).toMatchObject({
      mayAct: true,
      contacts: [{ client: 'PythonClient/2.0 (PID:42)', address: '127.0.0.1' }],
    })
    expect((await customer.call('GET', `${PARAMS}/servers`)).data).toMatchObject({ addresses: [], contacts: [] })
  } finally {
    await server.close()
  }
})

test('AGENT-11 the list of voice servers shows the open conversations of the devices that each server configured', async () => {
  const server = new VoiceServer({ url, secret: await secretOf() })
  await server.start()
  const { pool } = app.services.database
  const { rows: agents } = await pool.query<{
    id: number
  }>(`insert into agents (tenant_id, agent_code, agent_name, llm_id, tts_id)
    select 1, 'AGT_SRV', '会话', min(id) filter (where code = 'LLM_OllamaLLM'), min(id) filter (where type = 'TTS') from agent_models
    returning id`)
  const modelId = await ensureVoiceModel(app.services)
  const macs = ['02000000aa01', '02000000aa02']
  for (const mac of macs) {
    const { rows } = await pool.query<{ id: number }>(
      `insert into devices (tenant_id, model_id, sn, mac) values (1, $2, $1, $1) returning id`,
      [mac, modelId],
    )
    await pool.query('insert into agent_devices (device_id, tenant_id, agent_id, mac) values ($1, 1, $2, $3)', [
      rows[0]!.id,
      agents[0]!.id,
      mac,
    ])
  }
  const contacts = async () => (await admin.call('GET', `${PARAMS}/servers`)).data
  const before = (await contacts()).openSessions
  for (const mac of macs) await server.connect(mac.replaceAll(/(..)(?=.)/g, '$1:'))
  await app.services.voiceServers.contacts.flush()
  await app.services.voiceServers.marks.flush()
  await pool.query(`update agent_devices set session_id = mac, turn_time = now() where mac = any($1)`, [macs])
  const { openSessions, contacts: list } = await contacts()
  expect(openSessions).toBe(before + 2)
  expect(list).toMatchObject([{ client: 'PythonClient/2.0 (PID:42)', address: '127.0.0.1', sessions: 2 }])
})

test('AGENT-03 a tenant with its own secret may use its own voice server, except in a private network', async () => {
  expect((await put('server.secret', 'own-secret-of-acme-0123', customer)).code).toBe(200)
  const server = new VoiceServer({ url, secret: await secretOf(customer) })
  await server.start()
  await server.listen()
  try {
    await put('server.websocket', server.address, customer)
    const reply = await customer.call('POST', `${PARAMS}/servers/action`, {
      address: server.address,
      action: 'restart',
    })
    expect(reply.msg).toContain('不能访问内网')
    expect(server.actions).toEqual([])
  } finally {
    await server.close()
  }
})
