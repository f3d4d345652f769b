import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { listAccountsWithPermission, listPlatformStaff } from './permission-holders.ts'

const app = useApp()
const PERMISSION = 'agent:order:query'
const tenants = { inside: 0, outside: 0, made: 0 }
const staff = { admin: 0, all: 0, chosen: 0, mine: 0, stranger: 0 }

beforeAll(async () => {
  for (const name of ['inside', 'outside', 'made'] as const) {
    await app.by({ tenant: `提醒${name}`, permissions: [PERMISSION] })
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${`提醒${name}`}`)
    tenants[name] = rows[0]!.id
  }
  const permissions = [PERMISSION]
  staff.admin = (await app.by({ superAdmin: true })).uid
  staff.all = (await app.by({ permissions, dataScope: 1 })).uid
  staff.chosen = (await app.by({ permissions, dataScope: 3, scopeIds: [tenants.inside] })).uid
  staff.mine = (await app.by({ permissions, dataScope: 4 })).uid
  staff.stranger = (await app.by({ permissions: ['system:operLog:list'], dataScope: 1 })).uid
  await app.db.execute(sql`update tenants set create_by = ${staff.chosen} where id = ${tenants.made}`)
})

const holders = async (concerned: readonly number[] | 'all') => {
  const uids = await listPlatformStaff(app.db, PERMISSION, concerned)
  return Object.entries(staff).flatMap(([name, uid]) => (uids.includes(uid) ? [name] : []))
}

test('a message about rows of a tenant is sent to platform staff whose data scope contains the tenant', async () => {
  expect(await holders([tenants.inside])).toEqual(['admin', 'all', 'chosen'])
  expect(await holders([tenants.made])).toEqual(['admin', 'all', 'chosen'])
  expect(await holders([tenants.outside])).toEqual(['admin', 'all'])
  expect(await holders([tenants.inside, tenants.outside])).toEqual(['admin', 'all'])
  expect(await holders('all')).toEqual(['admin', 'all'])
})

test('a message about rows of the platform is sent to all platform staff with the permission', async () => {
  expect(await holders([1])).toEqual(['admin', 'all', 'chosen', 'mine'])
})

test('recipients are selected by the same data scope as in their sessions', async () => {
  for (const id of Object.values(tenants)) {
    const uids = await listPlatformStaff(app.db, PERMISSION, [id])
    for (const uid of [staff.all, staff.chosen, staff.mine]) {
      const { tenants: scope } = (await app.services.sessions.rightsOf(uid))!.scope
      expect([uid, uids.includes(uid)]).toEqual([uid, scope === 'all' || scope.includes(id)])
    }
  }
})

test('staff of a tenant get messages about rows of their own tenant', async () => {
  expect(await listAccountsWithPermission(app.db, tenants.outside, PERMISSION)).toHaveLength(1)
})
