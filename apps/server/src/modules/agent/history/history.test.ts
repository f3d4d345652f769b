import { PgDialect } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { deleteTurns, deleteOldHistory, RETENTION_STATEMENTS, DELETE_UNUSED_RECORDINGS } from './history-retention.ts'
import { SERVER_SECRET_CODE } from '../parameter-values.ts'
import { VoiceServer } from '#test/clients/voice-server.ts'
import { openVoiceSide } from '#test/clients/voice-side.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const HISTORY = '/api/v1/agent/history'
let admin: Caller
let reader: Caller
let stranger: Caller
let side: Awaited<ReturnType<typeof openVoiceSide>>
let voice: VoiceServer
let agentId = 0
const mac = 'aa:bb:cc:dd:ee:01'

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await app.services.database.pool.query(text, values)).rows

beforeAll(async () => {
  registerExports(app.services)
  admin = await app.by({ superAdmin: true })
  const permissions = ['agent:agent:history', 'agent:agent:memory']
  reader = await app.by({ tenant: '甲公司', permissions })
  stranger = await app.by({ tenant: '乙公司', permissions })
  side = await openVoiceSide(app.services)
  const secret = (await app.services.agentParameters.of(1)).text(SERVER_SECRET_CODE)
  voice = new VoiceServer({ url: side.url, secret })
  const [tenant] = await query(`select id from tenants where name = '甲公司'`)
  const [type] = await query(
    `insert into device_types (type_name, type_code) values ('语音', 'voice-t') returning id as type_id`,
  )
  const [model] = await query(
    `insert into device_models (type_id, model_name, model_code) values ($1, 'V1', 'V1') returning id`,
    [type.type_id],
  )
  const [agent] = await query(
    `insert into agents (tenant_id, agent_code, agent_name) values ($1, 'AGT_H', '小明') returning id`,
    [tenant.id],
  )
  agentId = agent.id
  const [device] = await query(
    `insert into devices (tenant_id, model_id, sn, mac) values ($1, $2, 'VOICE1', 'aabbccddee01') returning id`,
    [tenant.id, model.id],
  )
  await query(`insert into agent_devices (device_id, tenant_id, agent_id, mac) values ($1, $2, $3, 'aabbccddee01')`, [
    device.id,
    tenant.id,
    agentId,
  ])
})
afterAll(() => side.close())

const wav = Buffer.concat([
  Buffer.from('RIFF'),
  Buffer.alloc(24),
  Buffer.from([0, 125, 0, 0]),
  Buffer.alloc(12 + 32_000, 7),
])
const raw = (caller: Caller, url: string, headers = {}) => caller.inject({ method: 'GET', url, headers })
const sessions = async (caller: Caller) => (await caller.call('GET', `${HISTORY}/sessions?agentId=${agentId}`)).data

test('AGENT-09 only the tenant lists and opens its conversations, and each opening is logged', async () => {
  const at = Date.now()
  await voice.report({ mac, session: 'talk-1', kind: 1, content: '我的生日是五月', time: at, audio: wav })
  await voice.report({ mac, session: 'talk-1', kind: 2, content: '记住了', time: at + 1 })
  const { list, total } = await sessions(reader)
  expect([total, list[0]]).toMatchObject([
    1,
    { deviceName: 'VOICE1', agentName: '小明', turns: 1, characters: 10, seconds: 1 },
  ])
  expect((await sessions(admin)).total).toBe(1)
  expect((await sessions(stranger)).total).toBe(0)
  const { data } = await reader.call('POST', `${HISTORY}/session/${list[0].id}`, {})
  expect(data.turns.map(({ content }: { content: string }) => content)).toEqual(['我的生日是五月', '记住了'])
  expect((await stranger.call('POST', `${HISTORY}/session/${list[0].id}`, {})).code).not.toBe(200)
  const logs = JSON.stringify(await query('select * from oper_logs'))
  expect(logs).toContain('查看设备「VOICE1」')
  expect(logs).not.toContain('我的生日')
  const { audioId } = data.turns[0]
  const range = { range: 'bytes=0-3' }
  const heard = async () => JSON.stringify(await query('select action from oper_logs')).split('的录音').length - 1
  const part = await raw(reader, `${HISTORY}/audio/${audioId}`, range)
  expect([part.statusCode, part.body]).toEqual([206, 'RIFF'])
  expect(await heard()).toBe(1)
  expect((await raw(stranger, `${HISTORY}/audio/${audioId}`)).body).toContain('语音不存在')
  expect((await raw(reader, `/api/v1/file/${audioId}`)).body, 'without a log').toContain('文件不存在')
  const actions = async () =>
    (await query('select action, uid from oper_logs order by oper_id')).map((row) => row.action)
  expect((await actions()).filter((action) => action === '查看对话列表')).toHaveLength(3)
})

