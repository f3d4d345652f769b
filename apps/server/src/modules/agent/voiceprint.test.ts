import { randomBytes } from 'node:crypto'
import { encrypt } from '#core/crypto/keys.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteOldHistory } from './history/history-retention.ts'
import { registerVoiceprintRemoval } from './voiceprint-service.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { startVoiceprintService, wavOf } from '#test/clients/voiceprint-service.ts'

const app = useApp()
const ROOT = '/api/v1/agent/voiceprint'
const ALL = ['list', 'query', 'add', 'edit', 'remove', 'test'].map((right) => `agent:voiceprint:${right}`)
let service: Awaited<ReturnType<typeof startVoiceprintService>>
let me: Caller
let made = 0

const one = async <T extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
  (await app.db.execute<T>(query)).rows[0]!

async function setService(address: string, tenantId = 1) {
  const sealed = encrypt(app.services.config.secretKey, address)
  await app.db.execute(sql`insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted)
    values (3, ${tenantId}, 'server.voice_print', ${tenantId}, ${sealed})
    on conflict (owner_kind, owner_id, field) do update set encrypted = excluded.encrypted`)
  app.services.agentParameters.forget()
}

async function newAgent(tenantId = 1) {
  made += 1
  const row = await one<{ id: number }>(sql`insert into agents (tenant_id, agent_code, agent_name)
    values (${tenantId}, ${`AGT_V${made}`}, ${`智能体${made}`}) returning id`)
  return row.id
}

/** Stores a user turn with audio. Returns the id of the audio. */
async function say(agentId: number, voice: number, { kind = 1, tenantId = 1, speaker = '' } = {}) {
  const stored = await putBytes(app.services.files, wavOf(voice))
  const audioId = randomBytes(16).toString('hex')
  await app.db.execute(sql`insert into files (id, tenant_id, purpose, name, mime, size, md5, sha1, sha256, used_time)
    values (${audioId}, ${tenantId}, 'agentTurn', 'turn.wav', 'audio/wav', ${stored.size}, ${stored.md5},
      ${stored.sha1}, ${stored.sha256}, now())`)
  await app.db.execute(sql`insert into agent_turns
      (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, audio_id, seconds, speaker)
    values (now(), ${tenantId}, 1, 1, ${agentId}, ${kind}, '你好', ${audioId}, ${audioId}, 1, ${speaker})`)
  return audioId
}
const enrol = (agentId: number, name: string, audioId: string) =>
  me.call('POST', ROOT, { agentId, name, introduction: '', audioId })
