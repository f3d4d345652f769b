import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { role } from '@oms/contract/role.ts'
import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { accountRoles, roles } from '#db/schema/account.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Db } from '#db/client.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { notFound, refused } from '#kernel/problem.ts'
import { contains, orderOf, within } from '#kernel/query.ts'
import { alive, scoped } from '#kernel/tenancy.ts'

export type Role = typeof roles.$inferSelect
type Filter = Pick<
  ParsedOf<typeof role.list>,
  'roleName' | 'roleCode' | 'status' | 'tenantId' | 'beginTime' | 'endTime'
>

/** Roles the caller may see and the filter wants; without a customer named, those of the tenant one works in. */
export const matching = (user: User, { roleName, roleCode, status, tenantId, beginTime, endTime }: Filter) =>
  and(
    alive(roles),
    scoped(user, { tenant: roles.tenantId, creator: roles.createBy }),
    eq(roles.tenantId, tenantId ?? user.tenantId ?? 0),
    contains(roles.roleName, roleName),
    contains(roles.roleCode, roleCode),
    status === undefined ? undefined : eq(roles.status, status),
    ...within(roles.createTime, beginTime, endTime),
  )

/** By the role's own number unless another order is asked for. */
export const roleOrder = (asked: Pick<ParsedOf<typeof role.list>, 'orderByColumn' | 'isAsc'>) =>
  orderOf(asked, { roleSort: roles.roleSort, createTime: roles.createTime }, roles.id, [
    asc(roles.roleSort),
    asc(roles.id),
  ])

const userCount = sql<number>`(select count(*)::int from account_roles ar join accounts a on a.uid = ar.uid
  where ar.role_id = ${roles.id} and a.deleted_at is null)`
const menuCount = sql<number>`(select count(*)::int from role_menus rm join menus m on m.id = rm.menu_id
  where rm.role_id = ${roles.id} and m.deleted_at is null)`

/** Roles with the name of their tenant and what they count. */
export const shownRoles = (db: Db) =>
  db
    .select({ ...getTableColumns(roles), tenantName: sql<string>`coalesce(${tenants.name}, '')`, userCount, menuCount })
    .from(roles)
    .leftJoin(tenants, eq(tenants.id, roles.tenantId))
    .$dynamic()

/** One role within the caller's reach. */
const reached = (user: User, id: number) =>
  and(eq(roles.id, id), alive(roles), scoped(user, { tenant: roles.tenantId, creator: roles.createBy }))

export async function readRole({ db, user }: Ctx, id: number) {
  const [found] = await shownRoles(db).where(reached(user, id))
  if (!found) throw notFound('角色')
  return found
}

/** The role a change is about, locked until the change is done: two changes of one role take turns. */
export async function lockRole({ db, user }: Ctx, id: number): Promise<Role> {
  const [found] = await db.select().from(roles).where(reached(user, id)).for('update')
  if (!found) throw notFound('角色')
  return found
}

/** The super role is what it is: nothing about it can be changed but who holds it. */
export function assertOrdinary({ isBuiltin, roleName }: Role) {
  if (isBuiltin === 1) throw refused(`内置角色「${roleName}」不能修改`)
}

const MAX_NAMED = 300

/** Accounts holding the role, to name them in the announcement; undefined when they are too many to name. */
export async function holdersOf(db: Db, roleId: number): Promise<number[] | undefined> {
  const rows = await db
    .select({ uid: accountRoles.uid })
    .from(accountRoles)
    .where(eq(accountRoles.roleId, roleId))
    .limit(MAX_NAMED + 1)
  return rows.length > MAX_NAMED ? undefined : rows.map(({ uid }) => uid)
}

/** Open sessions of these accounts act on the change as soon as it commits, and open lists show it. */
export async function announce({ kernel, db }: Ctx, tenantId: number, uids: number[] | undefined) {
  if (uids === undefined || uids.length > 0) await rightsChanged(kernel, db, uids)
  await kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId })
}
