import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

// The prompt contains the name (`{{assistant_name}}`), so that the name is part of a version.
const app = useApp()
const URL = '/api/v1/agent/list'
let admin: Caller

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const newAgent = async (agentName: string) => (await admin.call('POST', URL, { agentName })).data.id as number
const detail = async (id: number) => (await admin.call('GET', `${URL}/${id}`)).data
const form = async (id: number, over: object) => ({ ...(await detail(id)), note: '', ...over })
const save = async (id: number, over: object) => admin.call('PUT', URL, await form(id, over))
const diff = async (id: number, versionNo: number) =>
  (await admin.call('GET', `${URL}/versions/${id}/diff/${versionNo}`)).data.list
const restore = async (id: number, versionNo: number) =>
  admin.call('POST', `${URL}/versions/${id}/restore/${versionNo}`, { rev: (await detail(id)).rev })

test('AGENT-07 a rename creates a version with a difference, and restoring the earlier version restores the name', async () => {
  const id = await newAgent('小智')
  expect((await save(id, { agentName: '小慧' })).data.versionNo).toBe(2)
  const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
  expect(list[0]).toMatchObject({ versionNo: 2, changed: ['智能体名称'] })
  expect(await diff(id, 1)).toEqual([{ field: 'agentName', title: '智能体名称', from: '小慧', to: '小智' }])
  expect((await restore(id, 1)).data.versionNo).toBe(3)
  expect(await detail(id)).toMatchObject({ agentName: '小智', versionNo: 3 })
})

test('AGENT-07 the history of an agent shows the names of models and the labels of codes', async () => {
  const id = await newAgent('小智')
  const { rows } = await app.db.execute<{ id: number; name: string }>(
    sql`select id, name from agent_models where type = 'VAD' and deleted_at is null limit 1`,
  )
  const before = await detail(id)
  await save(id, { vadId: null, memoryScope: 2, contextFacts: ['warranty'] })
  await save(id, { vadId: rows[0]!.id })
  const logged = await app.db.execute<{ diff: object }>(sql`select diff from oper_logs
    where biz_type = 'agent' and biz_id = ${String(id)} and action like '修改智能体%' order by oper_id`)
  const [first, second] = logged.rows.map(({ diff }) => diff)
  expect(before.vadId).not.toBeNull()
  expect(first).toEqual(
    expect.arrayContaining([
      { field: 'memoryScope', title: '记忆范围', from: '每台设备各自', to: '全部设备共用' },
      { field: 'contextFacts', title: '设备信息作为上下文', from: [], to: ['保修'] },
    ]),
  )
  expect(second).toEqual(expect.arrayContaining([{ field: 'vadId', title: '语音检测', from: null, to: rows[0]!.name }]))
})

test('AGENT-07 a save without one of the fields is refused and clears no stored value', async () => {
  const id = await newAgent('完整')
  const { vllmId, ...rest } = await form(id, {})
  expect(await admin.call('PUT', URL, rest)).toMatchObject({ code: 400, data: { field: 'vllmId' } })
  expect((await detail(id)).vllmId).toBe(vllmId)
  expect((await admin.call('PUT', URL, { ...rest, vllmId: null })).code).toBe(200)
  expect((await detail(id)).vllmId).toBeNull()
})
