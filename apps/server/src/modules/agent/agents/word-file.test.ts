import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const AGENTS = '/api/v1/agent/list'
const WORDS = '/api/v1/agent/words'
let admin: Caller

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const createAgent = async () => (await admin.call('POST', AGENTS, { agentName: '小智', tenantId: 1 })).data.id as number
const detail = async (id: number) => (await admin.call('GET', `${AGENTS}/${id}`)).data

test('a new correction-word file for a chosen agent is added to the agent in a new version', async () => {
  const agentId = await createAgent()
  const made = await admin.call('POST', WORDS, { name: '纠错', words: '晓智|小智', tenantId: 1, agentId })
  expect(made.code).toBe(200)
  expect(await detail(agentId)).toMatchObject({ wordFileIds: [made.data.id], versionNo: 2 })
  const { list: versions } = (await admin.call('GET', `${AGENTS}/versions/${agentId}`)).data
  expect(versions[0]).toMatchObject({ versionNo: 2, changed: ['替换词'] })
  const { list } = (await admin.call('GET', `${WORDS}/page`)).data
  expect(list).toContainEqual(expect.objectContaining({ id: made.data.id, usedBy: 1 }))
})

test('a new correction-word file without a chosen agent changes no agent', async () => {
  const agentId = await createAgent()
  const made = await admin.call('POST', WORDS, { name: '备用', words: 'a|b', tenantId: 1 })
  expect(made.code).toBe(200)
  expect(await detail(agentId)).toMatchObject({ wordFileIds: [], versionNo: 1 })
})

test('a new correction-word file is refused for an agent with 10 files and for an agent outside the data scope', async () => {
  const agentId = await createAgent()
  await app.db.execute(
    sql`update agents set word_file_ids = array(select generate_series(1, 10)) where id = ${agentId}`,
  )
  const body = { name: '第十一个', words: 'a|b', agentId }
  expect(await admin.call('POST', WORDS, { ...body, tenantId: 1 })).toMatchObject({
    code: 400,
    msg: '智能体已使用10个替换词文件，不能再增加',
  })
  const other = await app.by({ tenant: '甲方', permissions: ['agent:agent:edit'] })
  expect((await other.call('POST', WORDS, body)).msg).toContain('智能体')
  expect((await admin.call('GET', `${WORDS}/page?name=${encodeURIComponent('第十一个')}`)).data.total).toBe(0)
})
