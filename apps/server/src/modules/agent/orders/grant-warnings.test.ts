import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { closeDueGrants, runGrantWarnings } from './grant-clock.ts'
import type { Caller } from '#test/harness.ts'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const DAY_MS = 86_400_000
const TURNS = 2

const lab = useOrders()
const { app, people, newAgent, newDevice, newPackage, sold, talk, fold } = lab
let reader: Caller

beforeAll(async () => {
  reader = await app.by({ tenant: '订购公司', permissions: ['agent:order:query'] })
  await app.by({ tenant: '订购公司', permissions: ['agent:device:list'] })
})
afterEach(async () => {
  await clockAt(4000)
  // The packs that followed used packs have lapsed now. Sends the warnings of the used packs before the next test.
  await runAt(0)
  await lab.assertSound()
})

const clockAt = (days: number) => closeDueGrants({ ...app.services, now: () => new Date(Date.now() + days * DAY_MS) })

/** Runs the job some days later. Returns the number of announced grants. */
const runAt = async (days: number) =>
  (await runGrantWarnings({ ...app.services, now: () => new Date(Date.now() + days * DAY_MS) })).warned
const messagesOf = async ({ uid }: Caller) => {
  const { rows } = await app.db.execute<{ title: string; content: string }>(
    sql`select title, content from notices where ${uid} = any(target_ids) order by notice_id`,
  )
  return rows
}
const titlesSince = async (before: number, who = reader) =>
  (await messagesOf(who)).slice(before).map(({ title }) => title)
const count = async () => (await messagesOf(reader)).length
/** Sells a package of some days to new devices, of which each has used one turn. */
async function running(validDays: number, devices = 1, over: object = {}) {
  const ids = []
  for (let n = 0; n < devices; n += 1) ids.push((await newDevice()).id)
  await sold({ packageId: (await newPackage({ validDays, ...over })).id, deviceIds: ids })
  for (const id of ids) await talk(id, TURNS, 1)
  await fold()
  return ids
}

test('AGENT-16 staff get one warning 30 days and one 7 days before grants end, with a link to the grants', async () => {
  const before = await count()
  const [device] = await running(60, 2)
  expect(await runAt(0)).toBe(0)
  expect(await runAt(31)).toBe(2)
  expect(await runAt(31)).toBe(0)
  expect(await runAt(54)).toBe(2)
  expect(await runAt(55)).toBe(0)
  expect(await titlesSince(before)).toEqual(['2项语音套餐权益将在 30 天内到期', '2项语音套餐权益将在 7 天内到期'])
  const { content } = (await messagesOf(reader)).at(-1)!
  const { rows } = await app.db.execute<{ sn: string }>(sql`select sn from devices where id = ${device}`)
  expect(content).toContain(`「${rows[0]!.sn}」`)
  const link = /<a href="([^"]+)">查看权益<\/a>/.exec(content)![1]!.replaceAll('&amp;', '&')
  const query = new URL(link, 'https://oms.example').searchParams
  expect(Object.fromEntries(query)).toEqual({
    view: 'grants',
    state: '1',
    validFrom: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    validTo: query.get('validFrom'),
  })
  query.delete('view')
  const { list } = (await people.seller.call('GET', `/api/v1/agent/order/grant/page?${query}`)).data
  expect(list.map(({ targetName }: { targetName: string }) => targetName)).toContain(rows[0]!.sn)
  const other = '/api/v1/agent/order/grant/page?validTo=2020-01-01'
  expect((await people.seller.call('GET', other)).data.list).toEqual([])
  expect(content).toContain('设备没有其他套餐时仍可对话')
  expect(await messagesOf(people.seller)).toEqual([])
})

test('AGENT-16 a delayed run warns about no ended grant, and sends only the 7-day warning when both are due', async () => {
  const before = await count()
  await running(60)
  expect(await runAt(90)).toBe(0)
  expect(await runAt(58)).toBe(1)
  expect(await runAt(31)).toBe(0)
  expect(await titlesSince(before)).toEqual(['1项语音套餐权益将在 7 天内到期'])
})

test('AGENT-16 no warning is sent at the start of a short pack or for a pack that another pack follows', async () => {
  await running(30)
  expect(await runAt(1)).toBe(0)
  expect(await runAt(24)).toBe(1)
  const device = await newDevice()
  await sold({ packageId: (await newPackage({ validDays: 60 })).id, deviceIds: [device.id], copies: 2 })
  await talk(device.id, TURNS, 90)
  await fold()
  expect(await runAt(55)).toBe(0)
})

test('AGENT-16 staff get one warning when 20 % and one when 5 % of a grant is left; an unlimited grant causes none', async () => {
  const before = await count()
  const [device] = await running(300)
  await running(300, 1, { allowances: [{ unit: TURNS, amount: 0 }] })
  await talk(device!, TURNS, 78)
  await fold()
  expect(await runAt(0)).toBe(0)
  await talk(device!, TURNS, 1)
  await fold()
  expect(await runAt(0)).toBe(1)
  await talk(device!, TURNS, 5)
  await fold()
  expect(await runAt(0)).toBe(0)
  await talk(device!, TURNS, 10)
  await fold()
  expect(await runAt(0)).toBe(1)
  expect(await runAt(0)).toBe(0)
  expect(await titlesSince(before)).toEqual(['1项语音套餐权益剩余不足20%', '1项语音套餐权益剩余不足5%'])
})

