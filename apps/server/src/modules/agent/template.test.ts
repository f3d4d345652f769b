import { and, asc, eq, inArray, isNull, ne } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agents, agentTemplates } from './schema/agent.ts'
import { agentModels, agentVoices } from './schema/agent-model.ts'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const TEMPLATE = '/api/v1/agent/template'
const RIGHTS = ['list', 'query', 'add', 'edit', 'remove', 'enable'].map((action) => `agent:template:${action}`)
let admin: Caller
let llmId: number

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const [model] = await app.db.select().from(agentModels).where(eq(agentModels.code, 'LLM_ChatGLMLLM'))
  llmId = model!.id
})

const shipped = () =>
  app.db
    .select()
    .from(agentTemplates)
    .where(and(eq(agentTemplates.tenantId, 1), isNull(agentTemplates.deletedAt)))
    .orderBy(asc(agentTemplates.sort))

test('AGENT-06 the shipped templates are listed in sort order, and the default template has a preview', async () => {
  const { data } = await admin.call('GET', `${TEMPLATE}/page`)
  expect(data.list.map(({ templateName }: { templateName: string }) => templateName)).toEqual([
    '湾湾小何',
    '星际游子',
    '英语老师',
    '好奇男孩',
    '汪汪队长',
  ])
  expect(data.list[0]).toMatchObject({ ttsName: 'Edge语音合成', status: 1, useCount: 0, isEditable: true })
  const preview = (await admin.call('GET', `${TEMPLATE}/${data.list[0].id}/preview?agentName=小蓝`)).data
  expect(preview.prompt).toContain('你是小蓝，')
  expect(preview).toMatchObject({ isDefault: true, voiceName: data.list[0].voiceName })
  expect(preview.models.map(({ field }: { field: string }) => field)).toContain('vadId')
  expect(preview.plugins).toHaveLength(3)
})

test('AGENT-06 a template is created, edited, used and deleted, and each change is logged', async () => {
  const made = await admin.call('POST', TEMPLATE, { templateName: '讲解员', llmId, sort: 50, plugins: [] })
  const template = (await admin.call('GET', `${TEMPLATE}/${made.data.id}`)).data
  expect(template).toMatchObject({ templateName: '讲解员', llmId, chatHistoryConf: 2, rev: 0 })
  const edited = { ...template, systemPrompt: '你是{{assistant_name}}，讲解展品' }
  const { ttsId: _tts, ...partial } = edited
  expect(await admin.call('PUT', TEMPLATE, partial)).toMatchObject({ code: 400, data: { field: 'ttsId' } })
  expect((await admin.call('PUT', TEMPLATE, edited)).data).toEqual({ rev: 1 })
  expect((await admin.call('PUT', TEMPLATE, { ...edited, sort: 1 })).data.conflict.rev).toBe(1)
  const agent = { agentName: '展厅', templateId: made.data.id }
  const { data } = await admin.call('POST', '/api/v1/agent/list', agent)
  expect((await admin.call('GET', `/api/v1/agent/list/${data.id}`)).data).toMatchObject({
    systemPrompt: '你是{{assistant_name}}，讲解展品',
    llmId,
  })
  expect((await admin.call('GET', `${TEMPLATE}/${made.data.id}`)).data.useCount).toBe(1)
  expect((await admin.call('POST', `${TEMPLATE}/disable/${made.data.id}`)).code).toBe(200)
  expect((await admin.call('POST', '/api/v1/agent/list', agent)).msg).toBe('模板不存在或已被停用')
  expect((await admin.call('DELETE', `${TEMPLATE}/${made.data.id}`)).code).toBe(200)
  const log = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizType, 'agentTemplate'))
    .orderBy(asc(operLogs.operTime))
  expect(log.map(({ action }) => action)).toEqual([
    '新增模板「讲解员」',
    '修改模板「讲解员」',
    '停用模板「讲解员」',
    '删除模板「讲解员」',
  ])
})

