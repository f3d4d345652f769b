import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const DISPLAY = ['index:indexScreen:bigScreen', 'index:indexScreen:display']
/** Ways in which a tenant is no longer active. `expired` is the state before the scheduled job disables the tenant. */
const STANDINGS = {
  disabled: { change: sql`status = 0`, canSwitchTenant: true },
  expired: { change: sql`expire_time = now() - interval '1 second'`, canSwitchTenant: true },
  deleted: { change: sql`deleted_at = now()`, canSwitchTenant: false },
} as const

let boss: Caller
beforeAll(async () => {
  boss = await app.by({ superAdmin: true })
})

async function tenantOf(name: string) {
  const person = await app.by({ tenant: name, permissions: DISPLAY })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  const { data } = await person.call('POST', '/api/v1/home/display/link', { name: '大屏', days: 30 })
  const wall = async () => {
    const headers = { display: data.token as string }
    return (await app.stranger().inject({ url: '/api/v1/home/display/about', headers })).json().code
  }
  return { id: rows[0]?.id as number, person, wall }
}

const offered = async (url: string, name: string) => JSON.stringify((await boss.call('GET', url)).data).includes(name)
const pickers = (name: string) => [
  `/api/v1/device/ota/tenant/list?name=${encodeURIComponent(name)}`,
  `/api/v1/sys/notice/targets?target=2&keyword=${encodeURIComponent(name)}`,
  `/api/v1/tenant/options/tenant?onlyEnabled=1&keyword=${encodeURIComponent(name)}`,
]

describe('access to a tenant that is not active', () => {
  test.each(Object.entries(STANDINGS))(
    'a tenant that is %s refuses its accounts and display links, and is not offered for selection',
    async (standing, kind) => {
      const name = `客户${standing}`
      const { id, person, wall } = await tenantOf(name)
      expect((await person.call('GET', '/api/v1/home/blocks')).code).toBe(200)
      expect(await wall()).toBe(200)
      for (const url of pickers(name)) expect(await offered(url, name), url).toBe(true)

      await app.db.execute(sql`update tenants set ${kind.change} where id = ${id}`)
      app.services.sessions.forgetAll()
      expect((await person.call('GET', '/api/v1/home/blocks')).code).toBe(403)
      expect(await wall()).toBe(501)
      for (const url of pickers(name)) expect(await offered(url, name), url).toBe(false)
      expect((await boss.call('POST', `/api/v1/tenant/switch/${id}`)).code === 200).toBe(kind.canSwitchTenant)
      await boss.call('POST', '/api/v1/tenant/switchBack')
    },
  )
})

test('sessions of a tenant end at its expiry time, although rights are cached', async () => {
  const { id, person } = await tenantOf('到点到期')
  await app.db.execute(sql`update tenants set expire_time = now() + interval '3 seconds' where id = ${id}`)
  app.services.sessions.forgetAll()
  const rights = await app.services.sessions.rightsOf(person.uid)
  expect(rights?.suspendedReason).toBeNull()
  await new Promise((done) => setTimeout(done, 3200))
  expect(await app.services.sessions.rightsOf(person.uid)).toBe(rights)
  expect(await person.call('GET', '/api/v1/home/blocks')).toMatchObject({
    code: 403,
    msg: '所属客户已过期，请联系管理员',
  })
})
