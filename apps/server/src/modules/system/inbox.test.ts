import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { noticeReads, notices } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { countUnread, sendMessage } from './inbox.ts'
import { publishDueNotices } from './notice.ts'

const app = useApp()
const NOTICE = '/api/v1/sys/notice'
const ALL = ['list', 'query', 'add', 'publish', 'revoke', 'readUsers'].map((action) => `system:noticeManage:${action}`)
let admin: Caller
let member: Caller
let tenantId: number

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  member = await app.by({ tenant: '甲公司' })
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${member.uid}`,
  )
  tenantId = rows[0]!.id
})

async function send(more: object, who = admin) {
  const draft = { title: '消息', type: 1, content: '<p>正文</p>', priority: 2, target: 1, ...more }
  const { data } = await who.call('POST', NOTICE, draft)
  const answer = await who.call('POST', `${NOTICE}/publish/${data.noticeId}`)
  expect(answer).toMatchObject({ code: 200 })
  return data.noticeId as number
}
const inboxOf = async (who: Caller, query = '') =>
  (await who.call('GET', `${NOTICE}/mine?pageSize=50${query}`)).data.list.map(
    (row: { noticeId: number }) => row.noticeId,
  )
const unread = async (who: Caller) => (await who.call('GET', `${NOTICE}/unread/count`)).data.count as number
const moved = (id: number, column: 'start_time' | 'end_time', by: string) =>
  app.db.execute(sql`update notices set ${sql.raw(column)} = now() + ${by}::interval where notice_id = ${id}`)

describe('visibility of notices', () => {
  test('each kind of target sends the notice exactly to the addressed accounts', async () => {
    const other = await app.by({ tenant: '乙公司' })
    const staff = await app.as()
    const everyone = await send({})
    const byTenant = await send({ target: 2, targetIds: [tenantId] })
    const byRole = await send({ target: 3, targetIds: [other.roleId] })
    const byAccount = await send({ target: 4, targetIds: [staff.uid, member.uid] })
    expect(await inboxOf(member)).toEqual([byAccount, byTenant, everyone])
    expect(await inboxOf(other)).toEqual([byRole, everyone])
    expect(await inboxOf(staff)).toEqual([byAccount, everyone])
    for (const id of [byTenant, byAccount])
      expect(await other.call('GET', `${NOTICE}/view/${id}`)).toMatchObject({ code: 400, msg: '消息不存在或已被删除' })
    expect((await member.call('GET', `${NOTICE}/view/${byTenant}`)).data).toMatchObject({ content: '<p>正文</p>' })
  })

  test("a tenant's notices reach only its own accounts", async () => {
    const manager = await app.by({ tenant: '甲公司', permissions: ALL })
    const id = await send({}, manager)
    expect(await inboxOf(member)).toContain(id)
    expect(await inboxOf(admin)).not.toContain(id)
    expect(await inboxOf(await app.by({ tenant: '乙公司' }))).not.toContain(id)
  })

  test('a withdrawn notice leaves the inbox and the unread count, and cannot be read', async () => {
    const id = await send({})
    const before = await unread(member)
    await admin.call('POST', `${NOTICE}/revoke/${id}`)
    expect(await inboxOf(member)).not.toContain(id)
    expect(await unread(member)).toBe(before - 1)
    expect((await member.call('POST', `${NOTICE}/read/${id}`)).code).toBe(400)
  })

  test('a notice appears in the inbox at its start time and disappears at its end time', async () => {
    const id = await send({ startTime: '2037-01-01 00:00:00', endTime: '2037-02-01 00:00:00' })
    expect(await inboxOf(member)).not.toContain(id)
    await moved(id, 'start_time', '-1 second')
    expect(await inboxOf(member)).toContain(id)
    await moved(id, 'end_time', '-1 second')
    expect(await inboxOf(member)).not.toContain(id)
  })

  test('pinned notices come first in the inbox', async () => {
    const top = await send({ isTop: 1 })
    const newer = await send({})
    expect((await inboxOf(member)).slice(0, 2)).toEqual([top, newer])
    await admin.call('POST', `${NOTICE}/revoke/${top}`)
  })
})

describe('reading notices', () => {
  test('a notice counts as read and as confirmed once per account; the reader list shows times and unread accounts', async () => {
    const reader = await app.by({ tenant: '甲公司' })
    const id = await send({ target: 4, targetIds: [reader.uid, member.uid], needConfirm: 1 })
    const before = await unread(reader)
    expect((await reader.call('POST', `${NOTICE}/read/${id}`)).data).toEqual({ count: before - 1 })
    expect((await reader.call('GET', `${NOTICE}/view/${id}`)).data.confirmTime).toBeNull()
    await reader.call('POST', `${NOTICE}/read/${id}`, { confirm: 1 })
    const [first] = await app.db.select().from(noticeReads).where(eq(noticeReads.noticeId, id))
    await reader.call('POST', `${NOTICE}/read/${id}`, { confirm: 1 })
    expect(await app.db.select().from(noticeReads).where(eq(noticeReads.noticeId, id))).toEqual([first])
    const receipts = (await admin.call('GET', `${NOTICE}/readUsers/${id}`)).data
    expect(receipts).toMatchObject({ total: 2, readCount: 1, confirmCount: 1, targetCount: 2 })
    expect(receipts.list).toMatchObject([
      { uid: reader.uid, tenantName: '甲公司', readTime: first?.readTime, confirmTime: first?.confirmTime },
      { uid: member.uid, readTime: null },
    ])
    const notYet = (await admin.call('GET', `${NOTICE}/readUsers/${id}?read=0`)).data
    expect(notYet.list).toMatchObject([{ uid: member.uid }])
    const found = (await admin.call('GET', `${NOTICE}/readUsers/${id}?read=1&keyword=${reader.account}`)).data
    expect(found).toMatchObject({ total: 1, targetCount: 2 })
  })

  test('marking all notices as read omits notices that require a confirmation', async () => {
    const reader = await app.by({ tenant: '甲公司' })
    const important = await send({ target: 4, targetIds: [reader.uid], needConfirm: 1 })
    await send({ target: 4, targetIds: [reader.uid] })
    expect(await unread(reader)).toBeGreaterThan(1)
    expect((await reader.call('POST', `${NOTICE}/readAll`)).data).toEqual({ count: 1 })
    expect(await inboxOf(reader, '&read=0')).toEqual([important])
  })

  test('a notice published again after a withdrawal is unread again', async () => {
    const id = await send({ target: 4, targetIds: [member.uid] })
    await member.call('POST', `${NOTICE}/read/${id}`)
    await admin.call('POST', `${NOTICE}/revoke/${id}`)
    await admin.call('POST', `${NOTICE}/publish/${id}`)
    expect(await inboxOf(member, '&read=0')).toContain(id)
  })
})

describe('open consoles', () => {
  /** Returns the events about notices during `work`, up to a marker event. */
  async function heard(work: () => Promise<unknown>) {
    const news: object[] = []
    const mark = `mark${Math.random()}`
    const stop = app.services.events.on('notice', (each) => void news.push(each))
    await app.services.events.publish(app.db, 'notice', { title: mark })
    await work()
    await app.services.events.publish(app.db, 'notice', { title: mark })
    const marks = () => news.filter((each) => 'title' in each && each.title === mark)
    await expect.poll(() => marks().length).toBe(2)
    stop()
    return news.slice(news.indexOf(marks()[0]!) + 1, -1)
  }

  test('open consoles receive only notices that are addressed to their account', async () => {
    let id = 0
    const direct = await heard(async () => {
      id = await send({ title: '私信', target: 4, targetIds: [member.uid] })
    })
    expect(direct).toEqual([{ noticeId: id, title: '私信', uids: [member.uid] }])
    expect(await heard(() => admin.call('POST', `${NOTICE}/revoke/${id}`))).toEqual([{ uids: [member.uid] }])
    const [all] = await heard(() => send({ title: '全员' }))
    expect(all).toMatchObject({ title: '全员' })
    expect(all).not.toHaveProperty('uids')
  })

  test('open consoles receive a scheduled notice once at its start', async () => {
    await publishDueNotices(app.services)
    let id = 0
    const atPublish = await heard(async () => {
      id = await send({ title: '定时', target: 4, targetIds: [member.uid], startTime: '2037-01-01 00:00:00' })
    })
    expect(atPublish).toEqual([])
    await app.db.execute(sql`update notices set start_time = now() where notice_id = ${id}`)
    expect(await heard(() => publishDueNotices(app.services))).toEqual([
      { noticeId: id, title: '定时', uids: [member.uid] },
    ])
    expect(await heard(() => publishDueNotices(app.services))).toEqual([])
  })
})

test('an account that muted a topic receives no messages of this topic, and the inbox filters by topic', async () => {
  const quiet = await app.by({ tenant: '甲公司' })
  await quiet.call('PUT', '/api/v1/account/preference', { key: 'notice.muted', value: '["ticket"]' })
  for (const topic of ['ticket', 'ad'] as const)
    await sendMessage(app.services, app.db, { topic, title: topic, text: '内容', uids: [quiet.uid, admin.uid] })
  const titlesOf = async (who: Caller, query: string) =>
    (await who.call('GET', `${NOTICE}/mine?pageSize=50${query}`)).data.list.map(({ title }: { title: string }) => title)
  expect(await titlesOf(quiet, '&type=3')).toEqual(['ad'])
  expect(await titlesOf(admin, '&topic=ticket')).toEqual(['ticket'])
})

test('counting the unread notices of an account stays fast with 100,000 notices for other accounts', async () => {
  // In steps, because a statement has a time limit.
  for (let first = 1; first <= 100_000; first += 20_000)
    await app.db.execute(sql`insert into notices (tenant_id, title, target, target_ids, status, publish_time)
      select 1, 'x', 4, array[1000000 + n], 1, now() from generate_series(${first}::int, ${first + 19_999}::int) n`)
  await app.db.execute(sql`analyze notices`)
  const who = { uid: member.uid, homeTenantId: tenantId, roleIds: [member.roleId] }
  await countUnread(app.db, who)
  const started = performance.now()
  for (let round = 0; round < 5; round++) await countUnread(app.db, who)
  expect((performance.now() - started) / 5).toBeLessThan(50)
  await app.db.delete(notices).where(eq(notices.title, 'x'))
})
