import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'
import { awaitCompletions } from '#modules/agent/wire/xiaozhi/relay-usage.ts'
import { answering, openVendor, usageEvent } from '#test/clients/llm-vendor.ts'
import { listenForDevices } from '#test/device-port.ts'
import { chunksOf, wordsOf } from '#test/fixtures/relay-fixture.ts'
import type { ApiResponse } from '#test/harness.ts'

const NOTICE = '套餐用完啦，请续费。'
const PRICE = 1000
const lab = useOrders()
const { app, people, confirm, fold, grantsOf, newDevice, newPackage, place } = lab
let port: Awaited<ReturnType<typeof listenForDevices>>
let vendor: Awaited<ReturnType<typeof openVendor>>

beforeAll(async () => {
  port = await listenForDevices(app.services)
  vendor = await openVendor()
  await app.db.execute(
    sql`update agent_models set config = config || '{"base_url":"http://127.0.0.1:9/v1"}' where code = 'LLM_ChatGLMLLM'`,
  )
  await setParam('usage.limit', '2')
  await setParam('usage.notice', NOTICE)
})
afterAll(async () => {
  await vendor?.close()
  await port?.close()
})
afterEach(() => lab.assertSound())

async function setParam(code: string, value: string) {
  const answer = await people.seller.call('PUT', '/api/v1/agent/params', { code, value, rev: 0 })
  expect(answer.code, answer.msg).toBe(200)
}

