import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { buildTenantForm, TENANT_MANAGER_PERMISSIONS, createTenant, readSceneId } from './tenant-fixture.ts'

const app = useApp()
const URL = '/api/v1/tenant'
const PLAIN = TENANT_MANAGER_PERMISSIONS.filter((permission) => permission !== 'tenantManage:tenant:scene')

test.each([
  ['selected tenants', 3],
  ['their own records', 4],
])('staff limited to %s immediately see a tenant that they created, and no other tenant', async (_, dataScope) => {
  const keeper = await app.by({ permissions: TENANT_MANAGER_PERMISSIONS, dataScope })
  const other = await createTenant(app, await app.as(...TENANT_MANAGER_PERMISSIONS))
  const own = await createTenant(app, keeper)
  expect((await keeper.call('GET', `${URL}/${own.id}`)).code).toBe(200)
  const { list } = (await keeper.call('GET', `${URL}/page`)).data
  expect(list.map(({ id }: { id: number }) => id)).toEqual([own.id])
  expect((await keeper.call('GET', `${URL}/${other.id}`)).msg).toBe('客户不存在或已被删除')
  // Another account with the same scope does not see the tenant.
  const stranger = await app.by({ permissions: TENANT_MANAGER_PERMISSIONS, dataScope })
  expect((await stranger.call('GET', `${URL}/${own.id}`)).code).not.toBe(200)
})

test('choosing scenes for a tenant requires a permission; otherwise the tenant gets the default scenes', async () => {
  const manager = await app.as(...PLAIN)
  const sceneId = await readSceneId(app)
  const refused = await manager.call('POST', URL, await buildTenantForm(app))
  expect(refused).toMatchObject({ code: 501, data: { field: 'sceneIds' } })
  await app.db.execute(sql`update scenes set is_default = 1 where id = ${sceneId}`)
  const { id } = await createTenant(app, manager)
  const more = await app.db.execute<{ id: number }>(
    sql`insert into scenes (scene_name, scene_code) values ('另一场景', 'another') returning id`,
  )
  const row = (await manager.call('GET', `${URL}/${id}`)).data
  const change = (scenes: readonly number[]) => ({ ...row, remark: '改备注', sceneIds: scenes })
  const widened = await manager.call('PUT', URL, change([sceneId, more.rows[0]!.id]))
  expect(widened).toMatchObject({ code: 501, msg: '您没有分配业务场景的权限' })
  expect((await manager.call('PUT', URL, change([sceneId]))).code).toBe(200)
})
