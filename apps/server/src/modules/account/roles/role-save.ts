import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DATA_SCOPE, ROLE_STATUS, RoleInput, type role } from '@oms/contract/account/role.ts'
import { and, count, eq } from 'drizzle-orm'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import type { Ctx } from '#core/http/context.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { assertMayGrant } from '#core/auth/grants.ts'
import { listChanges } from '#core/audit/mask.ts'
import { conflict, forbidden, invalid } from '#core/http/api-error.ts'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { areTenantsInScope } from './role-list.ts'
import { publishRoleChanged, assertNotBuiltin, listRoleAccounts, lockRole, type Role } from './role-rows.ts'

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
