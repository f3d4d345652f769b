import { and, eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agents, agentTemplates } from '../schema/agent.ts'
import { agentModels, agentVoices } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { wavOf } from '#test/clients/voiceprint-service.ts'

const app = useApp()
const VOICE = '/api/v1/agent/voice'
const RIGHTS = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'export'].map((action) => `agent:voice:${action}`)
let admin: Caller
let modelId: number

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const [model] = await app.db.select().from(agentModels).where(eq(agentModels.code, 'TTS_EdgeTTS'))
  modelId = model!.id
})

test('AGENT-06 a voice can be created, found, changed, disabled and deleted', async () => {
  const input = { modelId, name: '云希', code: 'zh-own', languages: '普通话; 英语，粤语' }
  const { data } = await admin.call('POST', VOICE, input)
  const voice = (await admin.call('GET', `${VOICE}/${data.id}`)).data
  expect(voice).toMatchObject({ languages: '普通话、英语、粤语', modelName: 'Edge语音合成', useCount: 0, status: 1 })
  expect(await admin.call('POST', VOICE, input)).toEqual({
    code: 400,
    msg: '音色编码已存在',
    data: { field: 'code' },
  })
  expect((await admin.call('PUT', VOICE, { ...voice, name: '云希新' })).data).toEqual({ rev: 1 })
  expect((await admin.call('PUT', VOICE, { ...voice, name: '旧' })).data.conflict.rev).toBe(1)
  expect((await admin.call('POST', `${VOICE}/disable/${data.id}`)).code).toBe(200)
  await app.db.insert(agents).values({ tenantId: 1, agentCode: 'AGT_v', agentName: '前台', voiceId: data.id })
  expect((await admin.call('GET', `${VOICE}/${data.id}`)).data.useCount).toBe(1)
  expect((await admin.call('DELETE', `${VOICE}/${data.id}`)).msg).toBe('还有1个智能体使用该音色，不能删除')
  await app.db.delete(agents)
  expect((await admin.call('DELETE', `${VOICE}/${data.id}`)).code).toBe(200)
})

test.each([
  [{ modelId: 999_999 }, '语音合成模型不存在或已被删除', 'modelId'],
  [{ demoUrl: 'javascript:alert(1)' }, '试听地址应以 http:// 或 https:// 开头', 'demoUrl'],
  [{ name: '' }, '请输入音色名称', 'name'],
])('AGENT-06 a voice with %o is refused: %s', async (over, msg, field) => {
  const input = { modelId, name: '新', code: 'new', ...over }
  expect(await admin.call('POST', VOICE, input)).toEqual({ code: 400, msg, data: { field } })
})

test('AGENT-06 saving a masked credential in an address is refused, so that the stored credential is kept', async () => {
  const { data } = await admin.call('POST', VOICE, { modelId, name: '旧地址', code: 'zh-masked' })
  const [demoUrl, referenceAudio] = ['https://u:p@203.0.113.5/a.mp3', 'https://203.0.113.5/b.wav?key=k-1']
  await app.db.update(agentVoices).set({ demoUrl, referenceAudio }).where(eq(agentVoices.id, data.id))
  const shown = (await admin.call('GET', `${VOICE}/${data.id}`)).data
  expect([shown.demoUrl, shown.referenceAudio]).toEqual([
    'https://******@203.0.113.5/a.mp3',
    'https://203.0.113.5/b.wav?key=******',
  ])
  const stored = async () => (await app.db.select().from(agentVoices).where(eq(agentVoices.id, data.id)))[0]!
  // The cells of the table send the whole row.
  for (const over of [{ name: '新名称' }, { demoUrl: '' }, { demoUrl: 'https://******@203.0.113.6/a.mp3' }]) {
    const answer = await admin.call('PUT', VOICE, { ...shown, ...over })
    expect(answer).toMatchObject({ code: 400, msg: expect.stringContaining('不能包含用户名、密码或密钥参数') })
  }
  expect(await stored()).toMatchObject({ name: '旧地址', demoUrl, referenceAudio })
  expect((await admin.call('PUT', VOICE, { ...shown, demoUrl: '', referenceAudio: '' })).code).toBe(200)
  expect(await stored()).toMatchObject({ demoUrl: '', referenceAudio: '' })
})

test("AGENT-06 a tenant uses the platform's voices, changes only its own voices, and exports both", async () => {
  const tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  const [shipped] = await app.db
    .select()
    .from(agentVoices)
    .where(and(eq(agentVoices.modelId, modelId), eq(agentVoices.tenantId, 1)))
  expect((await tenant.call('GET', `${VOICE}/${shipped!.id}`)).data).toMatchObject({ isEditable: false })
  expect((await tenant.call('DELETE', `${VOICE}/${shipped!.id}`)).msg).toBe('音色不存在或已被删除')
  const own = await tenant.call('POST', VOICE, { modelId, name: '自有', code: 'zh-tenant' })
  expect(own.code).toBe(200)
  const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect((await other.call('GET', `${VOICE}/${own.data.id}`)).code).toBe(400)
  const file = await tenant.inject({ method: 'GET', url: `${VOICE}/export?format=csv` })
  expect(file.body).toContain('zh-tenant')
  expect(file.body).toContain('zh-CN-XiaoxiaoNeural')
})

