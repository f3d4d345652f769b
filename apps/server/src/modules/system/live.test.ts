import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { UNREAD_SPREAD_MS } from './live.ts'

const app = useApp()
let port: number
const open: (() => void)[] = []

beforeAll(async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.app.server.address() as AddressInfo).port
})
afterAll(() => {
  for (const close of open) close()
})

/** Opens the stream as a console does and collects the events. */
function listen({ ticket }: Caller) {
  const events: { event: string; data: Record<string, unknown> }[] = []
  const state = { events, ended: false }
  const outgoing = request(
    { port, host: '127.0.0.1', path: '/api/v1/events', headers: { ticket: ticket ?? '' } },
    (reply) => {
      let text = ''
      reply.setEncoding('utf8')
      reply.on('data', (chunk: string) => {
        text += chunk
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
          if (event && data) events.push({ event, data: JSON.parse(data) })
        }
      })
      reply.on('end', () => {
        state.ended = true
      })
    },
  )
  outgoing.on('error', () => {})
  outgoing.end()
  open.push(() => outgoing.destroy())
  return state
}
const arrived = (state: ReturnType<typeof listen>, event: string) =>
  expect.poll(() => state.events.filter((one) => one.event === event))

test('the event stream sends the unread count at its start and when a notice arrives', async () => {
  const me = await app.as()
  const state = listen(me)
  await arrived(state, 'unread').toEqual([{ event: 'unread', data: { count: 0 } }])
  await app.db.execute(sql`insert into notices (tenant_id, title, target, target_ids, status, publish_time)
    values (1, '新消息', 4, array[${me.uid}]::integer[], 1, now())`)
  await app.services.events.publish(app.db, 'notice', { uids: [me.uid], noticeId: 7, title: '新消息' })
  await arrived(state, 'notice').toEqual([{ event: 'notice', data: { noticeId: 7, title: '新消息' } }])
  await expect.poll(() => state.events.at(-1)).toEqual({ event: 'unread', data: { count: 1 } })
})

test('a change of permissions is sent to the affected accounts', async () => {
  const [me, other] = [await app.as(), await app.as()]
  const [mine, others] = [listen(me), listen(other)]
  await arrived(mine, 'unread').toHaveLength(1)
  await arrived(others, 'unread').toHaveLength(1)
  await app.db.transaction((db) => publishRightsChanged(app.services, db, [me.uid]))
  await arrived(mine, 'perms').toHaveLength(2)
  // One event came with the connection; the change did not concern the other account.
  await arrived(others, 'perms').toHaveLength(1)
})

test('changes of one tenant are not sent to another tenant', async () => {
  const [one, two] = [await app.by({ tenant: '甲' }), await app.by({ tenant: '乙' })]
  const [ones, twos] = [listen(one), listen(two)]
  await arrived(ones, 'unread').toHaveLength(1)
  await arrived(twos, 'unread').toHaveLength(1)
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${one.uid}`,
  )
  await app.services.events.publish(app.db, 'changed', { resource: 'device', tenantId: rows[0]?.id ?? 0 })
  await app.services.events.publish(app.db, 'dict', { type: 'company_size' })
  await arrived(ones, 'changed').toEqual([{ event: 'changed', data: { resource: 'device' } }])
  await arrived(twos, 'dict').toHaveLength(1)
  expect(twos.events.filter(({ event }) => event === 'changed')).toEqual([])
})

test('a session that is ended receives the reason, and its event stream closes', async () => {
  const me = await app.as()
  const state = listen(me)
  await arrived(state, 'unread').toHaveLength(1)
  await app.services.sessions.endOf(app.db, [me.uid], 'forced')
  await arrived(state, 'sessionEnd').toEqual([{ event: 'sessionEnd', data: { msg: '你已被登出，请重新登录' } }])
  await expect.poll(() => state.ended).toBe(true)
})

test('after a notice to all accounts each event stream sends its unread count once, at a random time', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => app.as()))
  const states = people.map((each) => listen(each))
  for (const state of states) await arrived(state, 'unread').toHaveLength(1)
  const times: number[] = []
  const counted = states.map(async (state) => {
    await expect.poll(() => state.events.filter(({ event }) => event === 'unread').length, { timeout: 30_000 }).toBe(2)
    times.push(performance.now())
  })
  for (const noticeId of [8, 9, 10])
    await app.services.events.publish(app.db, 'notice', { noticeId, title: '全员通知' })
  for (const state of states) await arrived(state, 'notice').toHaveLength(3)
  // Titles are sent immediately; three messages within the delay are counted once.
  await Promise.all(counted)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(UNREAD_SPREAD_MS / 10)
  for (const { events } of states) expect(events.filter(({ event }) => event === 'unread')).toHaveLength(2)
})
