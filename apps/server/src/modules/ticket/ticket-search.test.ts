import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { createDevice, createTicketBy, LEAD_PERMISSIONS, readTicket, TICKET_URL } from './ticket-fixture.ts'

const server = useApp()

test('a ticket is found by any part of its number, using an index', async () => {
  const lead = await server.as(...LEAD_PERMISSIONS)
  const id = await createTicketBy(lead, { content: '编号搜索' })
  const { feedbackNo } = await readTicket(lead, id)
  const found = async (keyword: string) =>
    (await lead.call('GET', `${TICKET_URL}/page?keyword=${keyword}&pageNum=1&pageSize=100`)).data.list.map(
      (row: { id: number }) => row.id,
    )
  for (const keyword of [feedbackNo, feedbackNo.toLowerCase(), feedbackNo.slice(0, -1), feedbackNo.slice(-5)])
    expect(await found(keyword), keyword).toContain(id)
  const { rows } = await server.db.execute(sql`select indexdef from pg_indexes where indexname = 'tickets_no_trgm'`)
  expect(rows).toHaveLength(1)
})

test('the names of handlers and firmware in a filter are returned only for visible tickets', async () => {
  const lead = await server.as(...LEAD_PERMISSIONS)
  await createDevice(server.db, 1, { sn: 'SN-NAMED-1' })
  await server.db.execute(sql`update devices set os_ver = '', ver_code = 7300 where sn = 'SN-NAMED-1'`)
  await server.db.execute(sql`insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date)
    select 1, model_id, 7300, '冬季版', '2026-01-01 08:00:00' from devices where sn = 'SN-NAMED-1'`)
  const id = await createTicketBy(lead, { sn: 'SN-NAMED-1', handlerId: lead.uid })
  const { modelId, modelName, handler } = await readTicket(lead, id)
  const url = `${TICKET_URL}/filter/names?handlerId=${lead.uid}&modelId=${modelId}&verCode=7300`
  expect((await lead.call('GET', url)).data).toEqual({ handler, lastHandler: '', version: `${modelName} 冬季版` })
  const stranger = await server.as('AfterService:Questions:list')
  const nobody = `${TICKET_URL}/filter/names?lastHandlerId=${stranger.uid}&verCode=0`
  expect((await stranger.call('GET', nobody)).data).toEqual({ handler: '', lastHandler: '', version: '' })
})
