import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ensureVoiceModel } from '../devices/voice-model.ts'
import { deleteOldHistory } from './history-retention.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/agent/reminder'
const PERMISSIONS = ['agent:agent:history', 'agent:agent:memory']
let owner: Caller
let reader: Caller
let admin: Caller
let stranger: Caller
let tenantId = 0
let agentId = 0
let made = 0

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await app.services.database.pool.query(text, values)).rows

/** Creates a device of the tenant that is bound to the agent. */
async function bound(): Promise<number> {
  made += 1
  const mac = `0500000000${made.toString(16).padStart(2, '0')}`
  const modelId = await ensureVoiceModel(app.services)
  const [{ id }] = await query(
    'insert into devices (tenant_id, model_id, sn, mac) values ($1, $3, $2, $2) returning id',
    [tenantId, mac, modelId],
  )
  await query('insert into agent_devices (device_id, tenant_id, agent_id, mac) values ($1, $2, $3, $4)', [
    id,
    tenantId,
    agentId,
    mac,
  ])
  return id
}
/** Inserts a reminder that is due in `hours` and was told `toldCount` times. */
async function reminder(deviceId: number, content: string, hours: number, toldCount = 0): Promise<number> {
  const [{ id }] = await query(
    `insert into agent_reminders (tenant_id, device_id, content, remind_time, told_count, told_time)
     values ($1, $2, $3, now() + make_interval(hours => $4), $5::int, case when $5::int > 0 then now() end) returning id`,
    [tenantId, deviceId, content, hours, toldCount],
  )
  return id
}
const list = async (by: Caller, deviceId: number, more = '') =>
  (await by.call('GET', `${URL}/page?deviceId=${deviceId}${more}`)).data
const left = async (deviceId: number) =>
  (await query('select content from agent_reminders where device_id = $1 order by id', [deviceId])).map(
    ({ content }) => content as string,
  )

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  owner = await app.by({ tenant: '提醒公司', permissions: PERMISSIONS })
  reader = await app.by({ tenant: '提醒公司', permissions: ['agent:agent:history'] })
  stranger = await app.by({ tenant: '别家公司', permissions: PERMISSIONS })
  const [tenant] = await query(`select id from tenants where name = '提醒公司'`)
  tenantId = tenant.id
})
beforeEach(async () => {
  made += 1
  const [agent] = await query(
    `insert into agents (tenant_id, agent_code, agent_name) values ($1, $2, '小明') returning id`,
    [tenantId, `AGT_R${made}`],
  )
  agentId = agent.id
})

test('AGENT-18 the list shows open and delivered reminders of a device with their state, and each call is logged', async () => {
  const deviceId = await bound()
  await reminder(deviceId, '以后', 5)
  await reminder(deviceId, '现在', -1)
  await reminder(deviceId, '说过', -2, 1)
  const { list: rows, total } = await list(owner, deviceId, '&orderByColumn=remindTime&isAsc=asc')
  expect(total).toBe(3)
  expect(rows.map((row: { content: string; state: number }) => [row.content, row.state])).toEqual([
    ['说过', 2],
    ['现在', 1],
    ['以后', 0],
  ])
  expect((await list(owner, deviceId, '&state=1')).list).toMatchObject([{ content: '现在', toldTime: null }])
  expect((await list(stranger, deviceId)).total).toBe(0)
  const logged = await query(
    `select count(*)::int as n from oper_logs where action like '查看设备「%」的提醒' and biz_id = $1`,
    [String(deviceId)],
  )
  expect(logged).toEqual([{ n: 2 }])
})

test('AGENT-18 an account with the permission deletes a reminder of its tenant; the log omits the text', async () => {
  const deviceId = await bound()
  const id = await reminder(deviceId, '秘密的事', 5)
  expect((await reader.call('DELETE', `${URL}/${id}`)).code).toBe(501)
  expect((await stranger.call('DELETE', `${URL}/${id}`)).code).toBe(400)
  expect(await left(deviceId)).toEqual(['秘密的事'])
  expect((await owner.call('DELETE', `${URL}/${id}`)).code).toBe(200)
  expect(await left(deviceId)).toEqual([])
  const logged = await query(`select action, oper_param from oper_logs where action like '删除设备%的提醒'`)
  expect(logged).toHaveLength(1)
  expect(JSON.stringify(logged)).not.toContain('秘密')
})

test('AGENT-18 unbinding a device and deleting an agent delete the reminders', async () => {
  const [first, second, other] = [await bound(), await bound(), await bound()]
  for (const each of [first, second, other]) await reminder(each, '吃药', 5)
  expect((await admin.call('POST', '/api/v1/agent/device/unbind', { ids: [first] })).code).toBe(200)
  expect([await left(first), await left(second)]).toEqual([[], ['吃药']])
  const removed = await admin.call('DELETE', `/api/v1/agent/list/${agentId}?agentName=${encodeURIComponent('小明')}`)
  expect(removed.code).toBe(200)
  expect([await left(second), await left(other)]).toEqual([[], []])
})

test('AGENT-18 erasing a conversation deletes the reminders that were set in it', async () => {
  const deviceId = await bound()
  await reminder(deviceId, '对话中设置', 5)
  const earlier = await reminder(deviceId, '之前设置', 5)
  await query(`update agent_reminders set create_time = now() - interval '1 hour' where id = $1`, [earlier])
  const [session] = await query(
    `insert into agent_sessions (tenant_id, session_id, device_id, agent_id) values ($1, 'r-1', $2, $3) returning id`,
    [tenantId, deviceId, agentId],
  )
  expect((await owner.call('DELETE', `/api/v1/agent/history/session/${session.id}`)).code).toBe(200)
  expect(await left(deviceId)).toEqual(['之前设置'])
})

test('AGENT-18 retention deletes reminders whose time is older than the retained history', async () => {
  const deviceId = await bound()
  await reminder(deviceId, '很久以前', -24 * 181, 1)
  await reminder(deviceId, '很久没说', -24 * 181)
  await reminder(deviceId, '不久以前', -24 * 179, 1)
  await reminder(deviceId, '以后', 5)
  await deleteOldHistory(app.services)
  expect(await left(deviceId)).toEqual(['不久以前', '以后'])
})

test('AGENT-18 a failed retention of one tenant does not stop the other tenants, and the failure is counted', async () => {
  const deviceId = await bound()
  const other = await bound()
  await reminder(deviceId, '不能删除', -24 * 181)
  await reminder(other, '很久以前', -24 * 181)
  await query(
    `update agent_reminders set tenant_id = (select id from tenants where name = '别家公司') where device_id = $1`,
    [other],
  )
  await query(`create function refuse_deletion() returns trigger language plpgsql as $$ begin
      if old.tenant_id = ${tenantId} then raise exception 'refused'; end if; return old; end $$`)
  await query(
    `create trigger refuse_deletion before delete on agent_reminders for each row execute function refuse_deletion()`,
  )
  expect(await deleteOldHistory(app.services)).toMatchObject({ failedItems: 1 })
  expect([await left(deviceId), await left(other)]).toEqual([['不能删除'], []])
  await query('drop trigger refuse_deletion on agent_reminders')
  expect(await deleteOldHistory(app.services)).toMatchObject({ failedItems: 0 })
  expect(await left(deviceId)).toEqual([])
})
