import { sql } from 'drizzle-orm'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/home/display'
const RIGHTS = ['index:indexScreen:bigScreen', 'index:indexScreen:display', 'device:apkManage:list']
const LINK = { name: '一楼大厅', days: 90 }

const made = async (who: Caller, more: object = {}) =>
  (await who.call('POST', `${URL}/link`, { ...LINK, ...more })).data as { id: number; token: string }
/** Sends a request with only the display header, without a session. */
const wall = async (part: string, display?: string) => {
  const reply = await app
    .stranger()
    .inject({ method: 'GET', url: `${URL}/${part}`, headers: display ? { display } : {} })
  return reply.json()
}

test('a display link shows the big screen with the permissions of its creator and permits no other call', async () => {
  const manager = await app.as(...RIGHTS)
  const { token } = await made(manager)
  expect(await wall('about', token)).toMatchObject({ code: 200, data: { name: '一楼大厅', zone: 'Asia/Shanghai' } })
  expect((await wall('fleet', token)).data.state).toMatchObject({ devices: expect.any(Number) })
  // A panel that the creator cannot see is empty.
  expect(await wall('tickets', token)).toMatchObject({ code: 200, data: null })
  expect(await wall('releases', token)).toMatchObject({ code: 200, data: null })
  // The secret opens no other call, neither as a ticket nor as a header.
  const elsewhere = await app.withTicket(token).call('GET', '/api/v1/home/blocks')
  expect(elsewhere.code).toBe(401)
  const asHeader = await app
    .stranger()
    .inject({ method: 'GET', url: '/api/v1/home/screen/fleet', headers: { display: token } })
  expect(asHeader.json().code).toBe(401)
})

test('a missing or wrong secret returns no data', async () => {
  for (const secret of [undefined, '', 'x', 'y'.repeat(65)])
    for (const part of ['about', 'fleet', 'online', 'releases', 'tickets'])
      expect(await wall(part, secret)).toMatchObject({ code: 501, msg: expect.stringContaining('展示链接') })
})

test('the list of display links shows creator and last use; list and log do not contain the secret', async () => {
  const manager = await app.as(...RIGHTS)
  const { id, token } = await made(manager, { name: '值班室' })
  await wall('about', token)
  const { list } = (await manager.call('GET', `${URL}/link`)).data
  const row = list.find((each: { id: number }) => each.id === id)
  expect(row).toMatchObject({ name: '值班室', maker: expect.stringContaining('测试'), expired: false })
  expect(row.lastSeenTime).toEqual(expect.any(String))
  expect(JSON.stringify(list)).not.toContain(token)
  const { rows } = await app.db.execute(sql`select * from oper_logs where title = '新增大屏展示链接'`)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('a display link is refused when it is revoked or expired, or its creator is disabled or loses the permission', async () => {
  const manager = await app.as(...RIGHTS)
  const [one, two, three] = [await made(manager), await made(manager), await made(manager)]
  expect((await manager.call('DELETE', `${URL}/link/${one.id}`)).code).toBe(200)
  expect((await manager.call('DELETE', `${URL}/link/${one.id}`)).msg).toBe('展示链接不存在或已被删除')
  expect((await wall('about', one.token)).code).toBe(501)
  await app.db.execute(sql`update display_links set expire_time = now() where id = ${two.id}`)
  expect((await wall('about', two.token)).code).toBe(501)
  expect((await wall('about', three.token)).code).toBe(200)
  await app.db.update(accounts).set({ status: 0 }).where(eq(accounts.uid, manager.uid))
  app.services.sessions.forgetAll()
  expect((await wall('fleet', three.token)).code).toBe(501)
})

test("a display link of a tenant shows only the tenant's devices, and links are managed only by their own tenant", async () => {
  const customer = await app.by({ tenant: '甲方', permissions: RIGHTS })
  const vendor = await app.as(...RIGHTS)
  const { id, token } = await made(customer)
  expect((await wall('fleet', token)).data).toMatchObject({ state: { devices: 0 }, tenants: null })
  expect((await vendor.call('DELETE', `${URL}/link/${id}`)).code).not.toBe(200)
  expect((await vendor.call('GET', `${URL}/link`)).data.list.map((row: { id: number }) => row.id)).not.toContain(id)
  const other = await app.by({ tenant: '乙方', permissions: RIGHTS })
  expect((await other.call('GET', `${URL}/link`)).data.list).toEqual([])
  expect((await other.call('DELETE', `${URL}/link/${id}`)).code).not.toBe(200)
  const viewer = await app.as('index:indexScreen:bigScreen')
  expect((await viewer.call('POST', `${URL}/link`, LINK)).code).toBe(501)
})

test('at most fifty display links are permitted', async () => {
  const manager = await app.by({ tenant: '丙方', permissions: RIGHTS })
  await made(manager)
  await app.db.execute(sql`insert into display_links (tenant_id, name, token_hash, uid, expire_time)
    select tenant_id, name, sha256(g::text::bytea), uid, expire_time from display_links, generate_series(1, 49) g
    where uid = ${manager.uid}`)
  expect((await manager.call('POST', `${URL}/link`, LINK)).msg).toContain('最多50个')
})
