import type { StaffInput } from '@oms/contract/staff.ts'
import type * as z from 'zod'
import { accountRoles, accounts } from '#db/schema/account.ts'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, refused } from '#kernel/problem.ts'
import { ACCOUNT_CLASHES, uniqueClash } from '#kernel/unique.ts'
import { assertMayAssign } from './account-guard.ts'
import { assertAccountRoom } from './quota.ts'

export type NewStaff = z.output<typeof StaffInput>

/** The tenant one works in; an account that belongs to none has no staff. */
export function tenantOf({ user }: Pick<Ctx, 'user'>): number {
  if (user.tenantId === null) throw refused('您还没有加入任何客户')
  return user.tenantId
}

/** Roles are given and taken with the right to, also by way of a form or an import. */
export function assertAssigner({ user }: Pick<Ctx, 'user'>) {
  if (!user.can('system:manager:assignRole')) throw forbidden()
}

/** Makes an account of the tenant one works in, within its quota, with roles the caller may hand on. */
export async function insertStaff(ctx: Pick<Ctx, 'db' | 'user'>, input: NewStaff, passwordHash: string) {
  const tenantId = tenantOf(ctx)
  await assertMayAssign(ctx, tenantId, { added: input.roleIds, removed: [] })
  if (input.roleIds.length > 0) assertAssigner(ctx)
  return insertAccount(ctx, { ...input, tenantId }, passwordHash)
}

/** Makes an account of a tenant, within its quota. Whether its roles may be given is the caller's matter. */
export async function insertAccount(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  { roleIds, ...input }: NewStaff & { readonly tenantId: number; readonly isTenantAdmin?: boolean },
  passwordHash: string,
) {
  await assertAccountRoom(db, input.tenantId)
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
      throw uniqueClash(error, ACCOUNT_CLASHES) ?? error
    })
  const uid = created?.uid as number
  if (roleIds.length > 0) await db.insert(accountRoles).values([...new Set(roleIds)].map((roleId) => ({ uid, roleId })))
  return uid
}
