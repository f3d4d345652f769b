import type { role } from '@oms/contract/account/role.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { PermNode } from '@oms/contract/permission-tree.ts'
import { and, desc, eq, exists, inArray, not, type SQL } from 'drizzle-orm'
import { maskMobile } from '#core/audit/mask.ts'
import {
  assertMayGrant,
  assertSuperAdminRemains,
  listLeafMenuIds,
  listOfferedMenus,
  buildPermissionTree,
} from '#core/auth/grants.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accountRoles, accounts, roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { notDeleted, scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { addChangeRefusals, assertMayChangeAccounts } from './account-guard.ts'
import { publishRoleChanged, lockRole, type Role, readRole, assertNotBuiltin, listRoleAccounts } from './role.ts'

type Members = ParsedOf<typeof role.accountInRole>
type Assignment = ParsedOf<typeof role.addUserRole>

export const listRoleMembers = (ctx: Ctx, input: Members) => members(ctx, input, (holds) => holds)
export const listAccountsOutsideRole = (ctx: Ctx, input: Members) => members(ctx, input, not)

/** Lists the accounts of the role's tenant that hold, or do not hold, the role. */
async function members(ctx: Ctx, { id, account, realname, mobileNo, ...page }: Members, side: (holds: SQL) => SQL) {
  const { db, user } = ctx
  const { tenantId } = await readRole(ctx, id)
  const holds = exists(
    db
      .select({ uid: accountRoles.uid })
      .from(accountRoles)
      .where(and(eq(accountRoles.roleId, id), eq(accountRoles.uid, accounts.uid))),
  )
  const rows = db
    .select({
      uid: accounts.uid,
      account: accounts.account,
      realname: accounts.realname,
      nickname: accounts.nickname,
      mobileNo: accounts.mobileNo,
      status: accounts.status,
      createTime: accounts.createTime,
    })
    .from(accounts)
    .where(
      and(
        inTenant(ctx, tenantId),
        contains(accounts.account, account),
        contains(accounts.realname, realname),
        contains(accounts.mobileNo, mobileNo),
        side(holds),
      ),
    )
    .$dynamic()
  const found = await paginate(db, rows, page, [desc(accounts.uid)])
  const list = await addChangeRefusals(ctx, found.list)
  if (user.can('system:manager:plain')) return { ...found, list }
  return { ...found, list: list.map((row) => ({ ...row, mobileNo: maskMobile(row.mobileNo) })) }
}

const inTenant = ({ user }: Ctx, tenantId: number) =>
  and(
    notDeleted(accounts),
    eq(accounts.tenantId, tenantId),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
  )

export async function addRoleMembers(ctx: Ctx, { roleId, uids }: Assignment) {
  const { db } = ctx
  const stored = await lockRole(ctx, roleId)
  await assertMayGrant(ctx, { roleIds: [roleId] })
  const meant = await accountsOf(ctx, stored, uids)
  const added = await db
    .insert(accountRoles)
    .values(meant.map(({ uid }) => ({ uid, roleId })))
    .onConflictDoNothing()
    .returning({ uid: accountRoles.uid })
  return recordMembership(ctx, stored, meant, added, '添加')
}

export async function removeRoleMembers(ctx: Ctx, { roleId, uids }: Assignment) {
  const { db } = ctx
  const stored = await lockRole(ctx, roleId)
  await assertMayGrant(ctx, { roleIds: [roleId] })
  const meant = await accountsOf(ctx, stored, uids)
  const going = meant.map(({ uid }) => uid)
  if (roleId === SUPER_ROLE_ID) await assertSuperAdminRemains(db, going)
  const removed = await db
    .delete(accountRoles)
    .where(and(eq(accountRoles.roleId, roleId), inArray(accountRoles.uid, going)))
    .returning({ uid: accountRoles.uid })
  return recordMembership(ctx, stored, meant, removed, '移除')
}

/** Returns the named accounts. Throws unless all belong to the role's tenant and the caller may change them. */
async function accountsOf(ctx: Ctx, { tenantId }: Role, uids: readonly number[]) {
  const wanted = [...new Set(uids)]
  const found = await ctx.db
    .select({ uid: accounts.uid, account: accounts.account })
    .from(accounts)
    .where(and(inArray(accounts.uid, wanted), inTenant(ctx, tenantId)))
  if (found.length < wanted.length) throw notFound('账号')
  await assertMayChangeAccounts(ctx, wanted)
  return found
}

async function recordMembership(
  ctx: Ctx,
  { id, roleName, tenantId }: Role,
  meant: { uid: number; account: string }[],
  changed: { uid: number }[],
  verb: '添加' | '移除',
) {
  const uids = new Set(changed.map(({ uid }) => uid))
  const names = meant.flatMap(({ uid, account }) => (uids.has(uid) ? [account] : []))
  const diff = [{ field: 'users', title: '用户', from: verb === '移除' ? names : [], to: verb === '添加' ? names : [] }]
  const shown = `${names.slice(0, 10).join('、')}${names.length > 10 ? '等' : ''}`
  ctx.audit({
    bizType: 'role',
    bizId: id,
    action: names.length
      ? `角色「${roleName}」${verb}${names.length}个用户：${shown}`
      : `角色「${roleName}」的用户没有变化`,
    diff: names.length ? diff : [],
  })
  if (uids.size) await publishRoleChanged(ctx, tenantId, [...uids])
  return { changed: uids.size }
}

