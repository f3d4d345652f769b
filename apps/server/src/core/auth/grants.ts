import type { PermNode } from '@oms/contract/permission-tree.ts'
import { and, asc, eq, gt, inArray, isNull, notInArray, or, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accountRoles, accounts, roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { isOpenedFromParent } from './menus.ts'
import { forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import { selectMenusOfTenant, DATA_SCOPE_CODE, SUPER_ROLE_ID } from './rights.ts'
import { notDeleted, PLATFORM_TENANT_ID, isTenantInScope } from '#core/tenancy/tenancy.ts'

type Granter = Pick<Ctx, 'db' | 'user'>

/** Tenant and data scope of a role. */
export interface ScopeOfRole {
  readonly tenantId: number
  readonly dataScope: number
  readonly scopeIds: readonly number[]
}

/** Rights that one account grants to or revokes from others. */
export interface Grant {
  /** Pages and buttons added to or removed from a role or scene. */
  readonly menuIds?: readonly number[]
  /** Roles granted to or revoked from accounts, enabled, disabled, copied or deleted. */
  readonly roleIds?: readonly number[]
  /** Data scope set for a role. */
  readonly scope?: ScopeOfRole
}

/**
 * Refuses to grant or revoke rights that the caller does not hold: menus, roles (all rights of a role) or data scopes.
 * Every call that changes rights uses this check. Reads the rights again inside the caller's transaction.
 */
export async function assertMayGrant({ db, user }: Granter, { menuIds = [], roleIds = [], scope }: Grant) {
  const given = await rolesOf(db, user, roleIds)
  if (user.isSuper) return
  if (given.some(({ id }) => id === SUPER_ROLE_ID)) throw refused('只有超级管理员可以分配超级管理员角色')
  for (const each of scope ? [...given, scope] : given)
    if (!includesScope(user, each)) throw refused('不能授予超出您自己的数据范围', { field: 'dataScope' })
  await assertHolds(db, user, [...menuIds, ...(await menusIn(db, roleIds))])
}

/** Refuses accounts of tenants. Only platform accounts manage menus and scenes, which all tenants share. */
export function assertPlatform(user: User) {
  if (!user.isPlatform) throw forbidden()
}

/** Returns the requested roles. A missing role and a role of an inaccessible tenant produce the same error. */
async function rolesOf(db: Db, user: User, roleIds: readonly number[]) {
  if (roleIds.length === 0) return []
  const wanted = new Set(roleIds)
  const found = await db
    .select({ id: roles.id, tenantId: roles.tenantId, dataScope: roles.dataScope, scopeIds: roles.scopeIds })
    .from(roles)
    .where(and(inArray(roles.id, [...wanted]), notDeleted(roles)))
  if (found.length < wanted.size || found.some(({ tenantId }) => !isTenantInScope(user, tenantId)))
    throw notFound('角色')
  return found
}

/**
 * Returns true when the role's data scope lies within the caller's own. A role of a tenant never reaches other tenants.
 */
export function includesScope({ scope: own }: Pick<User, 'scope'>, { tenantId, dataScope, scopeIds }: ScopeOfRole) {
  if (dataScope === DATA_SCOPE_CODE.mine) return true
  if (own.ownOnly) return false
  const { tenants } = own
  if (tenants === 'all') return true
  if (tenantId !== PLATFORM_TENANT_ID || dataScope === DATA_SCOPE_CODE.own) return tenants.includes(tenantId)
  return dataScope === DATA_SCOPE_CODE.chosen && scopeIds.every((id) => tenants.includes(id))
}

const menusIn = async (db: Db, roleIds: readonly number[]) => {
  if (roleIds.length === 0) return []
  const rows = await db
    .selectDistinct({ menuId: roleMenus.menuId })
    .from(roleMenus)
    .innerJoin(menus, eq(menus.id, roleMenus.menuId))
    .where(and(inArray(roleMenus.roleId, [...roleIds]), notDeleted(menus)))
  return rows.map(({ menuId }) => menuId)
}

async function assertHolds(db: Db, user: User, menuIds: readonly number[]) {
  const held = await listGrantedMenus(db, user)
  const lacking = held === 'all' ? [] : [...new Set(menuIds)].filter((id) => !held.has(id))
  if (lacking.length === 0) return
  const [first] = await db.select({ name: menus.name }).from(menus).where(inArray(menus.id, lacking)).limit(1)
  throw refused(`不能授予或收回您自己没有的权限${first ? `：${first.name}等${lacking.length}项` : ''}`, {
    field: 'menuIds',
  })
}

/**
 * Returns all menus of the account's enabled roles, including menus that a scene or a disabled menu withholds now.
 * Otherwise a grant made today could exceed the granter's own rights later.
 */
export async function listGrantedMenus(db: Db, user: User): Promise<ReadonlySet<number> | 'all'> {
  if (user.isSuper) return 'all'
  const rows = await db
    .selectDistinct({ menuId: roleMenus.menuId })
    .from(accountRoles)
    .innerJoin(roles, eq(roles.id, accountRoles.roleId))
    .innerJoin(roleMenus, eq(roleMenus.roleId, roles.id))
    .where(
      and(
        eq(accountRoles.uid, user.uid),
        eq(roles.status, 1),
        notDeleted(roles),
        eq(roles.tenantId, user.homeTenantId ?? 0),
      ),
    )
  return new Set(rows.map(({ menuId }) => menuId))
}

const SUPER_LOCK = 'oms last super administrator'

/**
 * Refuses to disable, delete or demote these accounts when no enabled super administrator would remain. Callers are
 * serialised until their transactions end, so that two concurrent calls cannot each rely on the other's account.
 */
export async function assertSuperAdminRemains(db: Db, leaving: readonly number[]) {
  if (leaving.length === 0) return
  const supers = (...more: (ReturnType<typeof eq> | undefined)[]) =>
    db
      .select({ uid: accounts.uid })
      .from(accountRoles)
      .innerJoin(accounts, eq(accounts.uid, accountRoles.uid))
      .where(and(eq(accountRoles.roleId, SUPER_ROLE_ID), ...more))
      .limit(1)
  if ((await supers(inArray(accounts.uid, [...leaving]))).length === 0) return
  await db.execute(sql`select pg_advisory_xact_lock(hashtext(${SUPER_LOCK}))`)
  const usable = [
    notDeleted(accounts),
    eq(accounts.status, 1),
    eq(accounts.tenantId, PLATFORM_TENANT_ID),
    or(isNull(accounts.expireTime), gt(accounts.expireTime, sql`now()`)),
  ]
  const remaining = await supers(...usable, notInArray(accounts.uid, [...leaving]))
  if (remaining.length === 0) throw refused('至少要保留一名启用的超级管理员')
}

/**
 * Returns the tree of grantable pages and buttons with their directories. For a tenant, only the menus of its scenes
 * are included.
 */
export async function buildPermissionTree(db: Db, user: User, tenantId: number): Promise<PermNode[]> {
  const held = await listGrantedMenus(db, user)
  const rows = await grantableRows(db, tenantId)
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const branch = (parentId: number): PermNode[] =>
    (below.get(parentId) ?? []).flatMap(({ offered, activeMenu: _activeMenu, ...row }) => {
      const children = branch(row.id)
      if (children.length === 0 && (row.type === 'M' || !offered)) return []
      const grantable = row.type !== 'M' && offered && (held === 'all' || held.has(row.id))
      return [{ ...row, type: row.type as PermNode['type'], grantable, children }]
    })
  return branch(0)
}

/** Returns ids of the pages and buttons that a role of this tenant, or a scene, may contain. */
export async function listOfferedMenus(db: Db, tenantId: number): Promise<ReadonlySet<number>> {
  const rows = await grantableRows(db, tenantId)
  return new Set(rows.flatMap(({ id, type, offered }) => (offered && type !== 'M' ? [id] : [])))
}

async function grantableRows(db: Db, tenantId: number) {
  const offered =
    tenantId === PLATFORM_TENANT_ID
      ? sql`true`
      : sql`${menus.id} in (select menu_id from ${selectMenusOfTenant(tenantId)} as o)`
  const rows = await db
    .select({
      id: menus.id,
      parentId: menus.parentId,
      name: menus.name,
      type: menus.type,
      perms: menus.perms,
      url: menus.url,
      status: menus.status,
      activeMenu: menus.activeMenu,
      offered: sql<boolean>`${offered}`,
    })
    .from(menus)
    .where(notDeleted(menus))
    .orderBy(asc(menus.sort), asc(menus.id))
  return rows.filter((row) => !isOpenedFromParent(row))
}

/**
 * Returns the pages and buttons among the ids. Directories and pages that follow a parent page are derived, never
 * granted.
 */
export async function listLeafMenuIds(db: Db, menuIds: readonly number[]): Promise<number[]> {
  const wanted = [...new Set(menuIds)]
  if (wanted.length === 0) return []
  const rows = await db
    .select({ id: menus.id, type: menus.type, activeMenu: menus.activeMenu, perms: menus.perms })
    .from(menus)
    .where(and(inArray(menus.id, wanted), notDeleted(menus)))
  if (rows.length < wanted.length) throw invalid('所选权限有的已被删除，请刷新后重试', 'menuIds')
  return rows.flatMap((row) => (row.type === 'M' || isOpenedFromParent(row) ? [] : [row.id]))
}
