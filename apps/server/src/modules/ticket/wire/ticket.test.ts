import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import type { PlainCall } from '#modules/device/wire/request.ts'
import { handleTicketReport } from './ticket.ts'

const server = useApp()
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const say = (body: object) =>
  handleTicketReport({
    side: { services: server.services },
    deviceId: 1,
    tenantId: 1,
    sn: 'SN-1',
    body,
  } as unknown as PlainCall)

test('a device creates a ticket with a picture and a log that the service desk can open', async () => {
  const log = Buffer.from('boot failed').toString('base64')
  const { status, body } = await say({
    problemType: 2,
    content: '启动\u0000失败',
    account: 'user@example.com',
    files: [
      { name: '现场.png', data: PNG },
      { name: 'boot.txt', data: log },
    ],
  })
  expect(status).toBe(200)
  const { feedbackNo } = body as { feedbackNo: string }
  const reader = await server.as('AfterService:Questions:list', 'AfterService:Questions:query')
  const { data } = await reader.call('GET', `/api/v1/feedback/page?feedbackNo=${feedbackNo}`)
  const info = (await reader.call('GET', `/api/v1/feedback/info/${data.list[0].id}`)).data
  expect(info).toMatchObject({ content: '启动 失败', source: 4, account: 'user@example.com', problemType: 2 })
  expect(info.attachments).toMatchObject([{ name: 'boot.txt', size: 11 }])
  expect((await reader.inject({ url: info.images })).headers['content-type']).toBe('image/png')
})

test('an invalid ticket report is refused with a message and stores nothing', async () => {
  const wrong: object[] = [
    {},
    { problemType: 4, content: 'x' },
    { problemType: 1 },
    { problemType: 1, content: '  ' },
    { problemType: 1, content: 'x', priority: 9 },
    { problemType: 1, content: 'x', files: 'x' },
    { problemType: 1, content: 'x', files: [{ name: 'a.exe', data: PNG }] },
    { problemType: 1, content: 'x', files: [{ name: 'a.png', data: 'AAAA' }] },
    { problemType: 1, content: 'x', files: Array.from({ length: 6 }, () => ({ name: 'a.png', data: PNG })) },
  ]
  const { rows: before } = await server.db.execute(sql`select count(*) as n from tickets`)
  for (const body of wrong) await expect(say(body), JSON.stringify(body)).rejects.toMatchObject({ status: 400 })
  expect((await server.db.execute(sql`select count(*) as n from tickets`)).rows).toEqual(before)
})
