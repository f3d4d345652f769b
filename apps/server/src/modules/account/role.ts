import { role, RoleRow, DATA_SCOPE, ROLE_STATUS, RoleInput } from '@oms/contract/account/role.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, getTableColumns, type SQL, sql, asc, count } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { assertMayGrant } from '#core/auth/grants.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, within } from '#core/database/lists/list-query.ts'
import { defineList } from '#core/database/lists/record-list.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, refused, conflict, forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accountRoles, roles, accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { readTenantNames, resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { addRoleChangeRefusals } from './account-guard.ts'

export type Role = typeof roles.$inferSelect
type Filter = Pick<
  ParsedOf<typeof role.list>,
  'roleName' | 'roleCode' | 'status' | 'tenantId' | 'beginTime' | 'endTime'
>

/** Returns the condition of the filter. Without a tenant, selects roles of the session's tenant. */
const buildRoleFilter = (
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
const selectRoles = (db: Db) =>
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

const number = { type: 'number', width: 10 } as const
const time = { type: 'dateTime' } as const

const { list, exportRows } = defineList({
  calls: role,
  kind: 'role',
  noun: '角色',
  row: RoleRow,
  key: roles.id,
  select: selectRoles,
  where: buildRoleFilter,
  sort: { roleSort: roles.roleSort, createTime: roles.createTime },
  standard: [asc(roles.roleSort), asc(roles.id)],
  columns: [
    ['roleName', { width: 24 }],
    ['roleCode', { width: 24 }],
    ['tenantName', { width: 24 }],
    ['dataScope', { width: 12 }],
    ['roleSort', number],
    ['userCount', number],
    ['menuCount', number],
    ['status', { width: 8 }],
    ['homeUrl', { width: 24 }],
    ['remark', { width: 40 }],
    ['createTime', time],
    ['updateTime', time],
  ],
})

export const exportRoles = exportRows

export async function listRoles(ctx: Ctx, input: ParsedOf<typeof role.list>) {
  const page = await list(ctx, input)
  return { ...page, list: await addRoleChangeRefusals(ctx, page.list) }
}

export async function getRole(ctx: Ctx, { id }: ParsedOf<typeof role.get>) {
  const found = await readRole(ctx, id)
  const scopeTenants = await readTenantNames(ctx.db, ctx.user, found.scopeIds)
  const [role] = await addRoleChangeRefusals(ctx, [found])
  return { ...role!, scopeTenants }
}

const areTenantsInScope = async ({ db, user }: Ctx, ids: readonly number[]) =>
  (await readTenantNames(db, user, ids)).length === new Set(ids).size

const TITLES = Object.fromEntries(
  Object.entries(RoleInput.shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
)
const CLASHES = { roles_name: ['角色名称已存在', 'roleName'], roles_code: ['角色编码已存在', 'roleCode'] } as const

export async function createRole(ctx: Ctx, { tenantId: asked, ...input }: ParsedOf<typeof role.create>) {
  const { id: tenantId } = await resolveOwningTenant(ctx, asked, 'tenantId')
  const dataScope = ctx.user.scope.ownOnly ? DATA_SCOPE_CODE.mine : DATA_SCOPE_CODE.own
  const scope = await scopeOf(ctx, tenantId, input, { dataScope, scopeIds: [] })
  const created = await insertRole(ctx, { ...input, ...scope, tenantId })
  ctx.audit({
    bizType: 'role',
    bizId: created.id,
    action: `新增角色「${input.roleName}」`,
    diff: listChanges({}, auditFields({ ...input, ...scope }), TITLES),
  })
  await publishRoleChanged(ctx, tenantId, [])
  return created
}

export async function updateRole(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof role.update>) {
  const { db, user, now } = ctx
  const stored = await lockRole(ctx, id)
  assertNotBuiltin(stored)
  await assertMayGrant(ctx, { roleIds: [id] })
  await checkRevision(db, stored, rev)
  const scope = await scopeOf(ctx, stored.tenantId, input, stored)
  const next = { ...input, ...scope }
  const diff = listChanges(auditFields(stored), auditFields(next), TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const [saved] = await db
    .update(roles)
    .set({ ...next, ...updateColumns(stored, user.uid, now) })
    .where(eq(roles.id, id))
    .returning({ rev: roles.rev })
    .catch(rethrowClash)
  ctx.audit({ bizType: 'role', bizId: id, action: `修改角色「${stored.roleName}」`, diff })
  await publishRoleChanged(ctx, stored.tenantId, await listRoleAccounts(db, id))
  return saved!
}

export async function removeRole(ctx: Ctx, { id }: ParsedOf<typeof role.remove>) {
  const { db, user, now } = ctx
  const stored = await lockRole(ctx, id)
  assertNotBuiltin(stored)
  await assertMayGrant(ctx, { roleIds: [id] })
  const [held] = await db
    .select({ users: count() })
    .from(accountRoles)
    .innerJoin(accounts, eq(accounts.uid, accountRoles.uid))
    .where(and(eq(accountRoles.roleId, id), notDeleted(accounts)))
  if (held?.users) throw conflict(`该角色下还有${held.users}个用户，请先移除用户再删除`)
  await db
    .update(roles)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(roles.id, id))
  ctx.audit({ bizType: 'role', bizId: id, action: `删除角色「${stored.roleName}」` })
  await publishRoleChanged(ctx, stored.tenantId, [])
  return null
}

export const enableRole = (ctx: Ctx, { id }: ParsedOf<typeof role.enable>) => setStatus(ctx, id, 1)
export const disableRole = (ctx: Ctx, { id }: ParsedOf<typeof role.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const { db, user, now } = ctx
  const stored = await lockRole(ctx, id)
  assertNotBuiltin(stored)
  await assertMayGrant(ctx, { roleIds: [id] })
  const action = `${ROLE_STATUS[status]}角色「${stored.roleName}」`
  ctx.audit({ bizType: 'role', bizId: id, action })
  if (stored.status === status) return null
  await db
    .update(roles)
    .set({ status, ...updateColumns(stored, user.uid, now) })
    .where(eq(roles.id, id))
  const diff = [{ field: 'status', title: '状态', from: ROLE_STATUS[stored.status as 0 | 1], to: ROLE_STATUS[status] }]
  ctx.audit({ diff })
  await publishRoleChanged(ctx, stored.tenantId, await listRoleAccounts(db, id))
  return null
}

type NewRole = Pick<
  Role,
  'tenantId' | 'roleName' | 'roleCode' | 'roleSort' | 'dataScope' | 'scopeIds' | 'homeUrl' | 'remark'
>

async function insertRole({ db, user, now }: Ctx, fields: NewRole) {
  const stamp = now.toISOString()
  const [created] = await db
    .insert(roles)
    .values({ ...fields, createBy: user.uid, updateBy: user.uid, createTime: stamp, updateTime: stamp })
    .returning({ id: roles.id })
    .catch(rethrowClash)
  return created!
}

function rethrowClash(error: unknown): never {
  throw toUniqueViolation(error, CLASHES) ?? error
}

interface Scope {
  dataScope: number
  scopeIds: number[]
}

/**
 * Returns the data scope to save: the requested scope, or the scope `before` when none is requested. Throws when the
 * caller may not set, or does not hold, a changed scope.
 */
async function scopeOf(
  ctx: Ctx,
  tenantId: number,
  { dataScope, scopeIds = [] }: Pick<ParsedOf<typeof role.create>, 'dataScope' | 'scopeIds'>,
  before: Scope,
): Promise<Scope> {
  if (dataScope === undefined) return { dataScope: before.dataScope, scopeIds: before.scopeIds }
  const next: Scope = {
    dataScope,
    scopeIds: dataScope === DATA_SCOPE_CODE.chosen ? [...new Set(scopeIds)].sort((a, b) => a - b) : [],
  }
  if (JSON.stringify([next.dataScope, next.scopeIds]) === JSON.stringify([before.dataScope, before.scopeIds]))
    return next
  if (!ctx.user.can('system:rolemanagement:dataScope')) throw forbidden()
  if (tenantId !== PLATFORM_TENANT_ID && dataScope !== DATA_SCOPE_CODE.own && dataScope !== DATA_SCOPE_CODE.mine)
    throw invalid('客户的角色只能选择本客户或仅本人', 'dataScope')
  if (dataScope === DATA_SCOPE_CODE.chosen) {
    if (next.scopeIds.length === 0) throw invalid('请选择指定客户', 'scopeIds')
    if (!(await areTenantsInScope(ctx, next.scopeIds))) throw invalid('所选客户不存在或已被删除', 'scopeIds')
  }
  await assertMayGrant(ctx, { scope: { tenantId, ...next } })
  return next
}

const auditFields = (fields: Partial<Role>) => ({
  ...fields,
  ...(fields.dataScope && { dataScope: DATA_SCOPE[fields.dataScope as keyof typeof DATA_SCOPE] }),
})
