import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { recordUsage } from './usage-record.ts'
import { agents } from '../schema/agent.ts'
import { agentModels } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const ROOT = '/api/v1/agent/usage'
let admin: Caller
let own: Caller
let tenantId: number
let agentId: number
let [platformModel, ownModel] = [0, 0]

const today = async () => {
  const { rows } = await app.db.execute<{ day: string }>(sql`select current_date::text as day`)
  return rows[0]!.day
}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  own = await app.by({ tenant: '用量客户', permissions: ['agent:agent:query', 'agent:agent:export'] })
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${own.uid}`,
  )
  tenantId = rows[0]!.id
  const llm = { type: 'LLM', providerCode: 'openai', config: {} }
  const models = await app.db
    .insert(agentModels)
    .values([
      { ...llm, tenantId: 1, code: 'USE_P', name: '平台模型' },
      { ...llm, tenantId, code: 'USE_O', name: '自有模型' },
    ])
    .returning()
  ;[platformModel, ownModel] = models.map(({ id }) => id) as [number, number]
  const [agent] = await app.db.insert(agents).values({ tenantId, agentCode: 'AGT_USE', agentName: '计量' }).returning()
  agentId = agent!.id
  const of = { tenantId, agentId, deviceId: 0, source: 1, isEstimate: false } as const
  await recordUsage(app.db, [
    { ...of, modelId: platformModel, unit: 2, n: 6, cost: 0 },
    { ...of, modelId: platformModel, unit: 6, n: 1000, cost: 12.5, isEstimate: true },
    { ...of, modelId: platformModel, unit: 8, n: 300, cost: 0 },
    { ...of, modelId: ownModel, unit: 2, n: 4, cost: 0 },
    { ...of, modelId: ownModel, unit: 7, n: 500, cost: 2.25 },
    { ...of, modelId: ownModel, unit: 5, n: 90, cost: 0 },
    { ...of, tenantId: 1, agentId: 0, modelId: platformModel, unit: 2, n: 5, cost: 1, source: 3 },
  ])
})

test('AGENT-15 the usage is listed by day and by group, and estimates are marked', async () => {
  const day = await today()
  const range = `startDate=${day}&endDate=${day}`
  const { data } = await admin.call('GET', `${ROOT}/day?${range}&agentId=${agentId}`)
  const figures = { turns: 10, minutes: 1.5, tokensIn: 1000, tokensOut: 500, cost: 14.75, deviceDays: 0 }
  const marks = { hasEstimatedTokens: true, hasEstimatedMinutes: false }
  expect(data).toMatchObject({ total: { ...figures, ...marks }, days: [{ day, ...figures, ...marks }] })
  const models = await admin.call('GET', `${ROOT}/list?${range}&by=4&agentId=${agentId}&orderByColumn=turns&isAsc=asc`)
  expect(models.data).toMatchObject({
    total: 2,
    list: [
      { name: '自有模型', turns: 4, tokensOut: 500, cost: 2.25, hasEstimatedTokens: false },
      { name: '平台模型', turns: 6, tokensIn: 1000, cost: 12.5, hasEstimatedTokens: true },
    ],
  })
  const tenants = await admin.call('GET', `${ROOT}/list?${range}&by=1`)
  expect(tenants.data.list.map(({ name, turns }: { name: string; turns: number }) => [name, turns])).toEqual([
    ['用量客户', 10],
    [expect.any(String), 5],
  ])
  const sources = await admin.call('GET', `${ROOT}/list?${range}&by=5&orderByColumn=tokens&isAsc=desc`)
  expect(sources.data.list).toMatchObject([
    { id: 1, name: '设备对话', tenantName: '', turns: 10, tokens: 1500, tokensCached: 300 },
    { id: 3, name: '后台任务', turns: 5, tokens: 0 },
  ])
  const background = await admin.call('GET', `${ROOT}/list?${range}&by=4&source=3`)
  expect(background.data).toMatchObject({ total: 1, list: [{ name: '平台模型', turns: 5 }] })
  const empty = await admin.call('GET', `${ROOT}/day?startDate=2020-01-01&endDate=2020-01-03`)
  expect(empty.data.days.map(({ turns }: { turns: number }) => turns)).toEqual([0, 0, 0])
})

test('AGENT-15 a tenant sees its own usage, and only the cost of its own models', async () => {
  const day = await today()
  const range = `startDate=${day}&endDate=${day}`
  const { data } = await own.call('GET', `${ROOT}/day?${range}`)
  expect(data.total).toMatchObject({ turns: 10, cost: 2.25 })
  const { data: tenants } = await own.call('GET', `${ROOT}/list?${range}&by=1`)
  expect(tenants).toMatchObject({ total: 1, list: [{ id: tenantId, turns: 10, cost: 2.25 }] })
  const other = await app.by({ tenant: '另一客户', permissions: ['agent:agent:query'] })
  expect((await other.call('GET', `${ROOT}/day?${range}&tenantId=${tenantId}`)).data.total).toMatchObject({
    turns: 0,
    cost: 0,
  })
  expect((await other.call('GET', `${ROOT}/export?${range}&by=1`)).code).toBe(501)
})

test('AGENT-15 the grouped usage can be exported as a table', async () => {
  const day = await today()
  const reply = await admin.inject({
    method: 'GET',
    url: `${ROOT}/export?startDate=${day}&endDate=${day}&by=2&format=csv`,
  } as never)
  expect(reply.statusCode).toBe(200)
  const [titles = [], ...lines] = reply.body
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  const costOf = (name: string) => lines.find((line) => line[0] === name)?.[titles.indexOf('成本（元）')]
  expect(titles[0]).toContain('智能体')
  expect(titles).toContain('轮数')
  // 14.75 fen, in yuan as on the screen.
  expect(costOf('计量')).toBe('0.1475')
  const byDevice = await admin.inject({
    method: 'GET',
    url: `${ROOT}/export?startDate=${day}&endDate=${day}&by=3&format=csv`,
  } as never)
  expect(byDevice.body).toContain('\r\n非设备或较早的用量,')
})

test('a range of more than a year and an unknown grouping are refused', async () => {
  const wide = await admin.call('GET', `${ROOT}/day?startDate=2020-01-01&endDate=2022-01-01`)
  expect(wide.code).toBe(400)
  expect((await admin.call('GET', `${ROOT}/list?startDate=2020-01-01&endDate=2020-01-02&by=9`)).code).toBe(400)
})
