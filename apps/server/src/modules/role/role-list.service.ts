import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { PermNode } from '@oms/contract/permission.ts'
import type { role } from '@oms/contract/role.ts'
import { and, asc, eq, inArray } from 'drizzle-orm'
import { roleMenus, roles } from '#db/schema/account.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { permTreeOf } from '#kernel/grants.ts'
import { invalid, notFound } from '#kernel/problem.ts'
import { contains, paginate } from '#kernel/query.ts'
import { alive, PLATFORM_TENANT_ID, scoped } from '#kernel/tenancy.ts'
import { matching, readRole, roleOrder, shownRoles } from './role-rows.ts'

const MAX_PICKED = 50

export const list = ({ db, user }: Ctx, input: ParsedOf<typeof role.list>) =>
  paginate(db, shownRoles(db).where(matching(user, input)), input, roleOrder(input))

export async function get(ctx: Ctx, { id }: ParsedOf<typeof role.get>) {
  const found = await readRole(ctx, id)
  const scopeTenants = found.scopeIds.length
    ? await ctx.db
        .select({ id: tenants.id, name: tenants.name })
        .from(tenants)
        .where(and(inArray(tenants.id, found.scopeIds), alive(tenants)))
        .orderBy(asc(tenants.id))
    : []
  return { ...found, scopeTenants }
}

/** Tenants to pick from: those whose name contains the text, or those of the ids. */
export async function pickTenants({ db, user }: Ctx, { name, ids }: ParsedOf<typeof role.tenants>) {
  const rows = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(
      and(
        alive(tenants),
        scoped(user, { tenant: tenants.id }),
        contains(tenants.name, name),
        ids && inArray(tenants.id, ids),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(ids ? ids.length : MAX_PICKED)
  return { list: rows }
}

/** Permissions held by at least one of the roles, in the order of the permission tree. */
export async function compare(ctx: Ctx, { ids }: ParsedOf<typeof role.compare>) {
  const { db, user } = ctx
  const wanted = [...new Set(ids)]
  if (wanted.length < 2) throw invalid('请选择至少两个角色', 'ids')
  const found = await db
    .select()
    .from(roles)
    .where(
      and(inArray(roles.id, wanted), alive(roles), scoped(user, { tenant: roles.tenantId, creator: roles.createBy })),
    )
  if (found.length < wanted.length) throw notFound('角色')
  const grants = await db.select().from(roleMenus).where(inArray(roleMenus.roleId, wanted))
  const heldBy = new Map(wanted.map((id) => [id, new Set<number>()]))
  for (const { roleId, menuId } of grants) heldBy.get(roleId)?.add(menuId)
  const lines = linesOf(await permTreeOf(db, user, PLATFORM_TENANT_ID))
  return {
    roles: wanted.flatMap((id) => found.filter((each) => each.id === id)),
    rows: lines.flatMap((line) => {
      const held = wanted.map((id) => heldBy.get(id)?.has(line.menuId) ?? false)
      return held.includes(true) ? [{ ...line, held }] : []
    }),
  }
}

interface Line {
  menuId: number
  path: string
  name: string
  perms: string
}

/** The tree as lines, each with the names above it. */
export function linesOf(tree: readonly PermNode[], above: readonly string[] = []): Line[] {
  return tree.flatMap(({ id, name, type, perms, children }) => {
    const own = type === 'M' ? [] : [{ menuId: id, path: above.join(' / '), name, perms }]
    return [...own, ...linesOf(children, [...above, name])]
  })
}

export const scopeTenantsExist = async ({ db, user }: Ctx, ids: readonly number[]) => {
  const rows = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(inArray(tenants.id, [...ids]), alive(tenants), scoped(user, { tenant: tenants.id })))
  return rows.length === new Set(ids).size
}

export const tenantExists = async ({ db }: Ctx, id: number) =>
  (
    await db
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(eq(tenants.id, id), alive(tenants)))
  ).length > 0
