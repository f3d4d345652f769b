import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answering, DONE, openVendor, piece, usageEvent } from '#test/clients/llm-vendor.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { createRelayKey } from './relay-target.ts'

const oms = voiceLab()
let vendor: Awaited<ReturnType<typeof openVendor>>
let other: Awaited<ReturnType<typeof openVendor>>
let models: { main: number; fallback: number }
let agentId: number
let device: { id: number; mac: string }

beforeAll(async () => {
  vendor = await openVendor()
  other = await openVendor()
  const main = await oms.model('LLM_Counted', 'LLM', { type: 'openai', base_url: vendor.base, model_name: 'm' })
  const fallback = await oms.model('LLM_Second', 'LLM', { type: 'openai', base_url: other.base, model_name: 'm' })
  models = { main, fallback }
  await oms.query(
    'update agent_models set relay = 1, fallback_model_id = $2, price_in = 2000000, price_out = 8000000 where id = $1',
    [main, fallback],
  )
  agentId = await oms.agent({ llm_id: main })
  device = await oms.bound(agentId)
})
afterAll(async () => {
  await vendor.close()
  await other.close()
})
beforeEach(async () => {
  await oms.query('delete from agent_usage')
})

const QUESTION = { messages: [{ role: 'user', content: '你好吗' }], stream: true }

async function ask(body: object = QUESTION, signal?: AbortSignal) {
  const grant = { deviceId: device.id, agentId, versionNo: 1, modelId: models.main }
  const key = createRelayKey(oms.services().config.secretKey, grant, Date.now())
  return fetch(`${oms.origin()}/xiaozhi/llm/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
/** Returns the counted units of the device: 6 tokens in, 7 tokens out, 8 cached. */
const counted = () =>
  oms.query(
    `select unit, model_id as "modelId", sum(n)::float8 as n, sum(cost)::float8 as cost, max(is_estimate) as "isEstimate"
     from agent_usage where tenant_id = 1 and agent_id = $1 and device_id = $2 and source = 1 group by 1, 2 order by 2, 1`,
    [agentId, device.id],
  )

test('AGENT-17 the relay counts the reported tokens with their cost for the device, its agent and the model', async () => {
  vendor.behave(answering(['好'], usageEvent(120, 30, 100)))
  for (let turn = 0; turn < 3; turn += 1) await (await ask()).text()
  const modelId = models.main
  await expect.poll(counted).toEqual([
    { unit: 6, modelId, n: 360, cost: 720, isEstimate: 0 },
    { unit: 7, modelId, n: 90, cost: 720, isEstimate: 0 },
    { unit: 8, modelId, n: 300, cost: 0, isEstimate: 0 },
  ])
})

test('AGENT-17 the relay counts the last of several cumulative usage reports and removes all of them from the stream', async () => {
  const growing = (output: number) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content: '字' } }], usage: { prompt_tokens: 7, completion_tokens: output } })}\n\n`
  vendor.behave((response) => void response.end(growing(1) + growing(2) + growing(3) + DONE))
  const text = await (await ask()).text()
  expect(text).not.toContain('usage')
  await expect
    .poll(async () => (await counted()).map(({ unit, n }) => [unit, n]))
    .toEqual([
      [6, 7],
      [7, 3],
    ])
})

test('AGENT-17 the relay stores estimated token counts, marked as estimates, when the vendor reports no usage', async () => {
  vendor.behave((response) => void response.end(piece('一二三四') + DONE))
  await (await ask()).text()
  const modelId = models.main
  await expect.poll(counted).toMatchObject([
    { unit: 6, modelId, n: 3, isEstimate: 1 },
    { unit: 7, modelId, n: 4, isEstimate: 1 },
  ])
})

test('AGENT-17 the relay estimates the tokens of a completion that the client or the vendor interrupts', async () => {
  vendor.behave((response) => {
    response.writeHead(200).write(piece('五个字的话'))
    setTimeout(() => response.destroy(), 50)
  })
  await (await ask()).text()
  await expect.poll(counted).toMatchObject([{ unit: 6 }, { unit: 7, n: 5, isEstimate: 1 }])

  vendor.behave((response) => void response.writeHead(200).write(piece('两字')))
  const leave = new AbortController()
  await (await ask(QUESTION, leave.signal)).body!.getReader().read()
  leave.abort()
  await expect.poll(counted).toMatchObject([
    { unit: 6, n: 6 },
    { unit: 7, n: 7, isEstimate: 1 },
  ])
})

test('AGENT-17 tokens of a fallback are counted for the fallback model; a vendor that sent nothing counts none', async () => {
  vendor.behave((response) => void response.writeHead(503).end())
  other.behave(answering(['好'], usageEvent(4, 2)))
  await (await ask()).text()
  const modelId = models.fallback
  await expect.poll(counted).toMatchObject([
    { unit: 6, modelId, n: 4, cost: 0 },
    { unit: 7, modelId, n: 2 },
  ])
})
