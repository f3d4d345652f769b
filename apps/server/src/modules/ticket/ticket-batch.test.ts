import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
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
const OPTIONS = { hardware: ['1', '9', '99'], software: ['4'], structure: ['2'] }

test('a comment of another account is in the timeline and leaves the version of the ticket', async () => {
  const [handler, other] = [await server.as(...AGENT_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
  const id = await createTicketBy(handler)
  await handleTicket(handler, id)
  const before = await readTicket(handler, id)
  const comment = (remark: string) => other.call('POST', `${TICKET_URL}/comment`, { id, remark })
  expect(await comment('')).toMatchObject({ code: 400, data: { field: 'remark' } })
  expect(await comment('客户下午在家')).toMatchObject({ code: 200 })
  const records = await readTicketRecords(handler, id)
  expect(records[0]).toMatchObject({ kind: 12, remark: '客户下午在家', status: before.status })
  expect(await readTicket(handler, id)).toMatchObject({ version: before.version, status: before.status })
})

describe('batches', () => {
  test("a ticket cannot be assigned to an account whose data scope does not contain the ticket's tenant", async () => {
    const lead = await server.as(...LEAD_PERMISSIONS)
    const customer = await server.by({ tenant: '范围外客户', permissions: AGENT_PERMISSIONS })
    const id = await createTicketBy(customer)
    const assignTo = ({ uid }: { readonly uid: number }) =>
      lead.call('POST', `${TICKET_URL}/assign`, { ids: [id], handlerId: uid })
    const limited = await server.by({ permissions: AGENT_PERMISSIONS, dataScope: 3 })
    expect(await assignTo(limited)).toMatchObject({
      code: 400,
      msg: '该处理人员的数据范围不包含工单所属客户，请重新选择',
      data: { field: 'handlerId' },
    })
    for (const handler of [lead, customer]) expect((await assignTo(handler)).data).toMatchObject({ done: 1 })
  })

  test('a ticket cannot be assigned to an account without handling permission, and selects do not offer the account', async () => {
    const [lead, reader] = [await server.as(...LEAD_PERMISSIONS), await server.as('AfterService:Questions:list')]
    const refusal = { code: 400, msg: '该处理人员没有处理工单的权限，请重新选择', data: { field: 'handlerId' } }
    const assignment = { ids: [await createTicketBy(lead)], handlerId: reader.uid }
    expect(await lead.call('POST', `${TICKET_URL}/assign`, assignment)).toMatchObject(refusal)
    expect(await handleTicket(lead, assignment.ids[0]!, { handlerId: reader.uid })).toMatchObject(refusal)
    const offered = async (query: string) =>
      (await lead.call('GET', `/api/v1/account/search?pageSize=100&${query}`)).data.list.map(
        ({ uid }: { uid: number }) => uid,
      )
    expect(await offered('')).toContain(reader.uid)
    expect(await offered('forTickets=1')).not.toContain(reader.uid)
    expect(await offered('forTickets=1')).toContain(lead.uid)
  })

  test('assigning a ticket that was assigned to somebody else meanwhile fails and names the handler', async () => {
    const [lead, other] = [await server.as(...LEAD_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
    const [id, free] = [await createTicketBy(lead), await createTicketBy(lead)]
    const assign = (ids: number[], uid: number) =>
      lead.call('POST', `${TICKET_URL}/assign`, { ids, handlerId: uid, seen: ids.map(() => 0) })
    expect((await assign([id], other.uid)).data).toMatchObject({ done: 1 })
    const msg = expect.stringMatching(/^该工单已改由.+处理，请刷新后重试$/)
    expect(await assign([id], lead.uid)).toMatchObject({ code: 400, msg })
    expect((await assign([free, id], lead.uid)).data).toMatchObject({ done: 1, failed: [{ id, msg }] })
    expect(await readTicket(lead, id)).toMatchObject({ handlerId: other.uid })
  })

  test('each ticket of a batch succeeds or fails independently', async () => {
    const [lead, other] = [await server.as(...LEAD_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
    const [a, b] = [await createTicketBy(lead), await createTicketBy(lead)]
    await handleTicket(other, b)
    const answer = await lead.call('POST', `${TICKET_URL}/close`, { ids: [a, b, 2_000_000_000], remark: '批量' })
    expect(answer.data).toMatchObject({
      done: 1,
      failed: [{ id: b, msg: '您没有权限！' }, { msg: '工单不存在或已被删除' }],
    })
    const assigned = await lead.call('POST', `${TICKET_URL}/assign`, { ids: [a, b], handlerId: lead.uid })
    expect(assigned.data).toMatchObject({ done: 1, failed: [{ id: a, msg: '该工单已关闭' }] })
    expect(await readTicket(lead, b)).toMatchObject({ handlerId: lead.uid })
    await lead.call('POST', `${TICKET_URL}/priority`, { ids: [b], priority: 4 })
    await lead.call('POST', `${TICKET_URL}/tags`, { ids: [b], tags: '返修,加急' })
    await lead.call('POST', `${TICKET_URL}/tags`, { ids: [b], tags: ['返修'], mode: 'remove' })
    expect(await readTicket(lead, b)).toMatchObject({ priority: 4, tags: ['加急'] })
    const details = (await readTicketRecords(lead, b)).map((record: { detail: string }) => record.detail)
    expect(details).toContain('优先级：普通 → 紧急')
    const history = await server.db.execute<{ n: number }>(
      sql`select count(*)::int as n from oper_logs where biz_type = 'ticket' and biz_id = ${String(b)}`,
    )
    expect(history.rows[0]?.n).toBeGreaterThan(3)
  })

  test('duplicate tickets are merged into one ticket, stay linked to it and are handled there', async () => {
    const lead = await server.as(...LEAD_PERMISSIONS)
    const [main, x, y] = [
      await createTicketBy(lead),
      await createTicketBy(lead, { tags: ['甲'] }),
      await createTicketBy(lead),
    ]
    expect((await lead.call('POST', `${TICKET_URL}/merge`, { ids: [x, main], intoId: main })).data.done).toBe(1)
    expect((await lead.call('POST', `${TICKET_URL}/merge`, { ids: [main], intoId: y })).data.done).toBe(1)
    expect(await readTicket(lead, x)).toMatchObject({ status: 5, mergedInto: { id: y } })
    expect((await readTicket(lead, y)).merged.map(({ id }: { id: number }) => id)).toEqual([main, x])
    expect((await readTicket(lead, y)).tags).toEqual(['甲'])
    expect((await handleTicket(lead, x)).msg).toBe('该工单已合并到其他工单，请在主工单中处理')
    expect((await lead.call('POST', `${TICKET_URL}/merge`, { ids: [y], intoId: x })).code).toBe(400)
    const alien = await server.by({ tenant: '丙方', permissions: LEAD_PERMISSIONS })
    const foreign = await createTicketBy(alien)
    expect((await lead.call('POST', `${TICKET_URL}/merge`, { ids: [foreign], intoId: y })).msg).toBe(
      '不能合并不同客户的工单',
    )
  })

  test('the rating of the customer is kept after the ticket is closed', async () => {
    const lead = await server.as(...LEAD_PERMISSIONS)
    const id = await createTicketBy(lead)
    expect((await lead.call('POST', `${TICKET_URL}/rate`, { id, satisfaction: 5 })).code).toBe(400)
    await handleTicket(lead, id, { status: 5 })
    await lead.call('POST', `${TICKET_URL}/rate`, { id, satisfaction: 4, satisfactionRemark: '很快' })
    expect(await readTicket(lead, id)).toMatchObject({ satisfaction: 4, satisfactionRemark: '很快' })
  })

  test('staff cannot change a rating that the customer gave', async () => {
    const lead = await server.as(...LEAD_PERMISSIONS)
    const id = await createTicketBy(lead)
    await handleTicket(lead, id, { status: 5 })
    await server.db.execute(sql`update tickets set satisfaction = 2 where id = ${id}`)
    await server.db.execute(sql`insert into ticket_records (ticket_id, kind, status) values (${id}, 9, 5)`)
    const { msg } = await lead.call('POST', `${TICKET_URL}/rate`, { id, satisfaction: 5 })
    expect([msg, (await readTicket(lead, id)).satisfaction]).toEqual(['客户已评价，不能修改', 2])
  })
})

test('every filter of the ticket list works, alone and combined', async () => {
  const me = await server.as(...LEAD_PERMISSIONS)
  const id = await createTicketBy(me, { account: 'filters', tags: ['甲'], content: '画面花屏' })
  await handleTicket(me, id, { problemAttr: JSON.stringify(OPTIONS) })
  const count = async (query: string) =>
    (await me.call('GET', `${TICKET_URL}/page?account=filters&${query}`)).data.total
  for (const query of [
    'keyword=filters',
    'content=%E8%8A%B1%E5%B1%8F',
    'status=1',
    'open=1',
    `handlerId=${me.uid}`,
    `lastHandlerId=${me.uid}`,
    'unassigned=0',
    'priority=2',
    'source=2',
    'tag=%E7%94%B2',
    'breached=0',
    'hardware=9',
    'software=4',
    'structure=2',
    'minAge=0&maxAge=1',
    'reopened=0',
    'responded=1',
    'merged=0',
    'rated=0',
    'beginTime=2000-01-01&endTime=2200-01-01',
    'orderByColumn=priority&isAsc=asc',
    'problemType=1',
  ])
    expect(await count(query), query).toBe(1)
  for (const query of [
    'hardware=2',
    'open=0',
    'unassigned=1',
    'minAge=2',
    'merged=1',
    'modelId=1',
    'closeBegin=2000-01-01',
  ])
    expect(await count(query), query).toBe(0)
  const csv = await me.inject({ url: `${TICKET_URL}/export?format=csv&account=filters` })
  expect(csv.body).toContain('画面花屏')
})

test('the device list shows the number of tickets of each device, and a ticket shows its device', async () => {
  const me = await server.as(...LEAD_PERMISSIONS, 'AfterService:Equipment:list', 'AfterService:Equipment:export')
  await createDevice(server.db, 1, { sn: 'SN-DESK-1' })
  const [a] = [await createTicketBy(me, { sn: 'SN-DESK-1' }), await createTicketBy(me, { sn: 'SN-DESK-1' })]
  await handleTicket(me, a!, { status: 5 })
  const { data } = await me.call('GET', `${TICKET_URL}/device/page?sn=SN-DESK&tickets=2`)
  expect(data.list).toMatchObject([
    { sn: 'SN-DESK-1', ticketCount: 2, openCount: 1, lastTicketTime: expect.any(String) },
  ])
  const context = (await me.call('GET', `${TICKET_URL}/device/SN-DESK-1`)).data
  expect(context).toMatchObject({ found: true, device: { devName: '客厅摄像机', openCount: 1 } })
  expect(context.tickets).toHaveLength(2)
  expect((await me.call('GET', `${TICKET_URL}/device/NOT-THERE`)).data).toMatchObject({ found: false, tickets: [] })
  expect((await me.call('POST', TICKET_URL, { problemType: 1, content: 'x', sn: 'NOT-THERE' })).data.field).toBe('sn')
  const csv = await me.inject({ url: `${TICKET_URL}/device/export?format=csv&sn=SN-DESK` })
  expect(csv.body).toContain('SN-DESK-1')
})