test('AGENT-06 a new agent has the plugins of its template; the choices list models of the template that the tenant may not use', async () => {
  const { data } = await admin.call('POST', TEMPLATE, { templateName: '内部', llmId, sort: 60, plugins: [] })
  const tenant = await app.by({
    tenant: '模板客户',
    permissions: ['agent:agent:list', 'agent:agent:add', 'agent:agent:query'],
  })
  const replaced = async () => {
    const { templates } = (await tenant.call('GET', '/api/v1/agent/list/choices')).data
    return templates.find(({ name }: { name: string }) => name === '内部').replaced
  }
  expect(await replaced()).toEqual([])
  const setShared = (shared: number) => app.db.update(agentModels).set({ shared }).where(eq(agentModels.id, llmId))
  await setShared(0)
  expect(await replaced()).toEqual(['大语言模型'])
  const made = await tenant.call('POST', '/api/v1/agent/list', { agentName: '无插件', templateId: data.id })
  await setShared(1)
  const agent = (await tenant.call('GET', `/api/v1/agent/list/${made.data.id}`)).data
  expect(agent.plugins).toEqual([])
  expect(agent.llmId).not.toBe(llmId)
  // The template names no speech synthesis, so the agent gets the default.
  expect(agent.ttsId).not.toBeNull()
})

test('AGENT-06 the history of a template names models and voices, also when two models have the same name', async () => {
  const { data } = await admin.call('POST', TEMPLATE, { templateName: '有名字', llmId })
  const [model] = await app.db.select().from(agentModels).where(eq(agentModels.id, llmId))
  const [twin] = await app.db
    .insert(agentModels)
    .values({ ...model!, id: undefined, code: 'LLM_twin', isDefault: 0 })
    .returning()
  const stored = (await admin.call('GET', `${TEMPLATE}/${data.id}`)).data
  const { rev } = stored
  const saved = await admin.call('PUT', TEMPLATE, { ...stored, llmId: twin!.id })
  expect(saved.data.rev).toBe(rev + 1)
  const logged = await app.db
    .select({ diff: operLogs.diff })
    .from(operLogs)
    .where(and(eq(operLogs.bizType, 'agentTemplate'), eq(operLogs.bizId, String(data.id))))
    .orderBy(asc(operLogs.operId))
  expect(logged.map(({ diff }) => diff.find(({ field }) => field === 'llmId'))).toEqual([
    { field: 'llmId', title: '大语言模型', from: null, to: model!.name },
    { field: 'llmId', title: '大语言模型', from: model!.name, to: model!.name },
  ])
  await admin.call('DELETE', `${TEMPLATE}/${data.id}`)
  await app.db.delete(agentModels).where(eq(agentModels.id, twin!.id))
})

test('AGENT-06 the preview shows no name for deleted models and models that are not shared, and marks only the latter as closed', async () => {
  const [tts] = await app.db.select().from(agentModels).where(eq(agentModels.code, 'TTS_EdgeTTS'))
  const [voice] = await app.db
    .insert(agentVoices)
    .values({ tenantId: 1, modelId: tts!.id, name: '内部音色', code: 'inner' })
    .returning()
  const fields = { templateName: '未开放', llmId, ttsId: tts!.id, voiceId: voice!.id, sort: 70, plugins: [] }
  const { data } = await admin.call('POST', TEMPLATE, fields)
  const tenant = await app.by({ tenant: '预览客户', permissions: RIGHTS })
  const preview = async (caller: Caller) => {
    const shown = (await caller.call('GET', `${TEMPLATE}/${data.id}/preview`)).data
    const names = shown.models.map((model: { name: string; isClosed: boolean }) => [model.name, model.isClosed])
    return [...names, [shown.voiceName, shown.isVoiceClosed]]
  }
  const open = [
    ['智谱AI', false],
    ['Edge语音合成', false],
    ['内部音色', false],
  ]
  expect(await preview(tenant)).toEqual(open)
  const set = (fields2: Partial<typeof agentModels.$inferInsert>) =>
    app.db
      .update(agentModels)
      .set(fields2)
      .where(inArray(agentModels.id, [llmId, tts!.id]))
  await set({ shared: 0 })
  const closed = ['', true]
  expect(await preview(tenant)).toEqual([closed, closed, closed])
  expect(await preview(admin)).toEqual(open)
  await set({ shared: 1, deletedAt: app.services.now().toISOString() })
  expect((await preview(tenant)).slice(0, 2)).toEqual([
    ['', false],
    ['', false],
  ])
  await set({ deletedAt: null })
})