test('AGENT-09 an account limited to its own records reads and erases only conversations of its agents and devices', async () => {
  const own = await app.by({
    tenant: '甲公司',
    permissions: ['agent:agent:history', 'agent:agent:memory'],
    dataScope: 4,
  })
  const { list } = await sessions(reader)
  const { deviceId, id } = list[0]
  const open = async () => (await own.call('POST', `${HISTORY}/session/${id}`, {})).code
  const memory = async () => (await own.call('GET', `${HISTORY}/memory?deviceId=${deviceId}`)).code
  const { data } = await reader.call('POST', `${HISTORY}/session/${id}`, {})
  const audio = async () => (await raw(own, `${HISTORY}/audio/${data.turns[0].audioId}`)).body
  expect((await sessions(own)).total).toBe(0)
  expect([await open(), await memory()]).toEqual([400, 400])
  expect(await audio()).toContain('语音不存在')
  expect((await own.call('DELETE', `${HISTORY}/session/${id}`)).code).toBe(400)
  await query('update agent_devices set create_by = $1 where device_id = $2', [own.uid, deviceId])
  expect((await sessions(own)).total).toBe(1)
  expect([await open(), await memory()]).toEqual([200, 200])
  expect(await audio()).toContain('RIFF')
  await query('update agent_devices set create_by = null where device_id = $1', [deviceId])
})

const search = (caller: Caller, over: object) =>
  caller.call('POST', `${HISTORY}/search`, { agentId, words: '生日', ...over })

test('AGENT-09 a search finds text in the turns of an agent or a device, and each search is logged', async () => {
  const { data } = await search(reader, {})
  expect(data).toMatchObject({
    list: [{ deviceName: 'VOICE1', snippet: '我的生日是五月' }],
    searched: 1,
    isCut: false,
    hasOlder: false,
  })
  expect((await search(reader, { words: '没说过' })).data.list).toEqual([])
  expect((await search(reader, { words: '%' })).data.list).toEqual([])
  expect((await search(stranger, {})).data).toMatchObject({ list: [], searched: 0 })
  expect(await search(reader, { agentId: undefined })).toMatchObject({ code: 400, data: { field: 'agentId' } })
  const [log] = await query(`select action, oper_param from oper_logs where action like '%找到 1 次' limit 1`)
  expect(log.action).toBe('在智能体的 1 次对话中查找内容，找到 1 次')
  const [{ device_id: deviceId }] = await query('select device_id from agent_devices where agent_id = $1', [agentId])
  await search(reader, { agentId: undefined, deviceId })
  await reader.call('GET', `${HISTORY}/sessions?deviceId=${deviceId}`)
  await stranger.call('GET', `${HISTORY}/sessions?deviceId=${deviceId}`)
  const last = await query('select biz_type, biz_id, action from oper_logs order by oper_id desc limit 3')
  expect(last).toEqual([
    { biz_type: 'agent', biz_id: '', action: '查看对话列表' },
    { biz_type: 'agentDevice', biz_id: String(deviceId), action: `查看设备「VOICE1 ${mac}」的对话列表` },
    {
      biz_type: 'agentDevice',
      biz_id: String(deviceId),
      action: `在设备「VOICE1 ${mac}」的 1 次对话中查找内容，找到 1 次`,
    },
  ])
  expect(JSON.stringify(await query('select * from oper_logs'))).not.toContain('生日')
})

