import { STANDARD_SLA } from '@oms/contract/ticket/ticket-desk.ts'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createTicketFromDevice } from './create-ticket.ts'
import { useApp } from '#test/harness.ts'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import { rollUpTicketFacts } from './model-statistics.ts'
import { runTicketSchedule } from './schedule.ts'
import {
  AGENT_PERMISSIONS,
  createDevice,
  handleTicket,
  readTicket,
  LEAD_PERMISSIONS,
  readTicketRecords,
  createTicketBy,
  TICKET_URL,
} from './ticket-fixture.ts'

const server = useApp()
const age = (id: number, days: number) =>
  server.db.execute(
    sql`update tickets set create_time = create_time - make_interval(days => ${days}::int), sla_next_time = now() where id = ${id}`,
  )
const inboxOf = async (uid: number) =>
  (
    await server.db.execute<{ title: string }>(
      sql`select title from notices where target = 4 and ${uid} = any(target_ids)`,
    )
  ).rows.map(({ title }) => title)

describe('scheduled job', () => {
  test('a late ticket is marked and recorded once, and its handler is notified', async () => {
    const me = await server.as(...LEAD_PERMISSIONS)
    const id = await createTicketBy(me)
    await handleTicket(me, id)
    expect(await readTicket(me, id)).toMatchObject({ slaState: 1, slaSolveDue: expect.any(String) })
    await age(id, 90)
    await runTicketSchedule(server.services)
    await runTicketSchedule(server.services)
    const info = await readTicket(me, id)
    expect(info.slaState).toBe(3)
    const late = (await readTicketRecords(me, id)).filter((record: { kind: number }) => record.kind === 10)
    expect(late).toMatchObject([{ detail: '解决已超时', realname: '系统' }])
    expect((await inboxOf(me.uid)).filter((title) => title.includes(info.feedbackNo))).toHaveLength(1)
    expect((await me.call('GET', `${TICKET_URL}/page?breached=1&handlerId=${me.uid}`)).data.total).toBe(1)
  })

  test('an error in one ticket does not stop the scheduled run for the other tickets', async () => {
    const me = await server.as(...LEAD_PERMISSIONS)
    const [broken, other] = [await createTicketBy(me), await createTicketBy(me)]
    for (const id of [broken, other]) {
      await handleTicket(me, id)
      await age(id, 90)
    }
    await server.db.execute(
      sql.raw(`create function fail_ticket() returns trigger language plpgsql as
        'begin raise exception using message = ''broken ticket''; end'`),
    )
    await server.db.execute(
      sql.raw(`create trigger fail_ticket before update on tickets for each row
        when (new.id = ${broken}) execute function fail_ticket()`),
    )
    expect(await runTicketSchedule(server.services)).toMatchObject({ failedItems: 1 })
    expect(await readTicket(me, other)).toMatchObject({ slaState: 3 })
    expect(await readTicket(me, broken)).toMatchObject({ slaState: 1 })
    await server.db.execute(sql`drop trigger fail_ticket on tickets`)
    expect(await runTicketSchedule(server.services)).toMatchObject({ failedItems: 0 })
    expect(await readTicket(me, broken)).toMatchObject({ slaState: 3 })
  })

  test('the handler of a suspended ticket gets a reminder at the set time', async () => {
    const me = await server.as(...LEAD_PERMISSIONS)
    const id = await createTicketBy(me)
    const past = await handleTicket(me, id, { status: 4, suspendUntil: '2020-01-01 00:00:00' })
    expect(past).toMatchObject({ code: 400, data: { field: 'suspendUntil' } })
    expect((await handleTicket(me, id, { status: 4, suspendUntil: '2200-01-01 00:00:00' })).code).toBe(200)
    await runTicketSchedule(server.services)
    expect(await readTicket(me, id)).toMatchObject({ status: 4, suspendUntil: '2200-01-01 00:00:00', slaState: 1 })
    await server.db.execute(sql`update tickets set suspend_until = now() where id = ${id}`)
    await runTicketSchedule(server.services)
    const info = await readTicket(me, id)
    expect(info.suspendUntil).toBeNull()
    expect(await inboxOf(me.uid)).toContain(`工单 ${info.feedbackNo} 挂起到期`)
  })

  test('a ticket can be suspended until the last possible date', async () => {
    const me = await server.as(...LEAD_PERMISSIONS)
    for (const until of ['9999-12-31 00:00:00', '9999-12-31 23:59:59', '2999-02-28 12:00:00']) {
      const id = await createTicketBy(me)
      expect(await handleTicket(me, id, { status: 4, suspendUntil: until })).toMatchObject({ code: 200 })
      expect(await readTicket(me, id)).toMatchObject({ suspendUntil: until })
      expect(await handleTicket(me, id, { status: 2 })).toMatchObject({ code: 200 })
    }
  })

  test('new ticket time limits are validated, saved and applied to open tickets', async () => {
    const me = await server.as('AfterService:Questions:list', 'AfterService:Questions:sla')
    const sla = (await me.call('GET', `${TICKET_URL}/sla`)).data
    expect(sla).toEqual({ ...STANDARD_SLA, rev: 0, missingYear: expect.any(Number) })
    const overlap = [
      { start: '09:00', end: '12:00' },
      { start: '11:00', end: '18:00' },
    ]
    const wrong = await me.call('PUT', `${TICKET_URL}/sla`, { ...sla, calendar: { ...sla.calendar, periods: overlap } })
    expect(wrong).toMatchObject({ code: 400, msg: '工作时段不能重叠' })
    const days = ['2026-01-01', '2026-01-02']
    const twice = { ...sla.calendar, holidays: days, workdays: days }
    const both = await me.call('PUT', `${TICKET_URL}/sla`, { ...sla, calendar: twice })
    expect(both).toMatchObject({
      code: 400,
      msg: '2026-01-01、2026-01-02 不能既是节假日又是调休上班日',
      data: { field: 'calendar.workdays' },
    })
    expect((await me.call('PUT', `${TICKET_URL}/sla`, { ...sla, enabled: false })).code).toBe(200)
    const agent = await server.as(...AGENT_PERMISSIONS)
    expect((await readTicket(agent, await createTicketBy(agent))).slaState).toBe(0)
    expect((await me.call('PUT', `${TICKET_URL}/sla`, { ...sla, rev: 1 })).code).toBe(200)
    const customer = await server.by({ tenant: '甲方', permissions: ['AfterService:Questions:sla'] })
    expect((await customer.call('PUT', `${TICKET_URL}/sla`, sla)).code).toBe(501)
  })
})

