import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { createTenant } from './tenant-fixture.ts'

const app = useApp()
const SWITCH = 'tenantManage:tenant:switch'
let first: { id: number; name: string; account: string }
let second: { id: number; name: string; account: string }
beforeAll(async () => {
  const boss = await app.by({ superAdmin: true })
  first = await createTenant(app, boss)
  second = await createTenant(app, boss)
})

const accountsIn = (answer: { data: { list: { account: string }[] } }) => answer.data.list.map(({ account }) => account)

describe('switching the tenant', () => {
  test('MODULE-01 after a switch, a session sees and creates data of the other tenant only, and the log names the tenant', async () => {
    const boss = await app.by({ superAdmin: true })
    expect((await boss.call('GET', '/api/v1/sys/account/perms')).data.switchedTenant).toBeNull()
    const moved = await boss.call('POST', `/api/v1/tenant/switch/${first.id}`)
    expect(moved.data).toEqual({ ownerId: first.id, ownerName: first.name })
    expect((await boss.call('GET', '/api/v1/sys/account/perms')).data.switchedTenant).toMatchObject({
      id: first.id,
      name: first.name,
    })
    expect(accountsIn(await boss.call('GET', '/api/v1/tenant/user/list'))).toEqual([first.account])
    expect(accountsIn(await boss.call('GET', '/api/v1/sys/account/all/page'))).toEqual([first.account])
    const made = await boss.call('POST', '/api/v1/tenant/user', { account: 'made_inside', realname: '代建' })
    expect(made.code, made.msg).toBe(200)
    const { rows } = await app.db.execute<{ tenant_id: number }>(
      sql`select tenant_id from accounts where account = 'made_inside'`,
    )
    expect(rows).toEqual([{ tenant_id: first.id }])
    const { rows: lines } = await app.db.execute<{ title: string; tenant_id: number; action: string }>(
      sql`select title, tenant_id, action from oper_logs where uid = ${boss.uid} order by oper_id`,
    )
    expect(lines).toMatchObject([
      { title: '切换工作客户', action: `进入客户「${first.name}」工作` },
      { title: '新增用户', tenant_id: first.id, action: expect.stringMatching(/^【代客户操作】/) },
    ])
    expect((await boss.call('GET', `/api/v1/tenant/${second.id}`)).msg).toBe('客户不存在或已被删除')
    const back = await boss.call('POST', '/api/v1/tenant/switchBack')
    expect(back.data.ownerId).toBe(1)
    expect(accountsIn(await boss.call('GET', '/api/v1/sys/account/all/page'))).toContain(second.account)
  })

  test('a session switches from one tenant directly to another', async () => {
    const boss = await app.by({ superAdmin: true })
    await boss.call('POST', `/api/v1/tenant/switch/${first.id}`)
    const offered = await boss.call('GET', '/api/v1/tenant/switch/list')
    expect(offered.data.list.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining([first.id, second.id]))
    expect((await boss.call('POST', `/api/v1/tenant/switch/${second.id}`)).code).toBe(200)
    expect(accountsIn(await boss.call('GET', '/api/v1/tenant/user/list'))).toEqual([second.account])
  })

  test('a request whose header ownerId differs from the tenant of the session is refused', async () => {
    const boss = await app.by({ superAdmin: true })
    await boss.call('POST', `/api/v1/tenant/switch/${first.id}`)
    const read = (ownerId: number) =>
      boss.inject({ method: 'GET', url: '/api/v1/tenant/user/list', headers: { ownerid: String(ownerId) } })
    expect((await read(first.id)).json().code).toBe(200)
    expect((await read(1)).json().code).toBe(403)
    const unnamed = { 'x-client': 'console' }
    expect((await boss.inject({ method: 'GET', url: '/api/v1/tenant/user/list', headers: unnamed })).json().code).toBe(
      403,
    )
    const write = { account: 'wrong_tenant', realname: '误建' }
    const headers = { ...unnamed, ownerid: '1' }
    const refused = await boss.inject({ method: 'POST', url: '/api/v1/tenant/user', payload: write, headers })
    expect(refused.json()).toMatchObject({ code: 403, msg: '所属客户与登录信息不一致，请重新登录' })
    const { rows } = await app.db.execute(sql`select from accounts where account = 'wrong_tenant'`)
    expect(rows).toEqual([])
  })
})

describe('switching never adds rights', () => {
  test('switching the tenant adds no permissions, roles or data scope to a session', async () => {
    const keeper = await app.by({ permissions: [SWITCH, 'system:manager:list'], dataScope: 1 })
    const before = (await keeper.call('GET', '/api/v1/sys/account/perms')).data.buttons
    await keeper.call('POST', `/api/v1/tenant/switch/${first.id}`)
    expect((await keeper.call('GET', '/api/v1/sys/account/perms')).data.buttons).toEqual(before)
    expect((await keeper.call('GET', '/api/v1/tenant/role/page')).code).toBe(501)
  })

  test('an account with scope "own records" sees only its own records in the other tenant', async () => {
    const own = await app.by({ permissions: [SWITCH, 'system:manager:list'], dataScope: 4 })
    expect((await own.call('POST', `/api/v1/tenant/switch/${first.id}`)).msg).toBe('客户不存在或已被删除')
  })

  test('an account limited to selected tenants cannot switch to others', async () => {
    const chosen = await app.by({ permissions: [SWITCH, 'system:manager:list'], dataScope: 3 })
    await app.db.execute(sql`update roles set scope_ids = array[${first.id}::int] where id = ${chosen.roleId}`)
    app.services.sessions.forgetAll()
    expect((await chosen.call('POST', `/api/v1/tenant/switch/${second.id}`)).msg).toBe('客户不存在或已被删除')
    expect((await chosen.call('GET', '/api/v1/tenant/switch/list')).data.list).toHaveLength(1)
    expect((await chosen.call('POST', `/api/v1/tenant/switch/${first.id}`)).code).toBe(200)
    await app.db.execute(sql`update roles set scope_ids = '{}' where id = ${chosen.roleId}`)
    app.services.sessions.forgetAll()
    expect((await chosen.call('GET', '/api/v1/tenant/user/list')).code, 'out at once').toBe(401)
  })

  test('switching the tenant requires a permission that accounts of tenants never have', async () => {
    const nobody = await app.as('system:manager:list')
    expect((await nobody.call('POST', `/api/v1/tenant/switch/${first.id}`)).code).toBe(501)
    const inside = await app.by({ tenant: '想出去', permissions: [...ALL_PERMISSIONS] })
    expect((await inside.call('POST', `/api/v1/tenant/switch/${first.id}`)).code).toBe(501)
    expect((await inside.call('GET', '/api/v1/tenant/switch/list')).data.list).toEqual([])
  })

  test('a switched session is refused after its account lost the permission to switch', async () => {
    const keeper = await app.by({ permissions: [SWITCH] })
    await keeper.call('POST', `/api/v1/tenant/switch/${first.id}`)
    await app.db.execute(sql`delete from role_menus where role_id = ${keeper.roleId}`)
    app.services.sessions.forgetAll()
    expect((await keeper.call('GET', '/api/v1/sys/account/perms')).code).toBe(401)
  })
})
