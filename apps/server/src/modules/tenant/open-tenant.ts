import { randomInt } from 'node:crypto'
import { about } from '@oms/contract/core/fields.ts'
import { StaffInput } from '@oms/contract/account/staff.ts'
import { JOIN_ALPHABET } from '@oms/contract/tenant/tenant-info.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { roleMenus, roles } from '#core/schema/account.ts'
import { scenes, tenants } from '#core/schema/tenant.ts'
import { insertAccount } from '#modules/account/new-account.ts'
import type { Ctx } from '#core/http/context.ts'
import { listOfferedMenus } from '#core/auth/grants.ts'
import { listChanges } from '#core/audit/mask.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { setTenantScenes } from './tenant-scenes.ts'
import { addTitles, TENANT_TITLES } from './tenant-words.ts'

export const TENANT_ADMIN_ROLE_CODE = 'tenant_admin'

export type NewTenant = Pick<typeof tenants.$inferInsert, 'name'> &
  Partial<Omit<typeof tenants.$inferInsert, 'id' | 'tenantNo' | 'joinCode'>> & {
    /** Absent for the default scenes. */
    readonly sceneIds?: readonly number[]
  }
export type FirstAdmin = Partial<z.input<typeof StaffInput>>

export const createJoinCode = () =>
  Array.from({ length: 8 }, () => JOIN_ALPHABET[randomInt(JOIN_ALPHABET.length)]).join('')

/**
 * Creates a tenant with its scenes and its first administrator. The screen and the command line use this function.
 * The caller need not hold the permissions of the scenes, because the new tenant uses them only for its own data.
 */
export async function createTenantWithAdmin(
  ctx: Ctx,
  { sceneIds, ...tenant }: NewTenant,
  first: FirstAdmin,
  passwordHash: string,
) {
  const { db, services } = ctx
  const { id, tenantNo } = await insertTenant(ctx, tenant)
  const given = await setTenantScenes(db, id, sceneIds ?? (await listDefaultSceneIds(db)))
  const roleId = await adminRole(ctx, id)
  const admin = { account: `${tenantNo.toLowerCase()}_admin`, realname: '客户管理员', ...first }
  const input = parseFirstAdmin({ ...admin, roleIds: [roleId] })
  const uid = await insertAccount(ctx, { ...input, tenantId: id, isTenantAdmin: true }, passwordHash)
  await publishRightsChanged(services, db)
  ctx.audit({
    bizType: 'tenant',
    bizId: id,
    action: `新增客户「${tenant.name}」，首位管理员「${input.account}」`,
    diff: listChanges({}, addTitles({ ...tenant, tenantNo, scenes: given }), TENANT_TITLES),
  })
  return { id, tenantNo, uid, account: input.account, scenes: given }
}

function parseFirstAdmin(admin: FirstAdmin) {
  const { data, error } = StaffInput.safeParse(admin)
  if (data) return data
  const [issue] = error.issues
  const field = String(issue?.path[0] ?? '')
  throw invalid(`首位管理员：${issue?.message ?? about(StaffInput, field).title}`, field)
}

async function insertTenant({ db, user }: Ctx, tenant: NewTenant) {
  const { rows } = await db.execute<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('tenants', 'id'))::int as id`,
  )
  const id = rows[0]!.id
  const tenantNo = `T${String(id).padStart(6, '0')}`
  const [made] = await db
    .insert(tenants)
    .values({ ...tenant, id, tenantNo, joinCode: createJoinCode(), createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ id: tenants.id })
  if (!made) throw conflict('客户名称已存在', 'name')
  return { id, tenantNo }
}

/** Returns the ids of the default scenes. */
export async function listDefaultSceneIds(db: Db) {
  const standard = await db
    .select({ id: scenes.id })
    .from(scenes)
    .where(and(eq(scenes.isDefault, 1), eq(scenes.status, 1), notDeleted(scenes)))
  return standard.map(({ id }) => id)
}

/** Creates the administrator role with all permissions of the tenant's scenes and data scope "own tenant". */
async function adminRole({ db, user }: Ctx, tenantId: number) {
  const [made] = await db
    .insert(roles)
    .values({
      tenantId,
      roleName: '客户管理员',
      roleCode: TENANT_ADMIN_ROLE_CODE,
      dataScope: DATA_SCOPE_CODE.own,
      createBy: user.uid,
      updateBy: user.uid,
    })
    .returning({ id: roles.id })
  const roleId = made!.id
  const offered = await listOfferedMenus(db, tenantId)
  if (offered.size > 0) await db.insert(roleMenus).values([...offered].map((menuId) => ({ roleId, menuId })))
  return roleId
}
