import type { PermNode } from '@oms/contract/permission.ts'
import { and, asc, eq, gt, inArray, isNull, notInArray, or, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accountRoles, accounts, roleMenus, roles } from '#db/schema/account.ts'
import { menus } from '#db/schema/system.ts'
import type { Ctx, User } from './context.ts'
import { followsParent } from './menu-tree.ts'
import { forbidden, invalid, notFound, refused } from './problem.ts'
import { menusOfTenant, SCOPE, SUPER_ROLE_ID } from './rights.ts'
import { alive, PLATFORM_TENANT_ID, reaches } from './tenancy.ts'

type Granter = Pick<Ctx, 'db' | 'user'>

interface ScopeOfRole {
  readonly tenantId: number
  readonly dataScope: number
  readonly scopeIds: readonly number[]
}

/** What one account gives to, or takes from, others. */
export interface Grant {
  /** Pages and buttons put into a role or scene, or taken out of it. */
  readonly menuIds?: readonly number[]
  /** Roles given to or taken from accounts, switched on or off, copied or deleted. */
  readonly roleIds?: readonly number[]
  /** A data scope a role gets. */
  readonly scope?: ScopeOfRole
}

/**
 * Nobody gives or takes what he does not hold himself: menus, roles (all a role confers) or data scopes. Every call
 * that changes rights passes here. Rights are read fresh inside the caller's transaction.
 */
export async function assertMayGrant({ db, user }: Granter, { menuIds = [], roleIds = [], scope }: Grant) {
  const given = await rolesOf(db, user, roleIds)
  if (user.isSuper) return
  if (given.some(({ id }) => id === SUPER_ROLE_ID)) throw refused('只有超级管理员可以分配超级管理员角色')
  for (const each of scope ? [...given, scope] : given)
    if (!holdsScope(user, each)) throw refused('不能授予超出您自己的数据范围', { field: 'dataScope' })
  await assertHolds(db, user, [...menuIds, ...(await menusIn(db, roleIds))])
}

/** Customers' staff never manage what all customers share: the menus and the scenes. */
export function assertPlatform(user: User) {
  if (!user.isPlatform) throw forbidden()
}

/** The roles asked for; one that does not exist and one of a tenant out of reach answer alike. */
async function rolesOf(db: Db, user: User, roleIds: readonly number[]) {
  if (roleIds.length === 0) return []
  const wanted = new Set(roleIds)
  const found = await db
    .select({ id: roles.id, tenantId: roles.tenantId, dataScope: roles.dataScope, scopeIds: roles.scopeIds })
    .from(roles)
    .where(and(inArray(roles.id, [...wanted]), alive(roles)))
  if (found.length < wanted.size || found.some(({ tenantId }) => !reaches(user, tenantId))) throw notFound('角色')
  return found
}

/** Is a role's data scope within the caller's own? A customer's role never reaches beyond its tenant, whatever it says. */
export function holdsScope({ scope: own }: Pick<User, 'scope'>, { tenantId, dataScope, scopeIds }: ScopeOfRole) {
  if (dataScope === SCOPE.mine) return true
  if (own.ownOnly) return false
  const { tenants } = own
  if (tenants === 'all') return true
  if (tenantId !== PLATFORM_TENANT_ID || dataScope === SCOPE.own) return tenants.includes(tenantId)
  return dataScope === SCOPE.chosen && scopeIds.every((id) => tenants.includes(id))
}

const menusIn = async (db: Db, roleIds: readonly number[]) => {
  if (roleIds.length === 0) return []
  const rows = await db
    .selectDistinct({ menuId: roleMenus.menuId })
    .from(roleMenus)
    .innerJoin(menus, eq(menus.id, roleMenus.menuId))
    .where(and(inArray(roleMenus.roleId, [...roleIds]), alive(menus)))
  return rows.map(({ menuId }) => menuId)
}

async function assertHolds(db: Db, user: User, menuIds: readonly number[]) {
  const held = await heldMenus(db, user)
  const lacking = held === 'all' ? [] : [...new Set(menuIds)].filter((id) => !held.has(id))
  if (lacking.length === 0) return
  const [first] = await db.select({ name: menus.name }).from(menus).where(inArray(menus.id, lacking)).limit(1)
  throw refused(`不能授予或收回您自己没有的权限${first ? `：${first.name}等${lacking.length}项` : ''}`, {
    field: 'menuIds',
  })
}

/**
 * What the account's enabled roles hold, whether or not a scene or a switched-off menu withholds it at the moment:
 * otherwise a grant made today could come to more than the granter's own tomorrow.
 */
export async function heldMenus(db: Db, user: User): Promise<ReadonlySet<number> | 'all'> {
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
        alive(roles),
        eq(roles.tenantId, user.homeTenantId ?? 0),
      ),
    )
  return new Set(rows.map(({ menuId }) => menuId))
}

const SUPER_LOCK = 'oms last super administrator'

/**
 * Refuses to let these accounts go (lose the super role, be disabled or deleted) when no enabled super administrator
 * would be left. Callers take turns until their transactions end, so two at once cannot each count on the other.
 */
export async function assertSuperRemains(db: Db, leaving: readonly number[]) {
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
    alive(accounts),
    eq(accounts.status, 1),
    eq(accounts.tenantId, PLATFORM_TENANT_ID),
    or(isNull(accounts.expireTime), gt(accounts.expireTime, sql`now()`)),
  ]
  const remaining = await supers(...usable, notInArray(accounts.uid, [...leaving]))
  if (remaining.length === 0) throw refused('至少要保留一名启用的超级管理员')
}

/** Every page and button that can be granted, and of a customer only what its scenes offer; with directories above them. */
export async function permTreeOf(db: Db, user: User, tenantId: number): Promise<PermNode[]> {
  const held = await heldMenus(db, user)
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

/** Ids of the pages and buttons a role of this tenant, or a scene, may be given. */
export async function offeredMenus(db: Db, tenantId: number): Promise<ReadonlySet<number>> {
  const rows = await grantableRows(db, tenantId)
  return new Set(rows.flatMap(({ id, type, offered }) => (offered && type !== 'M' ? [id] : [])))
}

async function grantableRows(db: Db, tenantId: number) {
  const offered =
    tenantId === PLATFORM_TENANT_ID
      ? sql`true`
      : sql`${menus.id} in (select menu_id from ${menusOfTenant(tenantId)} as o)`
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
    .where(alive(menus))
    .orderBy(asc(menus.sort), asc(menus.id))
  return rows.filter((row) => !followsParent(row))
}

/** The pages and buttons among the ids. Directories and pages that follow another are derived, never granted. */
export async function leavesOf(db: Db, menuIds: readonly number[]): Promise<number[]> {
  const wanted = [...new Set(menuIds)]
  if (wanted.length === 0) return []
  const rows = await db
    .select({ id: menus.id, type: menus.type, activeMenu: menus.activeMenu, perms: menus.perms })
    .from(menus)
    .where(and(inArray(menus.id, wanted), alive(menus)))
  if (rows.length < wanted.length) throw invalid('所选权限有的已被删除，请刷新后重试', 'menuIds')
  return rows.flatMap((row) => (row.type === 'M' || followsParent(row) ? [] : [row.id]))
}
