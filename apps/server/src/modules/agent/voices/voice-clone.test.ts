import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { registerCloneTraining } from './voice-clone-training.ts'
import { agents } from '../schema/agent.ts'
import { agentVoiceClones } from '../schema/agent-model.ts'
import { files } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { startCloneVendor, VENDOR_APP, VENDOR_TOKEN } from '#test/clients/voice-clone-vendor.ts'
import { wavOf } from '#test/clients/voiceprint-service.ts'

const app = useApp()
const CLONE = '/api/v1/agent/voice/clone'
const RIGHTS = ['agent:voice:list', 'agent:voice:clone', 'agent:config:list', 'agent:config:add', 'agent:agent:list']
let vendor: Awaited<ReturnType<typeof startCloneVendor>>
let me: Caller
let modelId: number
let made = 0

const BOUNDARY = 'oms-clone'
async function record(by: Caller, content: Buffer, name = '妈妈.wav') {
  const part = (disposition: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
  const payload = Buffer.concat([
    Buffer.from(`${part('name="purpose"')}agentAudio\r\n${part(`name="file"; filename="${name}"`)}`),
    content,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const reply = await by.inject({ method: 'POST', url: '/api/v1/file/upload', payload, headers })
  return reply.json().data?.url as string
}

const newModel = async (by: Caller, token = VENDOR_TOKEN) => {
  made += 1
  const config = { ws_url: vendor.address, appid: VENDOR_APP, access_token: token, resource_id: 'r', speaker: 's' }
  const input = { type: 'TTS', code: `TTS_clone${made}`, name: `克隆${made}`, providerCode: 'huoshan_double_stream' }
  return (await by.call('POST', '/api/v1/agent/config', { ...input, config })).data.id as number
}

async function inputOf(over: object = {}) {
  made += 1
  return {
    modelId,
    name: '妈妈的声音',
    voiceId: `S_mama${made}`,
    recording: 'recording' in over ? '' : await record(me, wavOf(1, 9)),
    consentSpeaker: '王女士',
    consentTime: '2026-01-02 03:04:05',
    ...over,
  }
}
const create = async (over: object = {}) => me.call('POST', CLONE, await inputOf(over))
const read = async (id: number, by = me) => (await by.call('GET', `${CLONE}/${id}`)).data
const train = () => app.services.jobs.drain()

beforeAll(async () => {
  vendor = await startCloneVendor()
  registerCloneTraining(app.services)
  me = await app.as(...RIGHTS)
  modelId = await newModel(me)
})
beforeEach(() => Object.assign(vendor.state, { refusal: '', endsAs: 2, isDown: false, losesAnswer: false }))
afterAll(() => vendor.close())

test('AGENT-10 the vendor trains a clone, and agents with the same model can choose it after the training', async () => {
  const input = await inputOf()
  const { data } = await me.call('POST', CLONE, input)
  expect(await read(data.id)).toMatchObject({
    state: 0,
    seconds: 9,
    consentSpeaker: '王女士',
    consentTime: '2026-01-02 03:04:05',
    recording: input.recording,
  })
  const offered = async () => (await me.call('GET', `/api/v1/agent/list/voices?modelId=${modelId}`)).data.clones
  expect(await offered()).toEqual([])
  await train()
  expect(await read(data.id)).toMatchObject({ state: 2, error: '', voiceId: input.voiceId })
  expect(await offered()).toEqual([{ id: data.id, name: '妈妈的声音' }])
  expect(vendor.voices.get(input.voiceId)?.recordings).toEqual([{ bytes: wavOf(1, 9).length, format: 'wav' }])
  expect((await me.call('POST', CLONE, { ...(await inputOf()), voiceId: input.voiceId })).data).toEqual({
    field: 'voiceId',
  })
})

test('AGENT-10 a training continues without a second upload after a lost response or an outage', async () => {
  vendor.state.losesAnswer = true
  const { data } = await create()
  await train()
  const clone = await read(data.id)
  expect(clone.state).toBe(2)
  expect(vendor.voices.get(clone.voiceId)?.recordings).toHaveLength(1)
  vendor.state.isDown = true
  const down = (await create()).data.id
  await train()
  expect(await read(down)).toMatchObject({ state: 3, error: '厂商返回 503' })
})

test("AGENT-10 a refused training stores the vendor's message without keys, at most 255 characters, and can be retried", async () => {
  vendor.state.refusal = `字错率过高 ${VENDOR_TOKEN} ${VENDOR_APP} ${'长'.repeat(300)}`
  const { data } = await create()
  await train()
  const { error, state } = await read(data.id)
  expect(state).toBe(3)
  expect(error).toMatch(/^字错率过高 \*\*\* \*\*\* 长+$/)
  expect(error).toHaveLength(255)
  vendor.state.refusal = ''
  expect((await me.call('POST', `${CLONE}/retry/${data.id}`)).code).toBe(200)
  expect(await read(data.id)).toMatchObject({ state: 0, error: '' })
  await train()
  expect((await read(data.id)).state).toBe(2)
  expect((await me.call('POST', `${CLONE}/retry/${data.id}`)).msg).toContain('只有训练失败的克隆音色')
  vendor.state.endsAs = 3
  const failed = (await create()).data.id
  await train()
  expect(await read(failed)).toMatchObject({ state: 3, error: expect.stringContaining('训练失败') })
  const wrongKey = (await create({ modelId: await newModel(me, 'another-token') })).data.id
  await train()
  expect(await read(wrongKey)).toMatchObject({ state: 3, error: 'invalid token Bearer;***' })
})

test('AGENT-10 recordings of a wrong length, type or owner, other models, and a missing or future consent are refused', async () => {
  const field = async (over: object) => {
    const { code, msg, data } = await create(over)
    return [code, data?.field, msg]
  }
  expect(await field({ recording: await record(me, wavOf(1, 7)) })).toEqual([
    400,
    'recording',
    '录音应为 8～60 秒，当前为 7.0 秒',
  ])
  expect((await field({ recording: await record(me, wavOf(1, 61)) }))[2]).toContain('当前为 61.0 秒')
  expect(await record(me, Buffer.from('no audio'))).toBeUndefined()
  const silent = await record(me, Buffer.concat([Buffer.from('ID3'), Buffer.alloc(4000)]), '无声.mp3')
  expect((await field({ recording: silent }))[2]).toContain('录音内容无法识别')
  const other = await app.as(...RIGHTS)
  expect((await field({ recording: await record(other, wavOf(1, 9)) }))[1]).toBe('recording')
  expect((await field({ consentSpeaker: '' })).slice(1)).toEqual(['consentSpeaker', '请输入同意人'])
  expect((await field({ consentTime: '' }))[1]).toBe('consentTime')
  expect((await field({ consentTime: '2099-01-01 00:00:00' }))[2]).toBe('同意时间不能晚于现在')
  expect((await field({ voiceId: 'zh_female' }))[1]).toBe('voiceId')
  expect((await field({ modelId: 999_999 }))[1]).toBe('modelId')
  const tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  const stolen = { ...(await inputOf()), recording: await record(tenant, wavOf(1, 9)) }
  expect((await tenant.call('POST', CLONE, stolen)).data).toEqual({ field: 'modelId' })
})

test('AGENT-10 a clone in use cannot be deleted, a deleted clone releases its recording, and tenants see only their clones', async () => {
  const { data } = await create()
  await train()
  const tenant = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect((await tenant.call('GET', `${CLONE}/${data.id}`)).code).toBe(400)
  expect((await tenant.call('GET', `${CLONE}/page`)).data.total).toBe(0)
  const { recording } = await read(data.id)
  expect((await tenant.inject({ url: recording })).headers['content-type']).toContain('json')
  await app.db.insert(agents).values({ tenantId: 1, agentCode: 'AGT_c', agentName: '前台', cloneId: data.id })
  expect((await read(data.id)).useCount).toBe(1)
  expect((await me.call('DELETE', `${CLONE}/${data.id}`)).msg).toBe('还有1个智能体使用该克隆音色，不能删除')
  await app.db.delete(agents)
  expect((await me.call('DELETE', `${CLONE}/${data.id}`)).code).toBe(200)
  const [file] = await app.db
    .select({ usedTime: files.usedTime })
    .from(files)
    .where(eq(files.id, recording.slice(-32)))
  expect(file?.usedTime).toBeNull()
})

test('AGENT-10 renaming a clone requires its revision and keeps its voice, training and consent', async () => {
  const { data } = await create()
  await train()
  const { rev, ...before } = await read(data.id)
  const rename = (by: Caller, name: string) => by.call('PUT', CLONE, { id: data.id, rev, name })
  expect((await rename(me, ' ')).data).toEqual({ field: 'name' })
  const tenant = await app.by({ tenant: '戊公司', permissions: RIGHTS })
  expect((await rename(tenant, '改名')).code).not.toBe(200)
  expect((await rename(me, '前台语音')).code).toBe(200)
  expect((await rename(me, '再改')).code).not.toBe(200)
  const { updateTime: _at, ...after } = await read(data.id)
  expect(after).toEqual({ ...before, name: '前台语音', rev: rev + 1, updateTime: undefined })
})

test('AGENT-10 turning the feature clone off hides clones and refuses new clones', async () => {
  await app.db.insert(agentVoiceClones).values({
    tenantId: 1,
    modelId,
    name: '已有',
    voiceId: 'S_known',
    state: 2,
    consentSpeaker: '王女士',
    consentTime: '2026-01-01 00:00:00',
  })
  const offered = async () => (await me.call('GET', `/api/v1/agent/list/voices?modelId=${modelId}`)).data.clones.length
  expect(await offered()).toBeGreaterThan(0)
  await app.db.execute(sql`insert into agent_params (tenant_id, code, value) values (1, 'features', '{"clone":false}')`)
  app.services.agentParameters.forget()
  expect((await me.call('GET', `${CLONE}/feature`)).data).toEqual({ isEnabled: false })
  expect(await offered()).toBe(0)
  expect((await create()).msg).toBe('克隆功能已停用，请在参数 features 中启用')
})