const BOUNDARY = 'oms-voice'
const part = (disposition: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
async function uploadSample(by: Caller, name: string, content: Buffer | string) {
  const payload = Buffer.concat([
    Buffer.from(`${part('name="purpose"')}agentDemo\r\n${part(`name="file"; filename="${name}"`)}`),
    Buffer.from(content),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  return (await by.inject({ method: 'POST', url: '/api/v1/file/upload', payload, headers })).json()
}
test('AGENT-06 the content of an uploaded sample is checked; tenants that may see the voice can play the sample', async () => {
  expect((await uploadSample(admin, '声音.wav', 'no audio')).msg).toBe('文件内容与扩展名不符，请重新选择!')
  expect((await uploadSample(admin, '声音.ogg', wavOf(1))).code).toBe(400)
  const { url } = (await uploadSample(admin, '声音.wav', wavOf(1))).data
  const input = { modelId, name: '有试听', code: 'zh-sample', demoFile: url }
  const { data } = await admin.call('POST', VOICE, input)
  expect((await admin.call('GET', `${VOICE}/${data.id}`)).data).toMatchObject({
    demoFile: url,
    demoFileName: '声音.wav',
  })
  const heard = async (by: Caller, address: string) => (await by.inject({ url: address })).headers['content-type']
  const tenant = await app.by({ tenant: '戊公司', permissions: RIGHTS })
  const other = await app.by({ tenant: '己公司', permissions: RIGHTS })
  expect(await heard(tenant, url)).toBe('audio/wav')
  expect(await heard(await app.by({ tenant: '戊公司', permissions: [] }), url)).toContain('json')
  const own = (await uploadSample(tenant, '自己.wav', wavOf(2))).data.url
  expect((await other.call('POST', VOICE, { ...input, code: 'zh-stolen', demoFile: own })).data).toEqual({
    field: 'demoFile',
  })
  expect((await tenant.call('POST', VOICE, { ...input, code: 'zh-own-sample', demoFile: own })).code).toBe(200)
  expect(await heard(tenant, own)).toBe('audio/wav')
  expect(await heard(other, own)).toContain('json')
})

test('AGENT-06 the usage of a voice lists the agents and templates that the account may see', async () => {
  const { data } = await admin.call('POST', VOICE, { modelId, name: '常用', code: 'zh-used' })
  const tenant = await app.by({ tenant: '庚公司', permissions: RIGHTS })
  const [row] = await app.db
    .insert(agents)
    .values({ tenantId: 1, agentCode: 'AGT_u', agentName: '前台', voiceId: data.id })
    .returning()
  const [template] = await app.db
    .insert(agentTemplates)
    .values({ tenantId: 1, templateName: '接待', voiceId: data.id })
    .returning()
  expect((await admin.call('GET', `${VOICE}/uses/${data.id}`)).data.list).toMatchObject([
    { kind: 'agent', id: row!.id, name: '前台' },
    { kind: 'template', id: template!.id, name: '接待' },
  ])
  expect((await admin.call('GET', `${VOICE}/${data.id}`)).data.useCount).toBe(2)
  expect((await tenant.call('GET', `${VOICE}/uses/${data.id}`)).data.list).toEqual([])
  expect((await admin.call('DELETE', `${VOICE}/${data.id}`)).msg).toBe('还有1个智能体、1个模板使用该音色，不能删除')
})

test('AGENT-06 a tenant neither finds, chooses, exports nor tests a voice of the platform whose model is not shared', async () => {
  const { data } = await admin.call('POST', VOICE, { modelId, name: '未开放音色', code: 'closed-voice' })
  const tenant = await app.by({
    tenant: '音色客户',
    permissions: [...RIGHTS, 'agent:agent:list', 'agent:template:list', 'agent:voice:test'],
  })
  const found = async (caller: Caller) => {
    const { list } = (await caller.call('GET', `${VOICE}/page?code=closed-voice`)).data
    const { voices } = (await caller.call('GET', `/api/v1/agent/list/voices?modelId=${modelId}`)).data
    const detail = await caller.call('GET', `${VOICE}/${data.id}`)
    return [list.length, voices.some(({ id }: { id: number }) => id === data.id), detail.code]
  }
  const setShared = (shared: number) => app.db.update(agentModels).set({ shared }).where(eq(agentModels.id, modelId))
  expect(await found(tenant)).toEqual([1, true, 200])
  await setShared(0)
  expect(await found(tenant)).toEqual([0, false, 400])
  expect(await tenant.call('POST', `${VOICE}/test/${data.id}`, { text: '你好' })).toMatchObject({
    code: 400,
    msg: '音色不存在或已被删除',
  })
  expect(await found(admin)).toEqual([1, true, 200])
  await setShared(1)
})
