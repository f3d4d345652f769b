import { randomInt } from 'node:crypto'
import { StaffInput } from '@oms/contract/account/staff.ts'
import { about } from '@oms/contract/core/fields.ts'
import {
  AD_PLATFORM_AUDIT,
  ALLOW_APPLY,
  COMPANY_SIZE,
  TENANT_LEVEL,
  TenantInput,
  JOIN_ALPHABET,
} from '@oms/contract/tenant/tenant-info.ts'
import { and, eq, sql, asc, inArray } from 'drizzle-orm'
import type * as z from 'zod'
import { maskEmail, maskMobile, listChanges } from '#core/audit/mask.ts'
import { listOfferedMenus } from '#core/auth/grants.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { roleMenus, roles } from '#core/schema/account.ts'
import { scenes, tenants, tenantScenes } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { insertAccount } from '#modules/account/index.ts'

/** Field names of a tenant in the operation log. */
export const TENANT_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(TenantInput.shape)
      .filter((key) => key !== 'sceneIds' && key !== 'industryId')
      .map((key) => [key, about(TenantInput, key).title]),
  ),
  tenantNo: '客户编号',
  industry: '所属行业',
  scenes: '业务场景',
}

const word = (names: Readonly<Record<number, string>>, code: unknown) =>
  typeof code === 'number' ? (names[code] ?? code) : code
const quota = (count: unknown) => (count === -1 ? '不限' : count)

/** Converts tenant fields for the operation log: texts instead of codes, masked contact details. */
export function addTitles(fields: object): object {
  const row: Record<string, unknown> = { ...fields }
  const set = (key: string, change: (value: unknown) => unknown) => {
    if (key in row) row[key] = change(row[key])
  }
  set('companySize', (code) => word(COMPANY_SIZE, code))
  set('level', (code) => word(TENANT_LEVEL, code))
  set('allowApply', (code) => word(ALLOW_APPLY, code))
  set('adPlatformAudit', (code) => word(AD_PLATFORM_AUDIT, code))
  set('accountCount', quota)
  set('deviceQuota', quota)
  set('contactPhone', (text) => maskMobile(text as string))
  set('contactEmail', (text) => maskEmail((text as string) || null) ?? '')
  return row
}

export const TENANT_ADMIN_ROLE_CODE = 'tenant_admin'

type NewTenant = Pick<typeof tenants.$inferInsert, 'name'> &
  Partial<Omit<typeof tenants.$inferInsert, 'id' | 'tenantNo' | 'joinCode'>> & {
    /** Absent for the default scenes. */
    readonly sceneIds?: readonly number[]
  }
type FirstAdmin = Partial<z.input<typeof StaffInput>>

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

/** Lists the scenes that a tenant can use. */
export async function listSceneOptions({ db }: Ctx) {
  const list = await db
    .select({ id: scenes.id, sceneName: scenes.sceneName, isDefault: scenes.isDefault })
    .from(scenes)
    .where(and(eq(scenes.status, 1), notDeleted(scenes)))
    .orderBy(asc(scenes.sort), asc(scenes.id))
    .limit(500)
  return { list }
}

/** Returns the scene names of several tenants with one query. */
export async function listScenesByTenant(db: Db, tenantIds: readonly number[]) {
  const held = new Map<number, { id: number; name: string }[]>()
  if (tenantIds.length === 0) return held
  const rows = await db
    .select({ tenantId: tenantScenes.tenantId, id: scenes.id, name: scenes.sceneName })
    .from(tenantScenes)
    .innerJoin(scenes, eq(scenes.id, tenantScenes.sceneId))
    .where(and(inArray(tenantScenes.tenantId, [...tenantIds]), notDeleted(scenes)))
    .orderBy(asc(scenes.sort), asc(scenes.id))
  for (const { tenantId, ...scene } of rows) held.set(tenantId, [...(held.get(tenantId) ?? []), scene])
  return held
}

/** Sets the scenes of a tenant and returns their names. A scene that the tenant already uses may be disabled. */
export async function setTenantScenes(db: Db, tenantId: number, sceneIds: readonly number[]): Promise<string[]> {
  const before = (await listScenesByTenant(db, [tenantId])).get(tenantId) ?? []
  const wanted = new Set(sceneIds)
  const had = new Set(before.map(({ id }) => id))
  const found = wanted.size
    ? await db
        .select({ id: scenes.id, name: scenes.sceneName, status: scenes.status })
        .from(scenes)
        .where(and(inArray(scenes.id, [...wanted]), notDeleted(scenes)))
        .orderBy(asc(scenes.sort), asc(scenes.id))
    : []
  if (found.length < wanted.size) throw invalid('所选业务场景不存在或已被删除', 'sceneIds')
  const off = found.find(({ id, status }) => status !== 1 && !had.has(id))
  if (off) throw invalid(`业务场景「${off.name}」已停用，不能分配`, 'sceneIds')
  const gone = [...had].filter((id) => !wanted.has(id))
  const come = [...wanted].filter((id) => !had.has(id))
  if (gone.length)
    await db.delete(tenantScenes).where(and(eq(tenantScenes.tenantId, tenantId), inArray(tenantScenes.sceneId, gone)))
  if (come.length) await db.insert(tenantScenes).values(come.map((sceneId) => ({ tenantId, sceneId })))
  return found.map(({ name }) => name)
}

/**
 * Adds newly offered permissions to the tenant's administrator role. Removed permissions need no change, because
 * scenes limit the effective permissions.
 */
export async function grantScenesToAdmins(db: Db, tenantId: number, roleCode: string) {
  const [role] = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.tenantId, tenantId), eq(roles.roleCode, roleCode), notDeleted(roles)))
  if (!role) return
  const offered = await listOfferedMenus(db, tenantId)
  if (offered.size === 0) return
  await db
    .insert(roleMenus)
    .values([...offered].map((menuId) => ({ roleId: role.id, menuId })))
    .onConflictDoNothing()
}
