import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { queueMail, registerMail } from './mail.ts'

/** A mail server that refuses the next `refusals` mails. */
const received: string[] = []
let refusals = 0
let smtp: Server
const server = useApp({ OMS_SMTP_URL: 'smtp://127.0.0.1:1', OMS_MAIL_FROM: 'oms@example.com' })

function serveSmtp(socket: Socket) {
  let body: string | undefined
  socket.on('error', () => {})
  socket.write('220 test\r\n')
  socket.on('data', (chunk) => {
    const text = String(chunk)
    if (body !== undefined) {
      body += text
      if (!body.endsWith('\r\n.\r\n')) return
      received.push(body)
      body = undefined
      socket.write('250 ok\r\n')
    } else if (/^data/i.test(text)) {
      body = ''
      socket.write('354 go on\r\n')
    } else if (/^mail/i.test(text) && refusals > 0) {
      refusals -= 1
      socket.write('451 try again later\r\n')
    } else socket.write(/^quit/i.test(text) ? '221 bye\r\n' : '250 ok\r\n')
  })
}

beforeAll(async () => {
  smtp = createServer(serveSmtp)
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  const { port } = smtp.address() as AddressInfo
  const { Mailer } = await import('./mail.ts')
  Object.assign(server.services, { mail: new Mailer({ url: `smtp://127.0.0.1:${port}`, from: 'oms@example.com' }) })
  registerMail(server.services)
})
afterAll(() => smtp?.close())

const mailTo = (key: string, validMinutes = 15) =>
  server.db.transaction((db) =>
    queueMail(
      server.services,
      db,
      { to: 'a@example.com', subject: 'code', text: `secret-${key}`, limitKey: key, validMinutes },
      3,
    ),
  )

test('a mail that the server refuses is stored encrypted and sent again', async () => {
  refusals = 2
  expect(await mailTo('kept')).toBe(true)
  const { rows } = await server.db.execute<{ data: unknown }>(sql`select data from pgboss.job where name = 'mail'`)
  expect(JSON.stringify(rows)).not.toContain('secret-kept')
  await server.services.jobs.drain()
  expect(refusals).toBe(0)
  expect(received.filter((mail) => mail.includes('secret-kept'))).toHaveLength(1)
})

test('at most three mails per hour and key are sent, also for concurrent requests', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => mailTo('limited')))
  expect(results.filter(Boolean)).toHaveLength(3)
  expect(await mailTo('limited')).toBe(false)
  await server.db.execute(
    sql`update pgboss.job set created_on = created_on - interval '61 minutes' where singleton_key = 'limited'`,
  )
  expect(await mailTo('limited')).toBe(true)
})

test('an expired mail is dropped, and a failed job shows the loss to the operator', async () => {
  await mailTo('expired', -1)
  await server.services.jobs.drain()
  expect(received.filter((mail) => mail.includes('secret-expired'))).toEqual([])
  const { rows } = await server.db.execute(sql`select title, state, error from jobs where kind = 'mail'`)
  expect(rows).toMatchObject([
    { title: '邮件发送', state: 'failed', error: expect.stringContaining('有效期内未能发出') },
  ])
})
