import { sql } from 'drizzle-orm'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { scenes } from '#core/schema/tenant.ts'
import type { Caller, useApp } from '#test/harness.ts'

export const CONTACT_PHONE = '13812345678'
export const TENANT_MANAGER_PERMISSIONS = [
  'tenantManage:tenant:list',
  'tenantManage:tenant:query',
  'tenantManage:tenant:add',
  'tenantManage:tenant:edit',
  'tenantManage:tenant:remove',
  'tenantManage:tenant:enable',
  'tenantManage:tenant:renew',
  'tenantManage:tenant:scene',
  'tenantManage:tenant:export',
  'tenantManage:industry:add',
] as const

let made = 0

/** Returns a valid request body for a tenant. Creates scene and industry on first use. */
export async function buildTenantForm(app: ReturnType<typeof useApp>, more: object = {}) {
  made += 1
  const industryId = await industryOf(app)
  const sceneId = await readSceneId(app)
  return {
    name: `客户${process.pid}-${made}`,
    industryId,
    contactName: '张三',
    contactPhone: CONTACT_PHONE,
    sceneIds: [sceneId],
    adminName: '李管理',
    ...more,
  }
}

async function industryOf({ db }: ReturnType<typeof useApp>): Promise<number> {
  await db.execute(sql`insert into industries (name, code) values ('测试行业', 'TEST') on conflict do nothing`)
  const { rows } = await db.execute<{ id: number }>(sql`select id from industries where code = 'TEST'`)
  return rows[0]!.id
}

/** Creates a scene that offers every menu. */
export async function readSceneId({ db }: ReturnType<typeof useApp>): Promise<number> {
  await db.insert(scenes).values({ sceneName: '测试场景', sceneCode: 'test_all' }).onConflictDoNothing()
  const { rows } = await db.execute<{ id: number }>(sql`select id from scenes where scene_code = 'test_all'`)
  const id = rows[0]!.id
  await db.execute(
    sql`insert into scene_menus (scene_id, menu_id) select ${id}, id from menus where deleted_at is null on conflict do nothing`,
  )
  return id
}

export async function createTenant(app: ReturnType<typeof useApp>, manager: Caller, more: object = {}) {
  const form = await buildTenantForm(app, more)
  const { code, msg, data } = await manager.call('POST', '/api/v1/tenant', form)
  if (code !== 200) throw new Error(msg)
  return { ...(data as { id: number; tenantNo: string; account: string; password: string }), name: form.name }
}

/** Logs an account in with its password and returns the account's profile. */
export async function logIn(app: ReturnType<typeof useApp>, account: string, password: string) {
  const answer = await app
    .stranger()
    .call('POST', '/api/v1/account/login', { account, pswdMd5: computeMd5Hex(password) })
  return { answer, caller: app.withTicket(String(answer.data?.token ?? 'none')) }
}