test('two accounts that view the same ticket see each other until one of them leaves', async () => {
  const [a, b] = [await server.as(...AGENT_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
  const id = await createTicketBy(a)
  const beat = async (who: typeof a, body: object = {}) =>
    (await who.call('POST', `${TICKET_URL}/viewers/${id}`, body)).data
  expect(await beat(a)).toEqual([])
  expect(await beat(b, { typing: 1 })).toMatchObject([{ uid: a.uid, typing: 0 }])
  expect(await beat(a)).toMatchObject([{ uid: b.uid, typing: 1 }])
  await beat(b, { leave: 1 })
  expect(await beat(a)).toEqual([])
})

test('reply templates belong to a tenant, can be searched and require permissions', async () => {
  const lead = await server.as(...LEAD_PERMISSIONS, 'AfterService:Questions:template')
  const template = { title: '请寄回', content: '请将设备寄回维修中心' }
  const { data } = await lead.call('POST', `${TICKET_URL}/template`, template)
  expect((await lead.call('POST', `${TICKET_URL}/template`, template)).data).toEqual({ field: 'title' })
  const found = (await lead.call('GET', `${TICKET_URL}/template?keyword=%E5%AF%84%E5%9B%9E`)).data
  expect(found).toMatchObject([{ id: data.id, title: '请寄回' }])
  expect((await lead.call('PUT', `${TICKET_URL}/template`, { ...template, id: data.id, rev: 0, sort: 3 })).code).toBe(
    200,
  )
  expect(
    (await lead.call('PUT', `${TICKET_URL}/template`, { ...template, id: data.id, rev: 0 })).data.conflict,
  ).toBeDefined()
  const other = await server.by({
    tenant: '乙方',
    permissions: [...LEAD_PERMISSIONS, 'AfterService:Questions:template'],
  })
  expect((await other.call('GET', `${TICKET_URL}/template`)).data).toEqual([])
  expect((await other.call('DELETE', `${TICKET_URL}/template/${data.id}`)).code).toBe(400)
  expect((await lead.call('DELETE', `${TICKET_URL}/template/${data.id}`)).code).toBe(200)
  const nobody = await server.as()
  expect((await nobody.call('GET', `${TICKET_URL}/template`)).code).toBe(501)
})

test('a device can create tickets for itself and have at most twenty open tickets', async () => {
  const { id: deviceId } = await createDevice(server.db, 1, { sn: 'SN-SELF' })
  const report = { deviceId, tenantId: 1, sn: 'SN-SELF', problemType: 1, content: '存储卡异常' }
  const made = await createTicketFromDevice(server.services, report)
  const me = await server.as(...AGENT_PERMISSIONS)
  expect(await readTicket(me, made.id)).toMatchObject({ sn: 'SN-SELF', source: 4, account: '', modelName: /^型号/ })
  for (let i = 0; i < 19; i++) await createTicketFromDevice(server.services, report)
  await expect(createTicketFromDevice(server.services, report)).rejects.toThrow('20个未关闭')
})

test('simultaneous reports of one device do not exceed the limit of open tickets or create a ticket twice', async () => {
  const { id: deviceId } = await createDevice(server.db, 1, { sn: 'SN-ATONCE' })
  const report = { deviceId, tenantId: 1, sn: 'SN-ATONCE', problemType: 1, content: '没有声音' }
  const once = { ...report, isOnce: true }
  const same = await Promise.all(Array.from({ length: 6 }, () => createTicketFromDevice(server.services, once)))
  expect(new Set(same.map(({ feedbackNo }) => feedbackNo)).size).toBe(1)
  expect(same.filter(({ isExisting }) => !isExisting)).toHaveLength(1)
  const more = Array.from({ length: 24 }, () => createTicketFromDevice(server.services, report))
  expect((await Promise.allSettled(more)).filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
})

describe('statistics', () => {
  const query = (from: string, more = '') => `?startDate=${from}&endDate=2199-12-31${more}`
  const today = async () =>
    (await server.db.execute<{ day: string }>(sql`select current_date::text as day`)).rows[0]!.day
  const range = async (more = '') => {
    const day = await today()
    return `?startDate=${day}&endDate=${day}${more}`
  }

  test('the statistics equal a count of the tickets, before and after the daily totals are merged', async () => {
    const me = await server.as(
      ...LEAD_PERMISSIONS,
      'AfterService:StatisticAnalysis:list',
      'AfterService:StatisticAnalysis:export',
    )
    const { modelId } = await createDevice(server.db, 1, { sn: 'SN-STAT', verCode: 300 })
    await rebuildFleetCounts(server.services)
    const [a, b, c] = [
      await createTicketBy(me, { sn: 'SN-STAT', problemType: 1 }),
      await createTicketBy(me, { sn: 'SN-STAT', problemType: 2 }),
      await createTicketBy(me, { sn: 'SN-STAT', problemType: 2 }),
    ]
    await handleTicket(me, a, { status: 5, problemAttr: '{"hardware":["1","9"]}' })
    await me.call('POST', `${TICKET_URL}/rate`, { id: a, satisfaction: 4 })
    await handleTicket(me, b, { status: 5 })
    await handleTicket(me, b, { status: 1 })
    await me.call('POST', `${TICKET_URL}/merge`, { ids: [c], intoId: b })
    const read = async (name: string) =>
      (await me.call('GET', `${TICKET_URL}/statistics/${name}${await range(`&modelId=${modelId}`)}`)).data
    const all = async () => ({
      summary: await read('summary'),
      trend: await read('trend'),
      problem: await read('problem'),
      model: await read('model'),
      handler: await read('handler'),
      heatmap: await read('heatmap'),
      age: await read('age'),
    })
    const before = await all()
    expect(before.summary).toMatchObject({
      created: 2,
      closed: 1,
      backlog: 1,
      unassigned: 0,
      reopened: 1,
      reopenRate: 50,
      satisfaction: 4,
      rated: 1,
    })
    expect(before.trend.days).toMatchObject([{ created: 2, closed: 1, backlog: 1 }])
    expect(before.problem).toMatchObject({
      types: [
        { key: '1', count: 1 },
        { key: '2', count: 1 },
      ],
      hardware: [
        { key: '1', count: 1 },
        { key: '9', count: 1 },
      ],
    })
    expect(before.model.models).toMatchObject([
      { modelId, tickets: 2, devices: 1, rate: 2000, versions: [{ verCode: 300, tickets: 2, rate: 2000 }] },
    ])
    expect(before.handler).toMatchObject([{ uid: me.uid, open: 1, closed: 1, reopened: 1, satisfaction: 4 }])
    expect(before.heatmap).toMatchObject([{ count: 2 }])
    expect(before.age[0]).toMatchObject({ label: '0-1 天', count: 1 })
    await rollUpTicketFacts(server.services)
    expect(await all()).toEqual(before)
    const fresh = await server.db.execute<{ n: number }>(sql`select count(*)::int as n from ticket_facts where fresh`)
    expect(fresh.rows[0]?.n).toBe(0)
    const csv = await me.inject({ url: `${TICKET_URL}/statistics/export${await range('&format=csv')}` })
    expect(csv.body).toContain('新增')
  })

  test('staff of a tenant get statistics of their own tickets, and the date range is limited', async () => {
    const one = await server.by({
      tenant: '统计客户',
      permissions: [...LEAD_PERMISSIONS, 'AfterService:StatisticAnalysis:list'],
    })
    await createTicketBy(one)
    expect((await one.call('GET', `${TICKET_URL}/statistics/summary${await range()}`)).data).toMatchObject({
      created: 1,
      backlog: 1,
    })
    expect((await one.call('GET', `${TICKET_URL}/statistics/summary${query('2026-01-01')}`)).msg).toBe(
      '统计范围不能超过 366 天',
    )
    const upside = '?startDate=2026-02-01&endDate=2026-01-01'
    expect((await one.call('GET', `${TICKET_URL}/statistics/summary${upside}`)).data.field).toBe('endDate')
    for (const path of ['model', 'handler', 'problem', 'heatmap', 'age', 'trend'])
      expect((await one.call('GET', `${TICKET_URL}/statistics/${path}${await range()}`)).code, path).toBe(200)
  })
})

test('a search by telephone number finds tickets, whatever the grouping of the digits', async () => {
  const lead = await server.as(...LEAD_PERMISSIONS)
  const id = await createTicketBy(lead, { contact: '(138) 0013-8021', content: '来电' })
  const found = async (keyword: string) =>
    (
      await lead.call('GET', `${TICKET_URL}/page?keyword=${encodeURIComponent(keyword)}&pageNum=1&pageSize=10`)
    ).data.list.map((row: { id: number }) => row.id)
  for (const keyword of ['13800138021', '138 0013 8021', '8021']) expect(await found(keyword)).toEqual([id])
  expect(await found('13800138022')).toEqual([])
  expect(await found('%')).toEqual([])
})
