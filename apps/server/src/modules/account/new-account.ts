import type { StaffInput } from '@oms/contract/account/staff.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'
import { forbidden, refused, conflict, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accountRoles, accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { assertMayAssign } from './account-guard.ts'

export type NewStaff = z.output<typeof StaffInput>

/** Returns the tenant of the session. Throws for an account without a tenant, which has no staff. */
export function requireTenant({ user }: Pick<Ctx, 'user'>): number {
  if (user.tenantId === null) throw refused('您还没有加入任何客户')
  return user.tenantId
}

/** Throws unless the caller may assign roles, also through forms and imports. */
export function assertMayAssignRoles({ user }: Pick<Ctx, 'user'>) {
  if (!user.can('system:manager:assignRole')) throw forbidden()
}

/** Creates an account in the session's tenant, within its quota, with roles that the caller may assign. */
export async function insertStaff(ctx: Pick<Ctx, 'db' | 'user'>, input: NewStaff, passwordHash: string) {
  const tenantId = requireTenant(ctx)
  await assertMayAssign(ctx, tenantId, { added: input.roleIds, removed: [] })
  if (input.roleIds.length > 0) assertMayAssignRoles(ctx)
  return insertAccount(ctx, { ...input, tenantId }, passwordHash)
}

/** Creates an account of a tenant within its quota. The caller must check that the roles may be assigned. */
export async function insertAccount(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  { roleIds, ...input }: NewStaff & { readonly tenantId: number; readonly isTenantAdmin?: boolean },
  passwordHash: string,
) {
  await assertAccountQuota(db, input.tenantId)
  const [created] = await db
    .insert(accounts)
    .values({
      ...input,
      gender: input.gender ?? null,
      mobileNo: input.mobileNo ?? null,
      email: input.email ?? null,
      expireTime: input.expireTime ?? null,
      passwordHash,
      pwdMustChange: true,
      createBy: user.uid,
      updateBy: user.uid,
    })
    .returning({ uid: accounts.uid })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, ACCOUNT_VIOLATIONS) ?? error
    })
  const uid = created?.uid as number
  if (roleIds.length > 0) await db.insert(accountRoles).values([...new Set(roleIds)].map((roleId) => ({ uid, roleId })))
  return uid
}

/**
 * Throws when the tenant's account quota is used up. Locks the tenant's row until the transaction ends, so that a
 * simultaneous creation counts this account.
 */
export async function assertAccountQuota(db: Db, tenantId: number) {
  const [tenant] = await db
    .select({ quota: tenants.accountCount })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))
    .for('update')
  if (!tenant) throw notFound('客户')
  if (tenant.quota < 0) return
  const [used] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), notDeleted(accounts)))
  if ((used?.n ?? 0) >= tenant.quota) throw conflict(`账号数量已达上限（${tenant.quota}个），请联系管理员`)
}