export async function getRolePermissions(ctx: Ctx, { id }: ParsedOf<typeof role.allPerm>) {
  const { db, user } = ctx
  const found = await readRole(ctx, id)
  const tree = await buildPermissionTree(db, user, found.tenantId)
  const held = await menusOf(ctx, id)
  const { checked, half } = marksOf(tree, id === SUPER_ROLE_ID ? undefined : held)
  return { menus: id === SUPER_ROLE_ID ? fixed(tree) : tree, checkedIds: checked, halfCheckedIds: half, rev: found.rev }
}

/** Returns the tree with all nodes disabled, for the super role. */
const fixed = (tree: readonly PermNode[]): PermNode[] =>
  tree.map((node) => ({ ...node, grantable: false, children: fixed(node.children) }))

/** Returns granted nodes and partly granted nodes. Without `held`, every node is granted. */
function marksOf(tree: readonly PermNode[], held: ReadonlySet<number> | undefined) {
  const checked: number[] = []
  const half: number[] = []
  /** Counts the grantable and the granted nodes of a subtree. */
  const visit = ({ id, type, children }: PermNode): { all: number; on: number } => {
    const own = type !== 'M' && (held?.has(id) ?? true)
    if (own) checked.push(id)
    const sums = children.map(visit)
    const all = sums.reduce((sum, each) => sum + each.all, type === 'M' ? 0 : 1)
    const on = sums.reduce((sum, each) => sum + each.on, own ? 1 : 0)
    if (!own && on > 0 && on < all) half.push(id)
    else if (type === 'M' && on > 0 && on === all) checked.push(id)
    return { all, on }
  }
  tree.forEach(visit)
  return { checked, half }
}

export async function setRolePermissions(ctx: Ctx, { roleId, menuIds, rev }: ParsedOf<typeof role.permission>) {
  const { db, user, now } = ctx
  const stored = await lockRole(ctx, roleId)
  assertNotBuiltin(stored)
  await checkRevision(db, stored, rev)
  const before = await menusOf(ctx, roleId)
  const offered = await listOfferedMenus(db, stored.tenantId)
  const wanted = await listLeafMenuIds(db, menuIds)
  if (wanted.some((id) => !offered.has(id) && !before.has(id))) throw refused('所选权限不在该客户的业务场景之内')
  // Permissions that the tenant's scenes currently withhold are not in the tree and stay unchanged.
  const next = new Set([...wanted, ...[...before].filter((id) => !offered.has(id))])
  const added = [...next].filter((id) => !before.has(id))
  const removed = [...before].filter((id) => !next.has(id))
  if (added.length + removed.length === 0) return { rev: stored.rev }
  await assertMayGrant(ctx, { menuIds: [...added, ...removed], scope: stored })
  if (removed.length)
    await db.delete(roleMenus).where(and(eq(roleMenus.roleId, roleId), inArray(roleMenus.menuId, removed)))
  if (added.length) await db.insert(roleMenus).values(added.map((menuId) => ({ roleId, menuId })))
  const [saved] = await db
    .update(roles)
    .set(updateColumns(stored, user.uid, now))
    .where(eq(roles.id, roleId))
    .returning({ rev: roles.rev })
  await auditPermission(ctx, stored, added, removed)
  await publishRoleChanged(ctx, stored.tenantId, await listRoleAccounts(db, roleId))
  return saved!
}

async function auditPermission(
  ctx: Ctx,
  { id, roleName }: { id: number; roleName: string },
  added: number[],
  removed: number[],
) {
  const lines = flattenTree(await buildPermissionTree(ctx.db, ctx.user, PLATFORM_TENANT_ID))
  const named = (ids: readonly number[]) => lines.flatMap(({ id, path }) => (ids.includes(id) ? [path] : []))
  ctx.audit({
    bizType: 'role',
    bizId: id,
    action: `调整角色「${roleName}」的权限：新增${added.length}项，移除${removed.length}项`,
    diff: [{ field: 'menuIds', title: '权限', from: named(removed), to: named(added) }],
  })
}

/** Lists the pages and buttons of the tree, each with the names of its ancestors. */
function flattenTree(tree: readonly PermNode[], above: readonly string[] = []): { id: number; path: string }[] {
  return tree.flatMap(({ id, name, type, children }) => {
    const names = [...above, name]
    return [...(type === 'M' ? [] : [{ id, path: names.join(' / ') }]), ...flattenTree(children, names)]
  })
}

async function menusOf({ db }: Ctx, roleId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ menuId: roleMenus.menuId })
    .from(roleMenus)
    .innerJoin(menus, eq(menus.id, roleMenus.menuId))
    .where(and(eq(roleMenus.roleId, roleId), notDeleted(menus)))
  return new Set(rows.map(({ menuId }) => menuId))
}
