import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { PermNode } from '@oms/contract/permission-tree.ts'
import type { role } from '@oms/contract/account/role.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertMayGrant, listLeafMenuIds, listOfferedMenus, buildPermissionTree } from '#core/auth/grants.ts'
import { refused } from '#core/http/api-error.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { publishRoleChanged, assertNotBuiltin, listRoleAccounts, lockRole, readRole } from './role-rows.ts'

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
