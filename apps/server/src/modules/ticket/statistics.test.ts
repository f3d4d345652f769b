import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import { createDevice, handleTicket, LEAD_PERMISSIONS, createTicketBy, TICKET_URL } from './ticket-fixture.ts'

const server = useApp()

test('figures of an account with scope "own records" equal the number of rows in the linked lists', async () => {
  const boss = await server.as(...LEAD_PERMISSIONS)
  const permissions = [...LEAD_PERMISSIONS, 'AfterService:StatisticAnalysis:list', 'device:apkManage:list']
  const me = await server.by({ permissions, dataScope: 4 })
  const { modelId } = await createDevice(server.db, 1, { sn: 'SN-OWN', verCode: 300 })
  await rebuildFleetCounts(server.services)
  const of = (who: Caller, problemType: number) => createTicketBy(who, { sn: 'SN-OWN', problemType })
  const [mine, , hidden, handled] = [await of(me, 1), await of(me, 2), await of(boss, 2), await of(boss, 3)]
  await handleTicket(boss, hidden, { status: 1 })
  await handleTicket(boss, handled, { handlerId: me.uid })
  await handleTicket(me, mine, { status: 5, problemAttr: '{"hardware":["1"]}' })
  const { rows } = await server.db.execute<{ day: string }>(sql`select current_date::text as day`)
  const day = rows[0]!.day
  const read = async (name: string) =>
    (await me.call('GET', `${TICKET_URL}/statistics/${name}?startDate=${day}&endDate=${day}&modelId=${modelId}`)).data
  const listed = async (filter: string) =>
    (await me.call('GET', `${TICKET_URL}/page?pageNum=1&pageSize=10&modelId=${modelId}&merged=0&${filter}`)).data.total
  const created = `beginTime=${day}&endTime=${day}`
  const summary = await read('summary')
  expect(summary).toMatchObject({ created: 3, closed: 1, backlog: 2 })
  expect(summary.created).toBe(await listed(created))
  expect(summary.closed).toBe(await listed(`closeBegin=${day}&closeEnd=${day}`))
  expect((await read('trend')).days).toMatchObject([{ created: 3, closed: 1, backlog: 2 }])
  const { types, hardware } = await read('problem')
  for (const { key, count } of types) expect(count).toBe(await listed(`${created}&problemType=${key}`))
  expect(hardware).toEqual([{ key: '1', count: 1 }])
  const [model] = (await read('model')).models
  expect(model.tickets).toBe(await listed(created))
  // The device belongs to another account.
  expect(model.devices).toBe(0)
  expect((await read('heatmap')).reduce((all: number, { count }: { count: number }) => all + count, 0)).toBe(3)
  for (const { uid, closed, open } of await read('handler')) {
    expect(closed).toBe(await listed(`closeBegin=${day}&closeEnd=${day}&lastHandlerId=${uid}`))
    expect(open).toBe(await listed(`open=1&handlerId=${uid}`))
  }
})
