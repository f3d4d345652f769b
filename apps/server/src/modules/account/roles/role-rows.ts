import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { role } from '@oms/contract/account/role.ts'
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { accountRoles, roles } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import { contains, within } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

export type Role = typeof roles.$inferSelect
type Filter = Pick<
  ParsedOf<typeof role.list>,
  'roleName' | 'roleCode' | 'status' | 'tenantId' | 'beginTime' | 'endTime'
>

/** Returns the condition of the filter. Without a tenant, selects roles of the session's tenant. */
export const buildRoleFilter = (
  { roleName, roleCode, status, tenantId, beginTime, endTime }: Filter,
  user: User,
): SQL | undefined =>
  and(
    eq(roles.tenantId, tenantId ?? user.tenantId ?? 0),
    contains(roles.roleName, roleName),
    contains(roles.roleCode, roleCode),
    status === undefined ? undefined : eq(roles.status, status),
    ...within(roles.createTime, beginTime, endTime),
  )

const userCount = sql<number>`(select count(*)::int from account_roles ar join accounts a on a.uid = ar.uid
  where ar.role_id = ${roles.id} and a.deleted_at is null)`
const menuCount = sql<number>`(select count(*)::int from role_menus rm join menus m on m.id = rm.menu_id
  where rm.role_id = ${roles.id} and m.deleted_at is null and m.type <> 'M')`

/** Selects roles with the tenant's name and counts. */
export const selectRoles = (db: Db) =>
  db
    .select({ ...getTableColumns(roles), tenantName: sql<string>`coalesce(${tenants.name}, '')`, userCount, menuCount })
    .from(roles)
    .leftJoin(tenants, eq(tenants.id, roles.tenantId))
    .$dynamic()

/** Returns the condition for one visible role. */
const reached = (user: User, id: number) =>
  and(eq(roles.id, id), notDeleted(roles), scoped(user, { tenant: roles.tenantId, creator: roles.createBy }))

export async function readRole({ db, user }: Ctx, id: number) {
  const [found] = await selectRoles(db).where(reached(user, id))
  if (!found) throw notFound('角色')
  return found
}

/** Returns the role, locked until the transaction ends. Changes of one role run one after another. */
export async function lockRole({ db, user }: Ctx, id: number): Promise<Role> {
  const [found] = await db.select().from(roles).where(reached(user, id)).for('update')
  if (!found) throw notFound('角色')
  return found
}

/** Throws for the built-in super role, of which only the members can be changed. */
export function assertNotBuiltin({ isBuiltin, roleName }: Role) {
  if (isBuiltin === 1) throw refused(`内置角色「${roleName}」不能修改`)
}

const MAX_NAMED = 300

/** Returns the accounts that hold the role; undefined when there are too many for one NOTIFY. */
export async function listRoleAccounts(db: Db, roleId: number): Promise<number[] | undefined> {
  const rows = await db
    .select({ uid: accountRoles.uid })
    .from(accountRoles)
    .where(eq(accountRoles.roleId, roleId))
    .limit(MAX_NAMED + 1)
  return rows.length > MAX_NAMED ? undefined : rows.map(({ uid }) => uid)
}

/** Publishes the change, so that open sessions reload their permissions after the commit and open lists reload. */
export async function publishRoleChanged({ services, db }: Ctx, tenantId: number, uids: number[] | undefined) {
  if (uids === undefined || uids.length > 0) await publishRightsChanged(services, db, uids)
  await services.events.publish(db, 'changed', { resource: 'tenant', tenantId })
}