test('AGENT-06 a template made from an agent omits its secrets, context sources and correction-word files', async () => {
  const [agent] = await app.db
    .insert(agents)
    .values({
      tenantId: 1,
      agentCode: 'AGT_t',
      agentName: '前台',
      llmId,
      systemPrompt: '你是前台',
      plugins: [{ providerCode: 'play_music', params: {} }],
      contextProviders: [{ url: 'https://a.example/', headers: { token: '' } }],
    })
    .returning()
  const { data } = await admin.call('POST', `${TEMPLATE}/make`, { agentId: agent!.id, templateName: '前台模板' })
  const [stored] = await app.db.select().from(agentTemplates).where(eq(agentTemplates.id, data.id))
  expect(stored).toMatchObject({ systemPrompt: '你是前台', llmId, contextProviders: [], tenantId: 1 })
  expect(stored!.plugins).toEqual([{ providerCode: 'play_music', params: {} }])
  const staff = await app.by({ tenant: '丙公司', permissions: RIGHTS })
  const refused = await staff.call('POST', `${TEMPLATE}/make`, { agentId: agent!.id, templateName: '偷' })
  expect(refused.code).toBe(501)
})

test.each([
  [{ llmId: 999_999 }, '大语言模型不存在或已被删除', 'llmId'],
  [{ templateName: '' }, '请输入模板名称', 'templateName'],
  [
    { plugins: [{ providerCode: 'get_weather', params: { api_key: 'k' } }] },
    '模板不保存密钥，请在智能体中填写插件的密钥',
    'plugins',
  ],
])('AGENT-06 a template with %o is refused: %s', async (over, msg, field) => {
  expect(await admin.call('POST', TEMPLATE, { templateName: '新', ...over })).toEqual({
    code: 400,
    msg,
    data: { field },
  })
})

test('AGENT-06 a tenant uses the templates of the platform and changes only its own', async () => {
  const tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  const [first] = await shipped()
  expect((await tenant.call('GET', `${TEMPLATE}/${first!.id}`)).data).toMatchObject({ isEditable: false })
  expect((await tenant.call('DELETE', `${TEMPLATE}/${first!.id}`)).msg).toBe('模板不存在或已被删除')
  const own = await tenant.call('POST', TEMPLATE, { templateName: '自有', sort: 99 })
  expect(own.code).toBe(200)
  const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect((await other.call('GET', `${TEMPLATE}/${own.data.id}`)).code).toBe(400)
  expect((await tenant.call('DELETE', `${TEMPLATE}/${own.data.id}`)).code).toBe(200)
})

test('AGENT-06 the last enabled template of the platform cannot be deleted or disabled', async () => {
  const [first] = await shipped()
  for (const { id } of (await shipped()).slice(1)) await admin.call('POST', `${TEMPLATE}/disable/${id}`)
  const msg = '至少保留一个启用的模板，不能删除或停用'
  expect((await admin.call('DELETE', `${TEMPLATE}/${first!.id}`)).msg).toBe(msg)
  expect((await admin.call('POST', `${TEMPLATE}/disable/${first!.id}`)).msg).toBe(msg)
  const stored = (await admin.call('GET', `${TEMPLATE}/${first!.id}`)).data
  expect((await admin.call('PUT', TEMPLATE, { ...stored, status: 0 })).msg).toBe(msg)
  await app.db.update(agentTemplates).set({ status: 1 }).where(ne(agentTemplates.id, first!.id))
  expect((await admin.call('DELETE', `${TEMPLATE}/${first!.id}`)).code).toBe(200)
})
