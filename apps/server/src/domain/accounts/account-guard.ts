import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accountRoles, roleMenus, roles } from '#schema/account.ts'
import { menus } from '#schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertMayGrant, listGrantedMenus, includesScope } from '#core/auth/grants.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

type Granter = Pick<Ctx, 'db' | 'user'>

/**
 * Throws when the target is the caller or an account with more permissions. Otherwise a password reset would give
 * the caller those permissions.
 */
export async function assertMayTouch({ db, user }: Granter, { uid }: { uid: number }) {
  if (uid === user.uid) throw refused('不能操作当前登录的账号')
  if (user.isSuper) return
  const held = await db.select({ id: accountRoles.roleId }).from(accountRoles).where(eq(accountRoles.uid, uid))
  const roleIds = held.map(({ id }) => id)
  if (roleIds.includes(SUPER_ROLE_ID)) throw refused('只有超级管理员可以操作超级管理员')
  const own = await listGrantedMenus(db, user)
  const given = await menusOfRoles(db, roleIds)
  if (own !== 'all' && given.some(({ menuId }) => !own.has(menuId))) throw refused('该账号拥有您没有的权限，不能操作')
}

const menusOfRoles = async (db: Db, roleIds: readonly number[]) =>
  roleIds.length === 0
    ? []
    : db
        .select({ roleId: roleMenus.roleId, menuId: roleMenus.menuId })
        .from(roleMenus)
        .innerJoin(menus, and(eq(menus.id, roleMenus.menuId), notDeleted(menus)))
        .where(inArray(roleMenus.roleId, [...roleIds]))

const rolesOfTenant = (db: Db, tenantId: number) =>
  db
    .select()
    .from(roles)
    .where(and(eq(roles.tenantId, tenantId), notDeleted(roles)))
    .orderBy(asc(roles.roleSort), asc(roles.id))
    .limit(1000)

/**
 * Lists the roles of a tenant and whether the caller may assign each: only roles whose permissions the caller holds.
 */
export async function listAssignableRoles({ db, user }: Granter, tenantId: number) {
  const found = await rolesOfTenant(db, tenantId)
  const own = await listGrantedMenus(db, user)
  const given = await menusOfRoles(
    db,
    found.map(({ id }) => id),
  )
  const beyond = new Set(given.flatMap(({ roleId, menuId }) => (own === 'all' || own.has(menuId) ? [] : [roleId])))
  return found.map((role) => ({
    id: role.id,
    roleName: role.roleName,
    status: role.status,
    grantable: user.isSuper || (role.id !== SUPER_ROLE_ID && !beyond.has(role.id) && includesScope(user, role)),
  }))
}

/**
 * Throws when an assigned or removed role belongs to another tenant, is disabled, or has permissions that the caller
 * does not hold.
 */
export async function assertMayAssign(
  granter: Granter,
  tenantId: number,
  { added, removed }: { added: readonly number[]; removed: readonly number[] },
) {
  if (added.length > 0) {
    const found = await granter.db
      .select({ id: roles.id, roleName: roles.roleName, status: roles.status })
      .from(roles)
      .where(and(inArray(roles.id, [...added]), eq(roles.tenantId, tenantId), notDeleted(roles)))
    if (found.length < new Set(added).size) throw invalid('所选角色不存在或已被删除', 'roleIds')
    const off = found.find(({ status }) => status !== 1)
    if (off) throw invalid(`角色「${off.roleName}」已停用，不能分配`, 'roleIds')
  }
  await assertMayGrant(granter, { roleIds: [...added, ...removed] })
}
