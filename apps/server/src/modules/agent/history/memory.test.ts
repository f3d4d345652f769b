import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { sql } from 'drizzle-orm'
import { eraseTurnsOfAgent, registerErasure } from './history-retention.ts'

const app = useApp()
const HISTORY = '/api/v1/agent/history'
const mac = 'aa:bb:cc:dd:ee:01'
let reader: Caller
let stranger: Caller
let agentId = 0

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await app.services.database.pool.query(text, values)).rows

beforeAll(async () => {
  const permissions = ['agent:agent:history', 'agent:agent:memory', 'agent:device:list']
  reader = await app.by({ tenant: '甲公司', permissions })
  stranger = await app.by({ tenant: '乙公司', permissions })
  const [agent] = await query(
    `insert into agents (tenant_id, agent_code, agent_name)
      select id, 'AGT_M', '小明' from tenants where name = '甲公司' returning id, tenant_id`,
  )
  agentId = agent.id
  await query(
    `with t as (insert into device_types (type_name, type_code) values ('语音', 'voice-m') returning id),
      m as (insert into device_models (type_id, model_name, model_code) select id, 'V1', 'V1' from t returning id),
      d as (insert into devices (tenant_id, model_id, sn, mac) select $1, id, 'VOICE1', 'aabbccddee01' from m returning id)
      insert into agent_devices (device_id, tenant_id, agent_id, mac) select id, $1, $2, 'aabbccddee01' from d`,
    [agent.tenant_id, agentId],
  )
})

test('AGENT-09 the memory of a device and a shared memory can be read, edited and erased', async () => {
  const [{ device_id: deviceId }] = await query('select device_id from agent_devices where agent_id = $1', [agentId])
  const get = async (caller: Caller) => (await caller.call('GET', `${HISTORY}/memory?deviceId=${deviceId}`)).data
  expect((await reader.call('PUT', `${HISTORY}/memory`, { deviceId, memory: '喜欢猫' })).code).toBe(200)
  expect(await get(reader)).toEqual({ memory: '喜欢猫', isShared: false })
  const logged = `select uid, biz_type, biz_id, action from oper_logs where status = 1 and action like '%记忆' order by oper_id`
  const device = `VOICE1 ${mac}`
  const ofDevice = { uid: reader.uid, biz_type: 'agentDevice', biz_id: String(deviceId) }
  expect((await query(logged)).slice(-2)).toEqual([
    { ...ofDevice, action: `修改设备「${device}」的记忆` },
    { ...ofDevice, action: `查看设备「${device}」的记忆` },
  ])
  expect((await stranger.call('PUT', `${HISTORY}/memory`, { deviceId, memory: 'x' })).code).not.toBe(200)
  const stale = await reader.call('PUT', `${HISTORY}/memory`, { deviceId, memory: '喜欢狗', before: '' })
  expect(stale).toMatchObject({
    code: 400,
    data: { field: 'memory' },
    msg: expect.stringContaining('已被对话或他人更新'),
  })
  expect(await query(`select action from oper_logs where status = 0 order by oper_id desc limit 1`)).toEqual([
    { action: `修改设备「${device}」的记忆` },
  ])
  expect((await reader.call('PUT', `${HISTORY}/memory`, { deviceId, memory: '喜欢猫', before: '喜欢猫' })).code).toBe(
    200,
  )
  const unused = await reader.call('PUT', `${HISTORY}/memory`, { agentId, memory: '没有设备会收到' })
  expect(unused).toMatchObject({ data: { field: 'memory' }, msg: expect.stringContaining('设备各自保存记忆') })
  await query('update agents set memory_scope = 2 where id = $1', [agentId])
  expect(await get(reader)).toEqual({ memory: '', isShared: true })
  const action = `在设备「${device}」中查看「小明」共用的记忆`
  expect((await query(logged)).slice(-2)).toEqual([
    { ...ofDevice, biz_type: 'agent', biz_id: String(agentId), action },
    { ...ofDevice, action },
  ])
  await query(
    `insert into agent_sessions (tenant_id, session_id, device_id, agent_id) select tenant_id, 'm', $2, id from agents
      where id = $1`,
    [agentId, deviceId],
  )
  await query(
    `insert into agent_after (tenant_id, session_row_id, kind) select tenant_id, id, n from agent_sessions,
    generate_series(1, 2) n where agent_id = $1`,
    [agentId],
  )
  expect((await reader.call('PUT', `${HISTORY}/memory`, { agentId, memory: '' })).msg).toBe(
    '已清除，设备下次连接时生效',
  )
  expect(await query('select distinct kind from agent_after'), 'waiting summaries').toEqual([{ kind: 1 }])
  await reader.call('PUT', `${HISTORY}/memory`, { agentId, memory: '共用' })
  expect(await get(reader)).toEqual({ memory: '共用', isShared: true })
  expect((await reader.call('PUT', `${HISTORY}/memory`, { memory: 'x' })).data).toEqual({ field: 'agentId' })
  expect(JSON.stringify(await query('select * from oper_logs'))).not.toContain('喜欢猫')
  const { data } = await reader.call('GET', `/api/v1/sys/operlog/biz/agentDevice/${deviceId}`)
  expect(data.list.at(-1), 'history of the device').toMatchObject({ action: `修改设备「${device}」的记忆` })
})

const AGENT = 7

test('AGENT-09 erasing more than one batch of turns removes words, titles and recordings, and keeps later turns', async () => {
  registerErasure(app.services)
  await app.db.execute(sql`with s as (insert into agent_sessions (tenant_id, session_id, device_id, agent_id, title)
      select 1, 'erase-' || n, 1, ${AGENT}::int, '问候' from generate_series(1, 6000) n returning id),
    f as (insert into files (id, tenant_id, purpose, name, size, md5, sha1, sha256, used_time)
      select md5('erase-' || id), 1, 'agentTurn', 'turn.wav', 1, '', '', '', now() from s)
    insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, audio_id)
      select now(), 1, id, 1, ${AGENT}::int, 1, '你好', md5(id::text), md5('erase-' || id) from s`)
  await app.db.execute(sql`insert into agent_voiceprints (tenant_id, agent_id, name, audio_id)
    select 1, ${AGENT}::int, '妈妈', md5('erase-' || min(id)) from agent_sessions where agent_id = ${AGENT}`)
  await app.db.transaction((db) => eraseTurnsOfAgent(db, app.services, AGENT))
  await app.db.execute(sql`insert into agent_turns
    (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5)
    values (now(), 1, 1, 1, ${AGENT}, 1, '之后', md5('later'))`)
  await app.services.jobs.drain()
  const { rows } = await app.db.execute(sql`select
    (select string_agg(content, '') from agent_turns where agent_id = ${AGENT}) as turns,
    (select count(*)::int from agent_sessions where agent_id = ${AGENT} and title <> '') as titles,
    (select count(*)::int from files where purpose = 'agentTurn') as files`)
  expect(rows).toEqual([{ turns: '之后', titles: 0, files: 1 }])
})