test('AGENT-16 a pack that is used up between two runs causes one warning, unless another pack follows', async () => {
  const before = await count()
  const [device] = await running(300)
  await talk(device!, TURNS, 99)
  await fold()
  expect(await runAt(0)).toBe(1)
  expect(await runAt(0)).toBe(0)
  expect(await titlesSince(before)).toEqual(['1项语音套餐权益已用完'])
  expect((await messagesOf(reader)).at(-1)!.content).toMatch(/的套餐权益「.+」（对话轮数）已用完。/)
  const other = await newDevice()
  await sold({ packageId: (await newPackage({ validDays: 60 })).id, deviceIds: [other.id], copies: 2 })
  await talk(other.id, TURNS, 100)
  await fold()
  expect(await runAt(0)).toBe(0)
})

test('AGENT-16 a pack that was used up before a gap of three days between runs causes one warning', async () => {
  const before = await count()
  const [device] = await running(300)
  await talk(device!, TURNS, 99)
  await fold()
  expect(await runAt(3)).toBe(1)
  expect(await runAt(3)).toBe(0)
  expect(await runAt(4)).toBe(0)
  const [ended] = await running(2)
  await talk(ended!, TURNS, 99)
  await fold()
  expect(await runAt(3)).toBe(0)
  expect(await titlesSince(before)).toEqual(['1项语音套餐权益已用完'])
})

test('AGENT-16 of several packs of a device, only the last one causes a warning when it is used up', async () => {
  const before = await count()
  const device = await newDevice()
  await sold({ packageId: (await newPackage({ validDays: 300 })).id, deviceIds: [device.id], copies: 2 })
  await talk(device.id, TURNS, 150)
  await fold()
  expect(await runAt(0)).toBe(0)
  await talk(device.id, TURNS, 50)
  await fold()
  expect(await runAt(0)).toBe(1)
  expect(await runAt(0)).toBe(0)
  expect(await titlesSince(before)).toEqual(['1项语音套餐权益已用完'])
})

test('AGENT-16 when a tenant has no recipients, platform staff with the tenant in their data scope get its warnings', async () => {
  const limited = await app.by({ permissions: ['agent:order:query'], dataScope: 3, scopeIds: [people.tenantId] })
  const { uid } = await app.by({ tenant: '无人公司' })
  const { id: tenantId } = await lab.one<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)
  const device = await newDevice(await newAgent(tenantId), tenantId)
  await sold({ tenantId, packageId: (await newPackage()).id, deviceIds: [device.id] })
  await talk(device.id, TURNS, 100)
  await fold()
  expect(await runAt(0)).toBe(1)
  const { title, content } = (await messagesOf(people.seller)).at(-1)!
  expect(title).toBe('1项语音套餐权益已用完')
  expect(content).toContain('客户「无人公司」没有可以接收提醒的账号，请联系该客户。')
  expect(await messagesOf(limited)).toEqual([])
})

test('AGENT-16 the warning describes the effect of the limit as set in usage.limit of the tenant', async () => {
  await app.db.execute(
    sql`insert into agent_params (tenant_id, code, value) values (${people.tenantId}, 'usage.limit', '2')`,
  )
  app.services.agentParameters.forget()
  await running(60)
  expect(await runAt(55)).toBe(1)
  expect((await messagesOf(reader)).at(-1)!.content).toContain('设备没有其他套餐时停止对话，只播报提示语')
})

test('AGENT-16 a failure of one tenant does not stop the others, and the next run sends the missing warnings', async () => {
  const owner = await app.by({ tenant: '另一家', permissions: ['agent:order:query'] })
  const { id: tenantId } = await lab.one<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${owner.uid}`,
  )
  const device = await newDevice(await newAgent(tenantId), tenantId)
  await sold({ tenantId, packageId: (await newPackage({ validDays: 60 })).id, deviceIds: [device.id] })
  await talk(device.id, TURNS, 1)
  await running(60)
  await app.db.execute(
    sql`create function refuse_notice() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
  )
  await app.db.execute(
    sql.raw(
      `create trigger refuse_notice before insert on notices for each row when (${reader.uid} = any(new.target_ids)) execute function refuse_notice()`,
    ),
  )
  const late = { ...app.services, now: () => new Date(Date.now() + 55 * DAY_MS) }
  expect(await runGrantWarnings(late)).toEqual({ warned: 1, failedItems: 1 })
  await app.db.execute(sql`drop trigger refuse_notice on notices`)
  expect(await titlesSince(0, owner)).toEqual(['1项语音套餐权益将在 7 天内到期'])
  expect(await runGrantWarnings(late)).toEqual({ warned: 1, failedItems: 0 })
})

test('AGENT-16 simultaneous runs of several processes send one warning per grant', async () => {
  const before = await count()
  await running(60, 3)
  const runs = await Promise.all([runAt(55), runAt(55), runAt(55)])
  expect(runs.reduce((sum, n) => sum + n, 0)).toBe(3)
  expect((await titlesSince(before)).length).toBeGreaterThan(0)
  await clockAt(61)
  expect(await runAt(62)).toBe(0)
})