const recording = (name: string, content: Buffer, agentId: number) => {
  const boundary = 'oms-test'
  const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
  const payload = Buffer.concat([
    Buffer.from(`${part('name="agentId"')}${agentId}\r\n${part(`name="file"; filename="${name}"`)}`),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return me.inject({ method: 'POST', url: `${ROOT}/test/file`, payload, headers }).then((reply) => reply.json())
}

beforeAll(async () => {
  service = await startVoiceprintService()
  me = await app.as(...ALL)
  await setService(service.address())
})
afterAll(() => service.close())

describe('AGENT-10 enrolment', () => {
  test('a speaker is enrolled from a user turn, and the list counts the recognitions of the last 30 days', async () => {
    const agentId = await newAgent()
    const audioId = await say(agentId, 10)
    await say(agentId, 10, { speaker: '妈妈' })
    const { code, data } = await enrol(agentId, '妈妈', audioId)
    expect(code).toBe(200)
    expect(service.voices.get(String(data.id))).toBe(10)
    const { data: page } = await me.call('GET', `${ROOT}/page?agentId=${agentId}`)
    expect(page).toMatchObject({ total: 1, list: [{ id: data.id, name: '妈妈', hits: 1, audioId }] })
    const played = await me.inject({ url: `${ROOT}/audio/${audioId}` })
    expect(played.rawPayload.equals(wavOf(10))).toBe(true)
  })

  test('a recording with a similarity above 0.5 to an enrolled speaker is refused with the name of the speaker', async () => {
    const agentId = await newAgent()
    await enrol(agentId, '爸爸', await say(agentId, 20))
    const near = await enrol(agentId, '爷爷', await say(agentId, 30))
    expect(near).toMatchObject({ code: 400, msg: '这段语音与已登记的「爸爸」是同一个人（相似度 0.80）' })
    const half = await enrol(agentId, '奶奶', await say(agentId, 45))
    expect(half.code).toBe(200)
    const elsewhere = await newAgent()
    expect((await enrol(elsewhere, '爸爸', await say(elsewhere, 20))).code).toBe(200)
  })

  test('a duplicate name, audio of another agent and audio that the agent spoke are refused', async () => {
    const [agentId, other] = [await newAgent(), await newAgent()]
    await enrol(agentId, '小红', await say(agentId, 5))
    const count = service.voices.size
    expect(await enrol(agentId, '小红', await say(agentId, 90))).toMatchObject({ code: 400, data: { field: 'name' } })
    const wrong = { code: 400, data: { field: 'audioId' } }
    expect(await enrol(agentId, '小明', await say(other, 60))).toMatchObject(wrong)
    expect(await enrol(agentId, '小明', await say(agentId, 60, { kind: 2 }))).toMatchObject(wrong)
    expect(service.voices.size).toBe(count)
  })

  test('a voiceprint can get a new recording and name, and deleting it also deletes it in the voiceprint service', async () => {
    const agentId = await newAgent()
    const { data } = await enrol(agentId, '阿姨', await say(agentId, 15))
    const row = { id: data.id, name: '李阿姨', introduction: '邻居' }
    const changed = await me.call('PUT', ROOT, { ...row, rev: 0, audioId: await say(agentId, 80) })
    expect(changed).toMatchObject({ code: 200, data: { rev: 1 } })
    expect(service.voices.get(String(data.id))).toBe(80)
    expect(await me.call('PUT', ROOT, { ...row, rev: 0 })).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    expect((await me.call('DELETE', `${ROOT}/${data.id}`)).code).toBe(200)
    expect(service.voices.has(String(data.id))).toBe(false)
    expect((await me.call('GET', `${ROOT}/page?agentId=${agentId}`)).data.total).toBe(0)
  })

  test('deleting a voiceprint deletes its recording only when the turn of the recording was erased', async () => {
    const agentId = await newAgent()
    const [first, second, third] = [await say(agentId, 3), await say(agentId, 50), await say(agentId, 97)]
    const isStored = async (audioId: string) =>
      (await one<{ n: number }>(sql`select count(*)::int as n from files where id = ${audioId}`)).n === 1
    const { data } = await enrol(agentId, '姑姑', first)
    await app.db.execute(sql`delete from agent_turns where audio_id in (${first}, ${third})`)
    const row = { id: data.id, name: '姑姑', introduction: '' }
    await me.call('PUT', ROOT, { ...row, rev: 0, audioId: second })
    expect([await isStored(first), await isStored(second)]).toEqual([false, true])
    await me.call('DELETE', `${ROOT}/${data.id}`)
    expect(await isStored(second)).toBe(true)
    await app.db.execute(sql`update files set create_time = now() - interval '2 days' where purpose = 'agentTurn'`)
    await deleteOldHistory(app.services)
    expect([await isStored(second), await isStored(third)]).toEqual([true, false])
  })

  test('no voiceprint is stored when the service refuses the recording, is down or uses another key', async () => {
    const agentId = await newAgent()
    const audioId = await say(agentId, 33)
    service.state.accepts = false
    expect((await enrol(agentId, '甲', audioId)).msg).toContain('没有接受这段语音')
    service.state.accepts = true
    service.state.isDown = true
    expect((await enrol(agentId, '甲', audioId)).msg).toBe('声纹服务出错，请稍后重试')
    service.state.isDown = false
    await setService(service.address('wrong'))
    const refusal = await enrol(agentId, '甲', audioId)
    expect(refusal.msg).toContain('拒绝了密钥')
    expect((await me.call('GET', `${ROOT}/service`)).data.state).toBe(2)
    await setService(service.address())
    expect((await me.call('GET', `${ROOT}/service`)).data).toMatchObject({ state: 1, total: service.voices.size })
    expect((await me.call('GET', `${ROOT}/page?agentId=${agentId}`)).data.total).toBe(0)
  })
})

describe('AGENT-10 test of a recording', () => {
  test('the test of a turn or a file lists all speakers, the most similar first', async () => {
    const agentId = await newAgent()
    for (const [name, voice] of [
      ['近', 10],
      ['远', 95],
      ['中', 45],
    ] as const)
      await enrol(agentId, name, await say(agentId, voice))
    const expected = {
      code: 200,
      data: {
        list: [
          { name: '近', score: 0.9 },
          { name: '中', score: 0.4 },
          { name: '远', score: 0 },
        ],
        threshold: 0.4,
      },
    }
    const turn = await me.call('POST', `${ROOT}/test`, { agentId, audioId: await say(agentId, 15) })
    expect(turn).toMatchObject(expected)
    expect(await recording('r.wav', wavOf(15), agentId)).toMatchObject(expected)
    expect(await recording('r.mp3', wavOf(15), agentId)).toMatchObject({ code: 400, data: { field: 'file' } })
    expect((await recording('r.wav', Buffer.from('text'), agentId)).msg).toBe('文件内容不是 WAV 录音，请重新选择')
  })
})

test('AGENT-10 a tenant cannot use agents, audio or voiceprints of another tenant, nor a private service address', async () => {
  const agentId = await newAgent()
  const audioId = await say(agentId, 70)
  const { data } = await enrol(agentId, '平台', audioId)
  const guest = await app.by({ tenant: '声纹客户', permissions: ALL })
  expect((await guest.call('GET', `${ROOT}/page`)).data.total).toBe(0)
  for (const url of [`${ROOT}/${data.id}`, `${ROOT}/audio/${audioId}`])
    expect((await guest.call('GET', url)).code, url).toBe(400)
  expect((await guest.call('DELETE', `${ROOT}/${data.id}`)).code).toBe(400)
  expect((await guest.call('POST', `${ROOT}/turns`, { agentId })).code).toBe(400)
  expect((await guest.call('POST', `${ROOT}/test`, { agentId, audioId })).code).toBe(400)
  expect((await guest.call('POST', ROOT, { agentId, name: '客', introduction: '', audioId })).code).toBe(400)
  expect((await guest.call('GET', `${ROOT}/service?tenantId=1`)).code).not.toBe(200)
  expect((await guest.call('GET', `${ROOT}/service`)).data.state).toBe(1)
  const { id } = await one<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${guest.uid}`)
  await setService(service.address().replace('127.0.0.1', 'localhost'), id)
  expect((await guest.call('GET', `${ROOT}/service`)).data).toMatchObject({ state: 2 })
})

test('AGENT-10 deleting an agent deletes its voiceprints, and a job deletes them in the voiceprint service', async () => {
  registerVoiceprintRemoval(app.services)
  const agentId = await newAgent()
  const { data } = await enrol(agentId, '舅舅', await say(agentId, 12))
  const { name } = await one<{ name: string }>(sql`select agent_name as name from agents where id = ${agentId}`)
  const admin = await app.by({ superAdmin: true })
  service.state.isDown = true
  expect((await admin.call('DELETE', `/api/v1/agent/list/${agentId}?agentName=${encodeURIComponent(name)}`)).code).toBe(
    200,
  )
  expect((await me.call('GET', `${ROOT}/page?agentId=${agentId}`)).data.total).toBe(0)
  expect(service.voices.has(String(data.id))).toBe(true)
  service.state.isDown = false
  await app.services.jobs.drain()
  expect(service.voices.has(String(data.id))).toBe(false)
  const log = await one<{ action: string }>(sql`select action from oper_logs where title = '删除智能体'`)
  expect(log.action).toContain('删除1个声纹')
})

test('AGENT-10 only recordings of users and of enrolled speakers can be played, and each playback is logged', async () => {
  const agentId = await newAgent()
  const [audioId, answer] = [await say(agentId, 2), await say(agentId, 3, { kind: 2 })]
  const play = (id: string) => me.inject({ url: `${ROOT}/audio/${id}` })
  const last = () =>
    one<{ action: string; biz_id: string }>(
      sql`select action, biz_id from oper_logs where uid = ${me.uid} and title = '播放声纹录音' order by oper_id desc limit 1`,
    )
  expect((await play(answer)).json().msg).toContain('语音不存在')
  expect((await play(audioId)).rawPayload.equals(wavOf(2))).toBe(true)
  expect(await last()).toEqual({
    biz_id: String(agentId),
    action: expect.stringMatching(/^播放智能体「.+」于 .+ 的用户录音$/),
  })
  await enrol(agentId, '姐姐', audioId)
  await play(audioId)
  expect((await last()).action).toBe('播放声纹「姐姐」的录音')
})

test('AGENT-10 listing the turns of an agent is logged', async () => {
  const agentId = await newAgent()
  await say(agentId, 1)
  const { data } = await me.call('POST', `${ROOT}/turns`, { agentId })
  expect(data.list).toMatchObject([{ content: '你好', seconds: 1 }])
  const row = await one<{ title: string }>(
    sql`select title from oper_logs where uid = ${me.uid} order by oper_time desc limit 1`,
  )
  expect(row.title).toBe('查看智能体的用户语音')
})
