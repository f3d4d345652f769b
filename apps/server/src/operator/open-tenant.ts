import { randomInt } from 'node:crypto'
import { about } from '@oms/contract/kernel/fields.ts'
import { StaffInput } from '@oms/contract/staff.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { accounts, roleMenus, roles } from '#db/schema/account.ts'
import { scenes, tenantScenes, tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { offeredMenus } from '#kernel/grants.ts'
import { changes } from '#kernel/mask.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { conflict, invalid } from '#kernel/problem.ts'
import { SCOPE } from '#kernel/rights.ts'
import { alive } from '#kernel/tenancy.ts'
import { insertStaff } from '#modules/staff/staff-write.ts'

export const TENANT_ADMIN = 'tenant_admin'

export type NewTenant = Pick<typeof tenants.$inferInsert, 'name'> &
  Partial<Omit<typeof tenants.$inferInsert, 'id' | 'tenantNo' | 'joinCode'>>
export type FirstAdmin = Partial<z.input<typeof StaffInput>>

/** Letters and digits nobody mistakes for one another. */
const JOIN_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const joinCode = () => Array.from({ length: 8 }, () => JOIN_ALPHABET[randomInt(JOIN_ALPHABET.length)]).join('')

/** A new customer with the scenes every customer gets, and its first administrator. */
export async function openTenant(ctx: Ctx, tenant: NewTenant, first: FirstAdmin, passwordHash: string) {
  const { db, user, kernel } = ctx
  const { id, tenantNo } = await insertTenant(ctx, tenant)
  const given = await giveDefaultScenes(ctx, id)
  const admin = { account: `${tenantNo.toLowerCase()}_admin`, realname: '客户管理员', ...first }
  const roleId = await adminRole(ctx, id)
  const input = parsed({ ...admin, roleIds: [roleId] })
  const uid = await insertStaff({ ...ctx, user: { ...user, tenantId: id } }, input, passwordHash)
  await db.update(accounts).set({ isTenantAdmin: true }).where(eq(accounts.uid, uid))
  await rightsChanged(kernel, db)
  ctx.audit({
    bizType: 'tenant',
    bizId: id,
    action: `新增客户「${tenant.name}」，首位管理员「${input.account}」`,
    diff: changes({}, { ...tenant, tenantNo, scenes: given }, TITLES),
  })
  return { id, tenantNo, uid, account: input.account, scenes: given }
}

const TITLES = { name: '客户名称', tenantNo: '客户号', contactName: '联系人', level: '等级', scenes: '业务场景' }

function parsed(admin: FirstAdmin) {
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
    .values({ ...tenant, id, tenantNo, joinCode: joinCode(), createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ id: tenants.id })
  if (!made) throw conflict('客户名称已存在', 'name')
  return { id, tenantNo }
}

async function giveDefaultScenes({ db }: Ctx, tenantId: number) {
  const standard = await db
    .select({ id: scenes.id, name: scenes.sceneName })
    .from(scenes)
    .where(and(eq(scenes.isDefault, 1), eq(scenes.status, 1), alive(scenes)))
  if (standard.length > 0)
    await db.insert(tenantScenes).values(standard.map(({ id: sceneId }) => ({ tenantId, sceneId })))
  return standard.map(({ name }) => name)
}

/** Everything the customer's scenes offer, for its own records only. */
async function adminRole({ db, user }: Ctx, tenantId: number) {
  const [made] = await db
    .insert(roles)
    .values({
      tenantId,
      roleName: '客户管理员',
      roleCode: TENANT_ADMIN,
      dataScope: SCOPE.own,
      createBy: user.uid,
      updateBy: user.uid,
    })
    .returning({ id: roles.id })
  const roleId = made!.id
  const offered = await offeredMenus(db, tenantId)
  if (offered.size > 0) await db.insert(roleMenus).values([...offered].map((menuId) => ({ roleId, menuId })))
  return roleId
}
