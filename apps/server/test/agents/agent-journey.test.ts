import { afterAll, beforeAll, expect, test } from 'vitest'
import { decrypt } from '#core/crypto/keys.ts'
import { listenForDevices } from '#test/device-port.ts'
import { type ApiResponse, type Caller, useApp } from '#test/harness.ts'
import { wavOf } from '#test/clients/voiceprint-service.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = useApp()
const MAC = '02:00:00:00:07:01'
let port: Awaited<ReturnType<typeof listenForDevices>>
let person: Caller

/** Calls as a voice server does: the secret as bearer, a new connection for each call. */
async function voiceServer(path: string, body?: object) {
  await oms.services.agentParameters.of(1)
  const { rows } = await oms.services.database.pool.query<{ encrypted: string }>(
    `select encrypted from agent_secrets where owner_kind = 3 and owner_id = 1 and field = 'server.secret'`,
  )
  const secret = decrypt(oms.services.config.secretKey, rows[0]!.encrypted)
  const reply = await fetch(`${port.url}/xiaozhi/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'user-agent': 'PythonClient/2.0 (PID:7)',
      connection: 'close',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(reply.status).toBe(200)
  return (await reply.json()) as ApiResponse
}
const configuration = (clientId: string) =>
  voiceServer('config/agent-models', { macAddress: MAC, clientId, selectedModule: {} })

/** Saves the form of an agent with other values. */
async function edit(agentId: number, values: object) {
  const { data: form } = await person.call('GET', `/api/v1/agent/list/${agentId}`)
  const { code, data } = await person.call('PUT', '/api/v1/agent/list', { ...form, ...values })
  expect(code).toBe(200)
  return data
}
const memoryModel = async () => {
  const { data } = await person.call('GET', '/api/v1/agent/list/choices')
  return data.models.find((each: { providerCode: string }) => each.providerCode === 'mem_local_short').id as number
}

beforeAll(async () => {
  port = await listenForDevices(oms.services)
  // The shipped language model has no key and a public address, so devices would get no configuration.
  await oms.services.database.pool.query(
    `update agent_models set config = config || '{"base_url":"http://127.0.0.1:9/v1"}' where code = 'LLM_ChatGLMLLM'`,
  )
  const pages = {
    agent: ['list', 'query', 'add', 'edit'],
    device: ['list', 'query', 'bind'],
    voiceprint: ['list', 'query'],
  }
  const permissions = Object.entries(pages).flatMap(([page, rights]) => rights.map((right) => `agent:${page}:${right}`))
  person = await oms.by({ permissions })
})
afterAll(() => port?.close())

test('AGENT-01 AGENT-02 AGENT-04 AGENT-07 a device boots, is bound by its code, talks and gets an edited prompt', async () => {
  const { data: agent } = await person.call('POST', '/api/v1/agent/list', { agentName: '旅程' })
  const device = new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac: MAC })
  expect(await edit(agent.id, { memId: await memoryModel(), chatHistoryConf: 2 })).toMatchObject({ versionNo: 2 })
  const { activation } = await device.boot()
  expect(activation.code).toMatch(/^\d{6}$/)
  expect(await configuration(device.clientId)).toMatchObject({ code: 10_042, msg: activation.code })

  const bound = await person.call('POST', '/api/v1/agent/device/bind', { agentId: agent.id, code: activation.code })
  expect(bound.code).toBe(200)
  expect(await device.activate()).toBe(200)
  expect((await device.boot()).websocket.token).toMatch(/^[\w-]+\.\d+$/)

  expect(await configuration(device.clientId)).toMatchObject({ code: 0, data: { chat_history_conf: 2 } })
  const turn = { macAddress: MAC, sessionId: 'journey-1', reportTime: Date.now() }
  const audioBase64 = wavOf(7).toString('base64')
  const said = { ...turn, chatType: 1, content: '今天天气怎么样', audioBase64 }
  expect(await voiceServer('agent/chat-history/report', said)).toMatchObject({ code: 0, data: true })
  expect(await voiceServer('agent/chat-history/report', said)).toMatchObject({ code: 0, data: true })
  const answered = { ...turn, reportTime: turn.reportTime + 900, chatType: 2, content: '今天多云', audioBase64: null }
  expect(await voiceServer('agent/chat-history/report', answered)).toMatchObject({ code: 0, data: true })

  const { rows } = await oms.services.database.pool.query(
    `select kind, content, audio_id <> '' as heard from agent_turns where agent_id = $1 order by report_time`,
    [agent.id],
  )
  expect(rows).toEqual([
    { kind: 1, content: '今天天气怎么样', heard: true },
    { kind: 2, content: '今天多云', heard: false },
  ])
  const { data: turns } = await person.call('POST', '/api/v1/agent/voiceprint/turns', { agentId: agent.id })
  expect(turns.list).toMatchObject([{ content: '今天天气怎么样', seconds: 1 }])
  const played = await person.inject({ url: `/api/v1/agent/voiceprint/audio/${turns.list[0].audioId}` })
  expect(played.rawPayload.equals(wavOf(7))).toBe(true)

  expect(await voiceServer('agent/chat-title/journey-1/generate')).toMatchObject({ code: 0, data: null })
  expect(await edit(agent.id, { systemPrompt: '你是船长，说话像水手。' })).toMatchObject({ versionNo: 3 })
  expect((await configuration(device.clientId)).data.prompt).toBe('你是船长，说话像水手。')
})
