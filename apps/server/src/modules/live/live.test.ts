import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rightsChanged } from '#kernel/perm-version.ts'
import { type Caller, useApp } from '#test/harness.ts'

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

/** Opens the stream as a console does and gathers what arrives. */
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

test('the unread count comes first, and again when a message arrives', async () => {
  const me = await app.as()
  const state = listen(me)
  await arrived(state, 'unread').toEqual([{ event: 'unread', data: { count: 0 } }])
  await app.db.execute(sql`insert into notices (tenant_id, title, target, target_ids, status, publish_time)
    values (1, '新消息', 4, array[${me.uid}]::integer[], 1, now())`)
  await app.kernel.events.publish(app.db, 'notice', { uids: [me.uid], noticeId: 7, title: '新消息' })
  await arrived(state, 'notice').toEqual([{ event: 'notice', data: { noticeId: 7, title: '新消息' } }])
  await expect.poll(() => state.events.at(-1)).toEqual({ event: 'unread', data: { count: 1 } })
})

test('a change of rights reaches the accounts it is about', async () => {
  const [me, other] = [await app.as(), await app.as()]
  const [mine, others] = [listen(me), listen(other)]
  await arrived(mine, 'unread').toHaveLength(1)
  await arrived(others, 'unread').toHaveLength(1)
  await app.db.transaction((db) => rightsChanged(app.kernel, db, [me.uid]))
  await arrived(mine, 'perms').toHaveLength(2)
  // One came with the connection; the change was not about the other.
  await arrived(others, 'perms').toHaveLength(1)
})

test('changes of one customer are not announced to another', async () => {
  const [one, two] = [await app.by({ tenant: '甲' }), await app.by({ tenant: '乙' })]
  const [ones, twos] = [listen(one), listen(two)]
  await arrived(ones, 'unread').toHaveLength(1)
  await arrived(twos, 'unread').toHaveLength(1)
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${one.uid}`,
  )
  await app.kernel.events.publish(app.db, 'changed', { resource: 'device', tenantId: rows[0]?.id ?? 0 })
  await app.kernel.events.publish(app.db, 'dict', { type: 'sys_yes_no' })
  await arrived(ones, 'changed').toEqual([{ event: 'changed', data: { resource: 'device' } }])
  await arrived(twos, 'dict').toHaveLength(1)
  expect(twos.events.filter(({ event }) => event === 'changed')).toEqual([])
})

test('an ended session is told so, and its stream closes', async () => {
  const me = await app.as()
  const state = listen(me)
  await arrived(state, 'unread').toHaveLength(1)
  await app.kernel.sessions.endOf(app.db, [me.uid], 'forced')
  await arrived(state, 'sessionEnd').toEqual([{ event: 'sessionEnd', data: { msg: '你已被登出，请重新登录' } }])
  await expect.poll(() => state.ended).toBe(true)
})
