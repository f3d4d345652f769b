import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const COUNT = 40
/** Milliseconds by which a statement is delayed, so that the other calls arrive meanwhile. */
const SLOW = 300
const ask = async (macAddress: string, secret: string) => {
  const body = { macAddress, clientId: 'c', selectedModule: {} }
  return (await oms.call('config/agent-models', { body, secret })).json()
}

/** Counts the statements that the process sends through its pool. Delays each statement by `SLOW`. */
async function statementsOf<T>(work: () => Promise<T>) {
  const { pool } = oms.services().database
  const query = pool.query.bind(pool)
  let count = 0
  const slowQuery = async (...given: unknown[]) => {
    count += 1
    await sleep(SLOW)
    return Reflect.apply(query, pool, given)
  }
  Object.assign(pool, { query: slowQuery })
  try {
    return { result: await work(), count }
  } finally {
    Object.assign(pool, { query })
  }
}

/** Creates an agent of a tenant with a language model, a memory model that names it, and a voice. */
async function ownAgent(at: number, tenantId: number) {
  const llm = await oms.model(`LLM_${at}`, 'LLM', { type: 'openai', base_url: `http://llm${at}/v1` }, tenantId)
  await oms.modelSecret(llm, 'api_key', `sk-${at}`)
  const small = await oms.model(`LLM_small${at}`, 'LLM', { type: 'openai', base_url: `http://small${at}/v1` }, tenantId)
  await oms.modelSecret(small, 'api_key', `sk-small${at}`)
  const memory = { type: 'mem_local_short', llm: `LLM_small${at}` }
  const mem = await oms.model(`Memory_${at}`, 'Memory', memory, tenantId)
  const [voice] = await oms.query(
    `insert into agent_voices (tenant_id, model_id, name, code, languages) values ($1, $2, $3, $3, '粤语、普通话') returning id`,
    [tenantId, oms.ids['tts'], `voice${at}`],
  )
  const fields = { agent_name: `智能体${at}`, tenant_id: tenantId, llm_id: llm, mem_id: mem, voice_id: voice.id }
  const agentId = await oms.agent(fields)
  return { llm, device: await oms.bound(agentId, tenantId) }
}

test("AGENT-02 simultaneous calls of many devices share SQL statements, and each call gets its own agent's data", async () => {
  const secret = await oms.secret()
  const devices: Awaited<ReturnType<typeof oms.bound>>[] = []
  for (let at = 0; at < COUNT; at += 1) devices.push((await ownAgent(at, at % 2 === 0 ? 1 : 7)).device)
  const { result, count } = await statementsOf(() => Promise.all(devices.map(({ mac }) => ask(mac, secret))))
  for (const [at, { code, data }] of result.entries()) {
    expect([code, data.prompt]).toEqual([0, `你是智能体${at}`])
    expect(data.LLM).toEqual({
      [`LLM_${at}`]: { type: 'openai', base_url: `http://llm${at}/v1`, api_key: `sk-${at}` },
      [`LLM_small${at}`]: { type: 'openai', base_url: `http://small${at}/v1`, api_key: `sk-small${at}` },
    })
    expect(data.TTS['TTS_T']).toEqual({ type: 'edge', voice: 'x', private_voice: `voice${at}`, language: '粤语' })
  }
  // Each call alone would send three statements.
  expect(count).toBeLessThan(COUNT)
})

test('AGENT-02 a secret that cannot be decrypted fails only the calls whose model uses this secret', async () => {
  const secret = await oms.secret()
  const [broken, sound] = [await ownAgent(100, 1), await ownAgent(101, 1)]
  await oms.query(`update agent_secrets set encrypted = 'v1.AAAA' where owner_kind = 1 and owner_id = $1`, [broken.llm])
  const macs = [broken, sound, broken, sound].map(({ device }) => device.mac)
  const answers = await Promise.all(macs.map((mac) => ask(mac, secret)))
  expect(answers.map(({ code }) => code)).toEqual([500, 0, 500, 0])
})

test('AGENT-02 a call returns an edit that was committed before it, even when it is batched with waiting calls', async () => {
  const secret = await oms.secret()
  const { device } = await ownAgent(200, 1)
  for (let round = 0; round < 20; round += 1) {
    const earlier = [ask(device.mac, secret), ask(device.mac, secret)]
    await oms.query(
      `update agents set system_prompt = $2 where id = (select agent_id from agent_devices where device_id = $1)`,
      [device.id, `第${round}版`],
    )
    expect((await ask(device.mac, secret)).data.prompt).toBe(`第${round}版`)
    await Promise.all(earlier)
  }
})

test('AGENT-17 two groups of simultaneous completions read their devices with two SQL statements', async () => {
  const agentId = await oms.agent()
  const bound: Awaited<ReturnType<typeof oms.bound>>[] = []
  for (let at = 0; at < COUNT; at += 1) bound.push(await oms.bound(agentId))
  const { enabledDevices } = oms.services().voiceServers.reads
  const keys = bound.map(({ id }) => ({ deviceId: id, agentId }))
  const read = () => Promise.all(keys.map((key) => enabledDevices.ofKey(key)))
  const { result, count } = await statementsOf(async () => {
    const first = read()
    await sleep(SLOW / 2)
    return [await first, await read()]
  })
  expect(result.map((devices) => devices.map((device) => device?.mac))).toEqual(
    [0, 1].map(() => bound.map(({ mac }) => mac.replaceAll(':', '').toLowerCase())),
  )
  expect(count).toBe(2)
  expect(await enabledDevices.ofKey({ deviceId: keys[0]!.deviceId, agentId: agentId + 1 })).toBeUndefined()
})
