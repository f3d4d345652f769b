import { and, asc, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { assertMayGrant, listGrantedMenus, includesScope, type ScopeOfRole } from '#core/auth/grants.ts'
import { DATA_SCOPE_CODE, SUPER_ROLE_ID } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accountRoles, accounts, roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

type Granter = Pick<Ctx, 'db' | 'user'>

/** Throws when the target is the caller or an account with more rights than the caller. */
export async function assertMayChangeOtherAccount(granter: Granter, { uid }: { uid: number }) {
  if (uid === granter.user.uid) throw refused('不能操作当前登录的账号')
  await assertMayChangeAccounts(granter, [uid])
}

/**
 * Throws when one of the accounts has a permission or a data scope that the caller could not grant. Otherwise a
 * password reset would give the caller these rights. Every call that changes other accounts uses this check. Ignores
 * the account of the caller.
 */
export async function assertMayChangeAccounts(granter: Granter, uids: readonly number[]) {
  const [refusal] = (await findChangeRefusals(granter, uids)).values()
  if (refusal !== undefined) throw refused(refusal)
}

/**
 * Returns the accounts that have a permission or a data scope that the caller could not grant, each with the reason why
 * the caller may not change the account.
 */
export async function findChangeRefusals(
  { db, user }: Granter,
  uids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const refusals = new Map<number, string>()
  const others = uids.filter((uid) => uid !== user.uid)
  if (user.isSuper || others.length === 0) return refusals
  const held = await rolesOfAccounts(db, others)
  const roleIds = [...new Set(held.map(({ id }) => id))]
  const beyond = await listRolesBeyond(db, await listGrantedMenus(db, user), roleIds)
  for (const { uid, ...role } of held) {
    if (role.id === SUPER_ROLE_ID) refusals.set(uid, '只有超级管理员可以操作超级管理员')
    else if (!refusals.has(uid) && (beyond.has(role.id) || !includesScope(user, role)))
      refusals.set(uid, '该账号的权限或数据范围超出您自己的，不能操作')
  }
  return refusals
}

/** Adds the reason why the caller may not change an account to each row of accounts. */
export async function addChangeRefusals<R extends { readonly uid: number }>(granter: Granter, rows: readonly R[]) {
  const refusals = await findChangeRefusals(
    granter,
    rows.map(({ uid }) => uid),
  )
  return rows.map((row) => ({ ...row, changeRefusal: refusals.get(row.uid) ?? null }))
}

/** Returns the roles of the accounts. The scope "chosen tenants" also contains the tenants that the account created. */
const rolesOfAccounts = (db: Db, uids: readonly number[]) =>
  db
    .select({
      uid: accounts.uid,
      id: roles.id,
      tenantId: roles.tenantId,
      dataScope: roles.dataScope,
      scopeIds: sql<number[]>`case when ${roles.dataScope} <> ${DATA_SCOPE_CODE.chosen} then ${roles.scopeIds}
        else ${roles.scopeIds} || array(select t.id from tenants t
          where t.create_by = ${accounts.uid} and t.deleted_at is null) end`,
    })
    .from(accounts)
    .innerJoin(accountRoles, eq(accountRoles.uid, accounts.uid))
    .innerJoin(roles, and(eq(roles.id, accountRoles.roleId), eq(roles.tenantId, accounts.tenantId)))
    .where(and(inArray(accounts.uid, [...uids]), notDeleted(roles)))

/** Returns the roles that contain a menu which is not one of `own`. */
async function listRolesBeyond(db: Db, own: ReadonlySet<number> | 'all', roleIds: readonly number[]) {
  if (own === 'all' || roleIds.length === 0) return new Set<number>()
  const found = await db
    .selectDistinct({ roleId: roleMenus.roleId })
    .from(roleMenus)
    .innerJoin(menus, and(eq(menus.id, roleMenus.menuId), notDeleted(menus)))
    .where(and(inArray(roleMenus.roleId, [...roleIds]), notInArray(roleMenus.menuId, [...own])))
  return new Set(found.map(({ roleId }) => roleId))
}

/**
 * Adds the reason why the caller may not edit, copy, switch or delete a role to each row: a permission or a data scope
 * of the role that the caller could not grant.
 */
export async function addRoleChangeRefusals<R extends ScopedRole>(granter: Granter, rows: readonly R[]) {
  const isBeyond = await findRolesBeyond(granter, rows)
  return rows.map((row) => ({ ...row, changeRefusal: isBeyond(row) ? ROLE_BEYOND_MESSAGE : null }))
}

interface ScopedRole extends ScopeOfRole {
  readonly id: number
}
const ROLE_BEYOND_MESSAGE = '该角色的权限或数据范围超出您自己的，不能操作'

/** Returns whether one of these roles has a permission or a data scope that the caller could not grant. */
async function findRolesBeyond({ db, user }: Granter, rows: readonly ScopedRole[]) {
  if (user.isSuper) return () => false
  const ids = rows.map(({ id }) => id)
  const beyond = await listRolesBeyond(db, await listGrantedMenus(db, user), ids)
  return (role: ScopedRole) => role.id === SUPER_ROLE_ID || beyond.has(role.id) || !includesScope(user, role)
}

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
export async function listAssignableRoles(granter: Granter, tenantId: number) {
  const found = await rolesOfTenant(granter.db, tenantId)
  const isBeyond = await findRolesBeyond(granter, found)
  return found.map((role) => ({
    id: role.id,
    roleName: role.roleName,
    status: role.status,
    grantable: !isBeyond(role),
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