test('AGENT-09 a search reads the 1,000 latest conversations, and the next page reads the earlier ones', async () => {
  const [{ tenant_id: tenantId }] = await query('select tenant_id from agents where id = $1', [agentId])
  await query(
    `with s as (insert into agent_sessions (tenant_id, session_id, device_id, agent_id, first_time, last_time)
      select $1, 'many-' || n, -1, $2, now() - interval '2 days' - make_interval(mins => n), now() - interval '2 days' - make_interval(mins => n)
      from generate_series(1, 1500) n returning id, first_time, session_id)
    insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5)
    select first_time, $1, id, -1, $2, 1, case when session_id in ('many-3', 'many-1400') then '我要订披萨' else '随便聊聊' end,
      md5(session_id) from s`,
    [tenantId, agentId],
  )
  const first = await search(reader, { words: '披萨' })
  expect(first.data).toMatchObject({ list: [{ snippet: '我要订披萨' }], searched: 1000, hasOlder: true })
  const second = await search(reader, { words: '披萨', page: 2 })
  expect(second.data).toMatchObject({ list: [{ snippet: '我要订披萨' }], searched: 501, hasOlder: false })
  const common = await search(reader, { words: '聊聊' })
  expect([common.data.list.length, common.data.isCut]).toEqual([100, true])
  await query(`delete from agent_turns where device_id = -1`)
  await query(`delete from agent_sessions where device_id = -1`)
})

test('AGENT-09 a job exports the conversations of an agent for accounts that may read and export them', async () => {
  const url = `${HISTORY}/export?agentId=${agentId}&format=csv`
  expect((await reader.call('GET', url)).code).not.toBe(200)
  const one = await app.by({ tenant: '甲公司', permissions: ['agent:agent:export'] })
  expect((await one.call('GET', url)).code).toBe(501)
  const both = await app.by({ tenant: '甲公司', permissions: ['agent:agent:export', 'agent:agent:history'] })
  expect(await both.call('GET', `${HISTORY}/export?format=csv`)).toMatchObject({
    code: 400,
    data: { field: 'agentId' },
  })
  const fileOf = async (caller: Caller, more = '') => {
    const { data, msg } = await caller.call('GET', `${url}${more}`)
    expect(msg).toBe('已转为后台导出，完成后可在「我的任务」下载')
    await app.services.jobs.drain()
    const { file, rows } = (await caller.call('GET', `/api/v1/account/job/${data.jobId}`)).data
    return { rows, text: (await raw(caller, `/api/v1/file/${file.id}`)).body }
  }
  const whole = await fileOf(both)
  expect(whole.rows).toBe(2)
  expect(whole.text).toContain('会话编号,标题,智能体,设备,时间,类型,说话人,内容,字数,时长（秒）')
  expect(whole.text).toMatch(/talk-1,.*小明,VOICE1,.*用户,.*我的生日是五月/)
  expect(whole.text).not.toMatch(/[0-9a-f]{32}/)
  expect((await fileOf(both, `&beginTime=${encodeURIComponent('2031-01-01 00:00:00')}`)).rows).toBe(0)
  const [{ id, lastTime }] = (await sessions(reader)).list
  // A period includes its last day.
  const day = lastTime.slice(0, 10)
  const ofDay = `beginTime=${day}&endTime=${day}`
  expect((await fileOf(both, `&${ofDay}`)).rows).toBe(2)
  const listed = await reader.call('GET', `${HISTORY}/sessions?agentId=${agentId}&${ofDay}`)
  expect(listed.data.list).toMatchObject([{ id }])
  expect((await fileOf(both, `&sessionId=${id}`)).rows).toBe(2)
  const far = await app.by({ tenant: '乙公司', permissions: ['agent:agent:export', 'agent:agent:history'] })
  expect((await fileOf(far)).rows).toBe(0)
  const logs = await query(
    `select action, biz_id from oper_logs where title = '导出对话记录' and action <> '' order by oper_id`,
  )
  expect(logs[0]).toEqual({ action: '导出智能体的对话文字，转为后台', biz_id: String(agentId) })
  expect(logs.at(-1).biz_id, 'the log of another tenant').toBe('')
})

