import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkExpectedWords } from '@oms/contract/agent/try-out/question.ts'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerDemoModel } from '#demo/demo-model.ts'
import { registerQuestionRuns } from '#modules/agent/try-out/question-run.ts'
import { agents, agentVersions } from '#schema/agent/agent.ts'
import { agentModels } from '#schema/agent/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp({ OMS_DEMO: 'on' })
const URL = '/api/v1/agent/questions'
const JOB = '/api/v1/account/job'
const TENANT = '测试客户'
let tester: Caller
let stranger: Caller
let tenantId: number
let vendor: Server
let listener: RequestListener
let agentId: number
let demoId: number
let vendorId: number

/** Answers with a few words and the tokens of a vendor. */
const answer: RequestListener = (_, response) =>
  response.end(
    'data: {"choices":[{"delta":{"content":"好的"}}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5}}\n\ndata: [DONE]\n\n',
  )

beforeAll(async () => {
  registerQuestionRuns(app.services)
  const permissions = ['agent:agent:test', 'agent:agent:query']
  tester = await app.by({ tenant: TENANT, permissions })
  stranger = await app.by({ tenant: '别的客户', permissions })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${TENANT}`)
  tenantId = rows[0]!.id
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  await registerDemoModel(app.services, (app.app.server.address() as AddressInfo).port)
  const [demo] = await app.db.select().from(agentModels).where(eq(agentModels.code, 'LLM_OmsDemo'))
  demoId = demo!.id
  vendor = createServer((...call) => listener(...call))
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  const values = { tenantId: 1, type: 'LLM', code: 'Q_LLM', name: '模型', providerCode: 'openai', shared: 1 }
  const [model] = await app.db
    .insert(agentModels)
    .values({ ...values, config: { base_url, model_name: 'm' } })
    .returning()
  vendorId = model!.id
  const behaviour = { llmId: demoId, systemPrompt: '你是小明。', wordFileIds: [] }
  const [agent] = await app.db
    .insert(agents)
    .values({ tenantId, agentCode: 'AGT_Q', agentName: '小明', candidateNo: 2, ...behaviour })
    .returning()
  agentId = agent!.id
  await app.db.insert(agentVersions).values([
    { agentId, tenantId, versionNo: 1, source: 1, snapshot: behaviour },
    { agentId, tenantId, versionNo: 2, source: 5, snapshot: { ...behaviour, systemPrompt: '你是小红。' } },
  ])
})
afterAll(() => {
  vendor.closeAllConnections()
  vendor.close()
})

const add = (question: string, over: object = {}) => tester.call('POST', URL, { agentId, question, ...over })
const start = (over: object = {}, by = tester) => by.call('POST', `${URL}/run/${agentId}`, over)
const runOf = async (id: number, by = tester) => (await by.call('GET', `${URL}/run/${id}`)).data
const usedToday = async () => {
  const { rows } = await app.db.execute(
    sql`select calls, tokens_in > 0 as "in", tokens_out > 0 as "out" from agent_try_days where tenant_id = ${tenantId}`,
  )
  return rows[0]
}

test('the check of an answer returns its missing and forbidden words, ignoring case', () => {
  const words = { mustHave: ['小明', 'OK'], mustNotHave: ['抱歉'] }
  expect(checkExpectedWords('我是小明，ok', words)).toEqual({ missing: [], forbidden: [] })
  expect(checkExpectedWords('抱歉', words)).toEqual({ missing: ['小明', 'OK'], forbidden: ['抱歉'] })
})

test('AGENT-08 one of ten simultaneous saves of a question succeeds', async () => {
  const { id } = (await add('同时保存的问题')).data
  const { rev } = (await tester.call('GET', `${URL}/${id}`)).data
  const save = (_: unknown, at: number) =>
    tester.call('PUT', URL, { id, rev, question: `第${at}次保存`, mustHave: [], mustNotHave: [] })
  const codes = (await Promise.all(Array.from({ length: 10 }, save))).map(({ code }) => code)
  expect(codes.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  await tester.call('DELETE', `${URL}/${id}`)
})

test('AGENT-08 an agent has at most 50 test questions, which belong to its tenant', async () => {
  const { data } = await add('你是谁？', { mustHave: ['小明'], mustNotHave: ['抱歉'] })
  const { list } = (await tester.call('GET', `${URL}/of/${agentId}`)).data
  expect(list).toMatchObject([{ id: data.id, question: '你是谁？', mustHave: ['小明'], mustNotHave: ['抱歉'] }])
  const changed = { id: data.id, question: '你是谁？', mustHave: ['小明'], mustNotHave: ['对不起'] }
  expect((await tester.call('PUT', URL, { ...changed, rev: list[0].rev })).code).toBe(200)
  expect((await tester.call('PUT', URL, { ...changed, rev: list[0].rev })).code).not.toBe(200)
  for (const call of [
    stranger.call('GET', `${URL}/of/${agentId}`),
    stranger.call('GET', `${URL}/${data.id}`),
    stranger.call('PUT', URL, { ...changed, rev: list[0].rev + 1 }),
    stranger.call('DELETE', `${URL}/${data.id}`),
    start({}, stranger),
  ])
    expect((await call).code).not.toBe(200)
  await app.db.execute(sql`insert into agent_questions (tenant_id, agent_id, question)
    select ${tenantId}, ${agentId}, '问题' || n from generate_series(2, 50) n`)
  expect(await add('第五十一个')).toMatchObject({ code: 501, msg: '每个智能体最多50个问题' })
  await app.db.execute(sql`delete from agent_questions where question like '问题%'`)
})

test('AGENT-08 a run of the test questions stores the answers of the current version and of the candidate', async () => {
  await add('给我讲个笑话')
  const started = await start()
  expect(started).toMatchObject({ code: 200, data: { jobId: expect.any(Number) } })
  expect(await start()).toMatchObject({ code: 501, msg: '该智能体的问题正在运行，请等待完成或取消' })
  expect((await runOf(started.data.id)).run).toMatchObject({ state: 0, questions: 2, answered: 0, isOwn: true })
  await app.services.jobs.drain()
  const { run, list } = await runOf(started.data.id)
  expect(run).toMatchObject({ state: 2, versionNo: 1, candidateNo: 2, answered: 2, error: '' })
  expect(list[0]).toMatchObject({
    question: '你是谁？',
    mustHave: ['小明'],
    answers: {
      current: { text: expect.stringContaining('我是小明'), error: '', isEstimate: false },
      candidate: { text: expect.stringContaining('我是小红'), error: '' },
    },
  })
  expect(list[0].answers.current.firstMs).toBeLessThanOrEqual(list[0].answers.current.totalMs)
  expect(checkExpectedWords(list[0].answers.candidate.text, list[0]).missing).toEqual(['小明'])
  expect(await usedToday()).toEqual({ calls: 4, in: true, out: true })
  const { list: runs } = (await tester.call('GET', `${URL}/runs/${agentId}`)).data
  expect(runs.map(({ id }: { id: number }) => id)).toEqual([started.data.id])
  expect((await stranger.call('GET', `${URL}/run/${started.data.id}`)).code).not.toBe(200)
  expect((await tester.call('GET', `${JOB}/${started.data.jobId}`)).data).toMatchObject({ state: 'done', rows: 2 })
})

/** Sets the model of the agent and of its versions to the stand-in of a vendor. */
const useVendor = async () => {
  await app.db.execute(sql`update agents set llm_id = ${vendorId} where id = ${agentId}`)
  await app.db.execute(sql`update agent_versions set snapshot = jsonb_set(snapshot, '{llmId}', ${String(vendorId)}::jsonb)
    where agent_id = ${agentId}`)
}

test('AGENT-08 a run uses the agent itself when its version has no stored snapshot', async () => {
  const snapshots = await app.db.delete(agentVersions).where(eq(agentVersions.versionNo, 1)).returning()
  const { data } = await start()
  await app.services.jobs.drain()
  const { run, list } = await runOf(data.id)
  expect(run).toMatchObject({ state: 2, error: '' })
  expect(list[0].answers.current.text).toContain('我是小明')
  await app.db.insert(agentVersions).values(snapshots)
})

test('AGENT-08 a refusal of the model vendor is stored as an answer with an error, and the run continues', async () => {
  await useVendor()
  listener = (_, response) => response.writeHead(401).end('{"error":{"message":"bad key"}}')
  const { data } = await start({ versionNo: 2 })
  await app.services.jobs.drain()
  const { run, list } = await runOf(data.id)
  expect(run).toMatchObject({ state: 2, answered: 2 })
  expect(list[1].answers.candidate).toMatchObject({ text: '', error: '模型服务拒绝了密钥：bad key' })
  expect(await start({ versionNo: 1 })).toMatchObject({ code: 400, data: { field: 'versionNo' } })
  expect((await start({ versionNo: 9 })).code).toBe(400)
})

test('AGENT-08 cancelling a run cancels the request at the vendor and keeps the stored answers', async () => {
  let asked = 0
  let closed = 0
  listener = (request, response) => {
    asked += 1
    if (asked <= 2) return answer(request, response)
    response.on('close', () => (closed += 1))
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: '慢' } }] })}\n\n`)
  }
  const { data } = await start()
  const drained = app.services.jobs.drain()
  await expect.poll(() => asked, { timeout: 30_000 }).toBe(4)
  expect((await tester.call('POST', `${JOB}/cancel/${data.jobId}`)).code).toBe(200)
  await drained
  await expect.poll(() => closed, { timeout: 30_000 }).toBe(2)
  const { run, list } = await runOf(data.id)
  expect(run).toMatchObject({ state: 4, answered: 1 })
  expect(list[1].answers).toBeNull()
  const waiting = await start()
  await tester.call('POST', `${JOB}/cancel/${waiting.data.jobId}`)
  expect((await runOf(waiting.data.id)).run).toMatchObject({ state: 4, answered: 0 })
})

test("AGENT-08 a run ends when the tenant's daily token budget is used up", async () => {
  listener = answer
  const { data } = await start()
  await app.db.execute(sql`update agent_try_days set tokens_in = 500000 where tenant_id = ${tenantId}`)
  await app.services.jobs.drain()
  const { run } = await runOf(data.id)
  expect(run).toMatchObject({ state: 3, answered: 0, error: '今日的试用额度已用完，请明天再试' })
  expect((await start()).msg).toBe('今日的试用额度已用完，请明天再试')
})
