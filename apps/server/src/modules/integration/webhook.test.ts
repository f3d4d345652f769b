import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { publishOutboxEvent } from './outbox.ts'
import { WebhookSender } from './sender.ts'

const app = useApp()
const ROOT = '/api/v1/sys/webhook'
const PERMISSIONS = ['list', 'add', 'edit', 'remove', 'resend'].map((action) => `system:webhooks:${action}`)

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

/** Starts a receiver. `respond` answers each request after its body was read; default: status 204. */
async function receiver(respond: RequestListener = (_, response) => response.writeHead(204).end()) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    respond(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1`, received }
}

let made = 0
const staff = () => app.by({ permissions: PERMISSIONS })
async function endpoint(by: Caller, url: string, events = ['ticket.created']) {
  const { data } = await by.call('POST', ROOT, { name: `接收 ${++made}`, kind: 'webhook', url, events })
  return data as { id: number; secret: string }
}
const publish = (type: 'ticket.created' | 'grant.decided', tenantId = 1, data: object = { id: 7 }) =>
  app.db.transaction((db) => publishOutboxEvent(app.services, db, { type, tenantId, data: { ...data } }))
const deliveries = async (by: Caller, id: number) =>
  (await by.call('GET', `${ROOT}/delivery/page?pageNum=1&pageSize=50&endpointId=${id}`)).data.list
const detail = async (by: Caller, id: number) => (await by.call('GET', `${ROOT}/detail/${id}`)).data
const due = (id: number) =>
  app.db.execute(sql`update webhook_deliveries set next_time = now() where endpoint_id = ${id} and state = 0`)

test('an event arrives within two seconds of its commit, signed by Standard Webhooks', async () => {
  const by = await staff()
  const { url, received } = await receiver()
  const { id, secret } = await endpoint(by, url)
  const startedAt = Date.now()
  await publish('grant.decided')
  await publish('ticket.created', 1, { id: 7, feedbackNo: 'FB1' })
  await expect.poll(() => received.length, { interval: 20 }).toBe(1)
  expect(Date.now() - startedAt).toBeLessThan(2000)
  const { headers, body } = received[0]!
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'ticket.created',
    tenantId: 1,
    data: { id: 7, feedbackNo: 'FB1' },
  })
  await app.services.webhooks.drain()
  expect(await deliveries(by, id)).toMatchObject([
    { state: 1, attempts: 1, httpStatus: 204, eventId: headers['webhook-id'] },
  ])
})

test('an event of a change that is rolled back is not sent', async () => {
  const by = await staff()
  const { url, received } = await receiver()
  await endpoint(by, url)
  const failed = app.db.transaction(async (db) => {
    await publishOutboxEvent(app.services, db, { type: 'ticket.created', tenantId: 1, data: {} })
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  await app.services.webhooks.drain()
  expect(received).toHaveLength(0)
})

test('a failed attempt is repeated later with the same id and content, and a success ends the failures', async () => {
  const by = await staff()
  let status = 500
  const { url, received } = await receiver((_, response) => response.writeHead(status).end('busy'))
  const { id } = await endpoint(by, url)
  await publish('ticket.created')
  await app.services.webhooks.drain()
  expect(await deliveries(by, id)).toMatchObject([{ state: 0, attempts: 1, httpStatus: 500, answer: 'busy' }])
  expect(await detail(by, id)).toMatchObject({ failures: 1, waiting: 1 })
  status = 200
  await due(id)
  await app.services.webhooks.drain()
  expect(received).toHaveLength(2)
  expect(received[1]!.body).toBe(received[0]!.body)
  expect(received[1]!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id'])
  expect(await detail(by, id)).toMatchObject({ failures: 0, waiting: 0 })
})

test('a redirect fails and is not followed; 410 disables the endpoint and tells who may correct it', async () => {
  const by = await staff()
  const target = await receiver()
  const { url } = await receiver((_, response) => response.writeHead(302, { location: target.url }).end())
  const { id } = await endpoint(by, url)
  const gone = await receiver((_, response) => response.writeHead(410).end())
  const ended = await endpoint(by, gone.url)
  await publish('ticket.created')
  await app.services.webhooks.drain()
  expect(await deliveries(by, id)).toMatchObject([{ state: 0, httpStatus: 302 }])
  expect(target.received).toHaveLength(0)
  expect(await detail(by, ended.id)).toMatchObject({ state: 3, stateReason: expect.stringContaining('410') })
  const { rows } = await app.db.execute(sql`select title from notices where ${by.uid} = any(target_ids)`)
  expect(rows).toEqual([{ title: expect.stringMatching(/^Webhook「接收 \d+」已停用$/) }])
  await by.call('POST', `${ROOT}/resume/${ended.id}`)
  expect(await detail(by, ended.id)).toMatchObject({ state: 1, stateReason: '' })
})

test('an endpoint without success for five days is disabled', async () => {
  const by = await staff()
  const { url } = await receiver((_, response) => response.writeHead(500).end())
  const { id } = await endpoint(by, url)
  await app.db.execute(
    sql`update webhook_endpoints set failures = 5, failed_since = now() - interval '6 days' where id = ${id}`,
  )
  await publish('ticket.created')
  await app.services.webhooks.drain()
  expect((await detail(by, id)).state).toBe(3)
})

test('a receiver that hangs does not delay the others, and a stopped process leaves its delivery to the next', async () => {
  const by = await staff()
  const slow = await receiver(() => {})
  const fast = await receiver()
  const { id } = await endpoint(by, slow.url)
  await endpoint(by, fast.url)
  await publish('ticket.created')
  await expect.poll(() => fast.received.length, { interval: 20 }).toBe(1)
  await by.call('POST', `${ROOT}/pause/${id}`)
  const other = new WebhookSender(app.services)
  await app.db.execute(sql`update webhook_endpoints set state = 1 where id = ${id}`)
  await due(id)
  other.wake()
  await expect.poll(() => slow.received.length, { interval: 20 }).toBe(2)
  await other.close()
  expect(slow.received[1]!.headers['webhook-id']).toBe(slow.received[0]!.headers['webhook-id'])
  expect(await deliveries(by, id)).toMatchObject([{ state: 0, attempts: 1 }])
})

test('a tenant hears its own events only, the platform hears all, and private addresses are refused to tenants', async () => {
  const own = await app.by({ tenant: '推送客户', permissions: PERMISSIONS })
  const [{ tenantId }] = (
    await app.db.execute<{ tenantId: number }>(sql`select tenant_id as "tenantId" from accounts where uid = ${own.uid}`)
  ).rows as [{ tenantId: number }]
  const by = await staff()
  const { url, received } = await receiver()
  await endpoint(by, url)
  const { id } = await endpoint(own, url)
  await publish('ticket.created')
  await publish('ticket.created', tenantId)
  await app.services.webhooks.drain()
  expect(received.map(({ body }) => JSON.parse(body).tenantId).sort()).toEqual([1, tenantId].sort())
  expect(await deliveries(own, id)).toMatchObject([
    { state: 0, httpStatus: null, answer: expect.stringContaining('内网') },
  ])
  expect((await own.call('GET', `${ROOT}/page?pageNum=1&pageSize=50`)).data.list).toHaveLength(1)
})

test('secrets and keys of addresses are shown in no list, and a rotation keeps both signatures', async () => {
  const by = await staff()
  const { url, received } = await receiver()
  const { id, secret } = await endpoint(by, url)
  const { data: rotated } = await by.call('POST', `${ROOT}/rotate/${id}`)
  expect(JSON.stringify(await detail(by, id))).not.toMatch(/whsec_|key=1/)
  const { data } = await by.call('POST', `${ROOT}/test/${id}`)
  expect(data).toMatchObject({ isDone: true, httpStatus: 204 })
  const { headers, body } = received[0]!
  for (const each of [secret, rotated.secret])
    expect(new Webhook(each).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'ping' })
})

test('a delivery is sent again with its id, and only to an active endpoint', async () => {
  const by = await staff()
  const { url, received } = await receiver()
  const { id } = await endpoint(by, url)
  await publish('ticket.created')
  await app.services.webhooks.drain()
  const [first] = await deliveries(by, id)
  await by.call('POST', `${ROOT}/delivery/resend/${first.id}`)
  await app.services.webhooks.drain()
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([first.eventId, first.eventId])
  await by.call('POST', `${ROOT}/pause/${id}`)
  expect((await by.call('POST', `${ROOT}/delivery/resend/${first.id}`)).msg).toContain('请先恢复')
})

test('an address must belong to the robot, and a tenant has 20 endpoints at most', async () => {
  const by = await app.by({ tenant: '很多推送', permissions: PERMISSIONS })
  const robot = { name: '机器人', kind: 'wecom', events: ['task.failed'] }
  expect(
    (await by.call('POST', ROOT, { ...robot, url: 'https://example.com/cgi-bin/webhook/send?key=1' })).msg,
  ).toContain('企业微信机器人')
  const url = 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=1'
  expect((await by.call('POST', ROOT, { ...robot, url, secret: 'x' })).msg).toContain('没有加签密钥')
  for (let n = 0; n < 20; n += 1) await by.call('POST', ROOT, { ...robot, name: `机器人${n}`, url })
  expect((await by.call('POST', ROOT, { ...robot, url })).msg).toContain('不能超过20个')
})
