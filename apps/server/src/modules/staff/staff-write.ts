import { email as emailRule, mobileNo as mobileRule } from '@oms/contract/account.ts'
import { about } from '@oms/contract/kernel/fields.ts'
import { StaffInput } from '@oms/contract/staff.ts'
import { eq, inArray } from 'drizzle-orm'
import { accountRoles, accounts, roles } from '#db/schema/account.ts'
import { assertMayAssign } from '#kernel/accounts/account-guard.ts'
import { type Account, forgetAfterCommit } from '#kernel/accounts/account-actions.ts'
import { assertAssigner, tenantOf } from '#kernel/accounts/new-account.ts'
import type { Ctx } from '#kernel/context.ts'
import { assertSuperRemains } from '#kernel/grants.ts'
import { maskEmail, maskMobile } from '#kernel/mask.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { invalid } from '#kernel/problem.ts'
import { SUPER_ROLE_ID } from '#kernel/rights.ts'
import { ACCOUNT_CLASHES, uniqueClash } from '#kernel/unique.ts'

export const STAFF_TITLES = Object.fromEntries(
  Object.keys(StaffInput.shape)
    .filter((key) => key !== 'roleIds')
    .map((key) => [key, about(StaffInput, key).title]),
)

const clash = (error: unknown) => {
  throw uniqueClash(error, ACCOUNT_CLASHES) ?? error
}

export const updateAccount = (ctx: Pick<Ctx, 'db'>, uid: number, values: Partial<Account>) =>
  ctx.db.update(accounts).set(values).where(eq(accounts.uid, uid)).catch(clash)

/**
 * A number or address as the form sends it: what it was shown masked comes back masked and means no change; nothing
 * means none.
 */
export function contactOf(kind: 'mobileNo' | 'email', sent: string | undefined, stored: string | null) {
  const mask = kind === 'mobileNo' ? maskMobile : maskEmail
  if (sent === undefined) return null
  if (stored !== null && (sent === stored || sent === mask(stored))) return stored
  const checked = (kind === 'mobileNo' ? mobileRule : emailRule).safeParse(sent)
  if (!checked.success) throw invalid(checked.error.issues[0]?.message ?? '格式不正确', kind)
  return checked.data
}

/** Gives an account exactly these roles; both what comes and what goes must be the caller's to give. */
export async function setRoles(
  ctx: Pick<Ctx, 'db' | 'user' | 'kernel' | 'afterCommit'>,
  found: Account,
  roleIds: readonly number[],
) {
  const { db, kernel } = ctx
  const before = (
    await db.select({ id: accountRoles.roleId }).from(accountRoles).where(eq(accountRoles.uid, found.uid))
  ).map(({ id }) => id)
  const wanted = new Set(roleIds)
  const added = [...wanted].filter((id) => !before.includes(id))
  const removed = before.filter((id) => !wanted.has(id))
  if (added.length === 0 && removed.length === 0) return []
  assertAssigner(ctx)
  await assertMayAssign(ctx, tenantOf(ctx), { added, removed })
  if (removed.includes(SUPER_ROLE_ID)) await assertSuperRemains(db, [found.uid])
  await db.delete(accountRoles).where(eq(accountRoles.uid, found.uid))
  if (wanted.size > 0) await db.insert(accountRoles).values([...wanted].map((roleId) => ({ uid: found.uid, roleId })))
  await rightsChanged(kernel, db, [found.uid])
  forgetAfterCommit(ctx)
  const names = await namesOf(ctx, [...before, ...wanted])
  const text = (ids: Iterable<number>) => [...ids].map((id) => names.get(id) ?? `#${id}`).join('、')
  return [{ field: 'roleIds', title: '角色', from: text(before), to: text(wanted) }]
}

async function namesOf({ db }: Pick<Ctx, 'db'>, ids: number[]) {
  const found = await db.select({ id: roles.id, name: roles.roleName }).from(roles).where(inArray(roles.id, ids))
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** Changes of a record as the log keeps them: numbers and addresses masked, whoever reads it. */
export const contactsMasked = <C extends { field: string; from: unknown; to: unknown }>(diff: C[]) =>
  diff.map((change) => {
    const mask = change.field === 'mobileNo' ? maskMobile : change.field === 'email' ? maskEmail : undefined
    const hidden = (value: unknown) => (mask && typeof value === 'string' ? mask(value) : value)
    return { ...change, from: hidden(change.from), to: hidden(change.to) }
  })