/** Calls as an unmodified voice server does. */
async function voiceServer(path: string, body: object) {
  await app.services.agentParameters.of(1)
  const { encrypted } = await lab.one<{ encrypted: string }>(
    sql`select encrypted from agent_secrets where owner_kind = 3 and owner_id = 1 and field = 'server.secret'`,
  )
  const reply = await fetch(`${port.url}/xiaozhi/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${decrypt(app.services.config.secretKey, encrypted)}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify(body),
  })
  expect(reply.status).toBe(200)
  return (await reply.json()) as ApiResponse
}
const configuration = async (macAddress: string) =>
  (await voiceServer('config/agent-models', { macAddress, clientId: 'sales', selectedModule: {} })).data

/** Creates an agent from the shipped template, which stores no conversations, and a device that is bound to it. */
async function newTalker(agentName: string) {
  const { data, msg } = await people.seller.call('POST', '/api/v1/agent/list', { agentName, tenantId: people.tenantId })
  expect(msg).toBeDefined()
  const device = await newDevice(data.id as number)
  return { agentId: data.id as number, device, mac: device.mac.match(/../g)!.join(':') }
}

/** Sells a package to a device: one person orders, another one confirms the payment. */
async function sell(deviceId: number, allowance: { unit: number; amount: number }) {
  const pack = await newPackage({ price: PRICE, allowances: [allowance] })
  const { id } = await place({ packageId: pack.id, deviceIds: [deviceId] })
  expect((await confirm(id, {}, people.seller)).code).not.toBe(200)
  expect((await confirm(id)).code).toBe(200)
  return { id, packageId: pack.id }
}

/** Compares income and cost of 用量 with the payment of the order and with the measured use of its device. */
async function expectBooks(packageId: number, deviceId: number) {
  const { day } = await lab.one<{ day: string }>(sql`select current_date::text as day`)
  const { data } = await people.seller.call('GET', `${ORDER_URL}/income/page?startDate=${day}&endDate=${day}&by=2`)
  const row = data.list.find((each: { id: number }) => each.id === packageId)
  const { cost } = await lab.one<{ cost: number }>(
    sql`select sum(cost)::float8 as cost from agent_usage where device_id = ${deviceId}`,
  )
  expect(row.income).toBe(PRICE)
  expect(row.cost).toBeCloseTo(cost, 6)
  expect(cost).toBeGreaterThan(0)
}

test('AGENT-13 AGENT-14 AGENT-15 AGENT-16 sold turns are charged until used up, then the device gets only the notice', async () => {
  const { device, mac, agentId } = await newTalker('轮数旅程')
  await app.db.execute(sql`update agent_models m set price_in = 100000, price_out = 200000 from agents a
    where a.id = ${agentId} and m.id = a.llm_id`)
  expect((await configuration(mac)).prompt).toContain(NOTICE)
  const order = await sell(device.id, { unit: 2, amount: 2 })
  const { prompt, chat_history_conf: reports } = await configuration(mac)
  expect([prompt.includes(NOTICE), reports]).toEqual([false, 1])
  for (const [at, content] of ['你好', '你好呀', '讲个故事', '从前有座山', '继续', '山里有座庙'].entries()) {
    const turn = { macAddress: mac, sessionId: 'sales', chatType: 1 + (at % 2), content, audioBase64: null }
    const reported = await voiceServer('agent/chat-history/report', { ...turn, reportTime: Date.now() + at })
    expect(reported).toMatchObject({ code: 0, data: true })
    if (at === 1) {
      await fold()
      expect(await grantsOf(`orderId=${order.id}`)).toMatchObject([{ state: 1, spent: 1, left: 1 }])
      expect((await configuration(mac)).prompt).not.toContain(NOTICE)
      await expectBooks(order.packageId, device.id)
    }
  }
  await fold()
  // The turn beyond the pack is measured, but not spent from a grant.
  expect(await grantsOf(`orderId=${order.id}`)).toMatchObject([{ state: 2, spent: 2, left: 0 }])
  const stopped = await configuration(mac)
  expect(stopped.prompt).toContain(NOTICE)
  expect(stopped.device_max_output_size).toBe(String(NOTICE.length + '你好呀从前有座山山里有座庙'.length))
  await expectBooks(order.packageId, device.id)
  const { words } = await lab.one<{ words: number }>(
    sql`select count(*)::int as words from agent_turns where device_id = ${device.id} and (content <> '' or audio_id <> '')`,
  )
  expect(words).toBe(0)
})

test('AGENT-14 AGENT-15 AGENT-17 sold tokens are charged by the relay until used up, then it streams the notice', async () => {
  const { device, mac, agentId } = await newTalker('Token旅程')
  const config = JSON.stringify({ base_url: vendor.base, model_name: 'true-model' })
  const { id: model } = await lab.one<{ id: number }>(sql`
    insert into agent_models (tenant_id, shared, type, code, name, provider_code, config, relay, price_in, price_out)
    values (1, 1, 'LLM', 'LLM_Sales', 'LLM_Sales', 'openai', ${config}, 1, 1000000, 2000000) returning id`)
  await app.db.execute(sql`insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four)
    values (1, ${model}, 'api_key', 1, ${encrypt(app.services.config.secretKey, 'sk-sales-key')}, '')`)
  await app.db.execute(sql`update agents set llm_id = ${model} where id = ${agentId}`)
  const order = await sell(device.id, { unit: 5, amount: 40 })
  vendor.behave(answering(['好', '的'], usageEvent(10, 5)))
  const { base_url, api_key, model_name } = (await configuration(mac)).LLM.LLM_Sales
  const ask = async () => {
    const reply = await fetch(`${base_url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: model_name, messages: [{ role: 'user', content: '在吗' }], stream: true }),
    })
    const text = await reply.text()
    await awaitCompletions()
    expect(chunksOf(text).isDone).toBe(true)
    return wordsOf(text)
  }
  for (let n = 0; n < 3; n += 1) expect(await ask()).toBe('好的')
  await fold()
  expect(await grantsOf(`orderId=${order.id}`)).toMatchObject([{ state: 2, spent: 40, left: 0 }])
  expect(await ask()).toBe(NOTICE)
  expect(vendor.calls).toHaveLength(3)
  await expectBooks(order.packageId, device.id)
  const { tokens } = await lab.one<{ tokens: number }>(
    sql`select sum(n)::int as tokens from agent_usage where device_id = ${device.id} and unit in (6, 7)`,
  )
  expect(tokens).toBe(45)
})
