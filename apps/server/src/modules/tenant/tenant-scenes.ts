import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { roleMenus, roles } from '#core/schema/account.ts'
import { scenes, tenantScenes } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { listOfferedMenus } from '#core/auth/grants.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

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