test('AGENT-09 erasing removes turns, recordings and counts; retention follows the parameters of the tenant', async () => {
  const [{ id }] = (await sessions(reader)).list
  expect((await stranger.call('DELETE', `${HISTORY}/session/${id}`)).code).not.toBe(200)
  expect((await reader.call('DELETE', `${HISTORY}/session/${id}`)).code).toBe(200)
  expect(await query('select from agent_turns')).toEqual([])
  expect(await query(`select from files where purpose = 'agentTurn'`)).toEqual([])
  // Reported times older than seven days are replaced by the arrival, so the stored times are changed afterwards.
  const age = async (session: string, content: string, days: number) => {
    await voice.report({ mac, session, kind: 1, content, audio: wav })
    await query(`update agent_turns set report_time = now() - make_interval(days => $2) where content = $1`, [
      content,
      days,
    ])
    await query(`update agent_sessions set last_time = now() - make_interval(days => $2) where session_id = $1`, [
      session,
      days,
    ])
  }
  await age('old', '很久以前', 200)
  await age('month', '上个月', 40)
  expect(await deleteOldHistory(app.services)).toMatchObject({ failedItems: 0 })
  expect(await query(`select content, audio_id from agent_turns`)).toEqual([{ content: '上个月', audio_id: '' }])
  expect((await sessions(reader)).total).toBe(1)
})

test('AGENT-09 the retention queries use indexes to read only the rows that they delete', async () => {
  await query(`insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content,
      content_md5, audio_id)
    select now() - make_interval(days => n % 60, secs => n), 1 + n % 50, n, -2, -2, 1, '随便聊聊', md5(n::text),
      case when n % 3 = 0 then md5(n::text) else '' end
    from generate_series(1, 20000) n`)
  await query(`insert into agent_sessions (tenant_id, session_id, device_id, agent_id, last_time)
    select 1 + n % 50, 'plan-' || n, -2, -2, now() - make_interval(days => n % 60) from generate_series(1, 5000) n`)
  await query('analyze agent_turns, agent_sessions')
  const client = await app.services.database.pool.connect()
  try {
    // Tables of a few rows are read whole; the setting shows whether an index exists for the condition.
    await client.query('begin; set local enable_seqscan = off')
    const explain = async (text: string, values: unknown[] = []) =>
      (await client.query(`explain ${text}`, values)).rows.map((row) => row['QUERY PLAN']).join('\n')
    for (const [name, text] of Object.entries(RETENTION_STATEMENTS)) {
      const plan = await explain(text.replace('$1', '7').replace('$2', '30'))
      expect(plan, name).toMatch(/Index Cond: \(\(tenant_id = 7\) AND \((report|last|remind)_time < /)
      expect(plan, name).not.toMatch(/Seq Scan on agent_(turns|sessions|reminders)/)
    }
    expect(await explain(DELETE_UNUSED_RECORDINGS.replace('$1', '7').replace('$2', "''")), 'sweep').toMatch(
      /agent_turns_\d+_audio_id_idx/,
    )
    const { sql: erasure, params } = new PgDialect().sqlToQuery(
      deleteTurns({ agentId: -2, lastTurn: 1e9, lastSession: 0 }),
    )
    const plan = await explain(erasure, params)
    expect(plan, 'erasure').toMatch(/Backward using agent_turns_\d+_agent_id_kind_report_time_idx/)
  } finally {
    await client.query('rollback')
    client.release()
  }
  await query('delete from agent_turns where device_id = -2')
  await query('delete from agent_sessions where device_id = -2')
})
