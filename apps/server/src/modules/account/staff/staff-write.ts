import { email as emailRule, mobileNo as mobileRule } from '@oms/contract/account/account-fields.ts'
import { about } from '@oms/contract/core/fields.ts'
import { StaffInput } from '@oms/contract/account/staff.ts'
import { eq, inArray } from 'drizzle-orm'
import { accountRoles, accounts, roles } from '#core/schema/account.ts'
import { assertMayAssign } from '../account-guard.ts'
import { type Account, clearSessionsAfterCommit } from '../account-actions.ts'
import { assertMayAssignRoles, requireTenant } from '../new-account.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertSuperAdminRemains } from '#core/auth/grants.ts'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { invalid } from '#core/http/api-error.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'

export const STAFF_TITLES = Object.fromEntries(
  Object.keys(StaffInput.shape)
    .filter((key) => key !== 'roleIds')
    .map((key) => [key, about(StaffInput, key).title]),
)

const clash = (error: unknown) => {
  throw toUniqueViolation(error, ACCOUNT_VIOLATIONS) ?? error
}

export const updateAccount = (ctx: Pick<Ctx, 'db'>, uid: number, values: Partial<Account>) =>
  ctx.db.update(accounts).set(values).where(eq(accounts.uid, uid)).catch(clash)

/**
 * Returns the phone number or email address to store. The masked text keeps the stored value; an empty text clears
 * the value.
 */
export function resolveContact(kind: 'mobileNo' | 'email', sent: string | undefined, stored: string | null) {
  const mask = kind === 'mobileNo' ? maskMobile : maskEmail
  if (sent === undefined) return null
  if (stored !== null && (sent === stored || sent === mask(stored))) return stored
  const checked = (kind === 'mobileNo' ? mobileRule : emailRule).safeParse(sent)
  if (!checked.success) throw invalid(checked.error.issues[0]?.message ?? '格式不正确', kind)
  return checked.data
}

/** Sets the roles of an account. The caller must be permitted to assign all added and removed roles. */
export async function setAccountRoles(
  ctx: Pick<Ctx, 'db' | 'user' | 'services' | 'afterCommit'>,
  found: Account,
  roleIds: readonly number[],
) {
  const { db, services } = ctx
  const before = (
    await db.select({ id: accountRoles.roleId }).from(accountRoles).where(eq(accountRoles.uid, found.uid))
  ).map(({ id }) => id)
  const wanted = new Set(roleIds)
  const added = [...wanted].filter((id) => !before.includes(id))
  const removed = before.filter((id) => !wanted.has(id))
  if (added.length === 0 && removed.length === 0) return []
  assertMayAssignRoles(ctx)
  await assertMayAssign(ctx, requireTenant(ctx), { added, removed })
  if (removed.includes(SUPER_ROLE_ID)) await assertSuperAdminRemains(db, [found.uid])
  await db.delete(accountRoles).where(eq(accountRoles.uid, found.uid))
  if (wanted.size > 0) await db.insert(accountRoles).values([...wanted].map((roleId) => ({ uid: found.uid, roleId })))
  await publishRightsChanged(services, db, [found.uid])
  clearSessionsAfterCommit(ctx)
  const names = await namesOf(ctx, [...before, ...wanted])
  const text = (ids: Iterable<number>) => [...ids].map((id) => names.get(id) ?? `#${id}`).join('、')
  return [{ field: 'roleIds', title: '角色', from: text(before), to: text(wanted) }]
}

async function namesOf({ db }: Pick<Ctx, 'db'>, ids: number[]) {
  const found = await db.select({ id: roles.id, name: roles.roleName }).from(roles).where(inArray(roles.id, ids))
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** Masks contact details in logged differences for every reader. */
export const maskContactChanges = <C extends { field: string; from: unknown; to: unknown }>(diff: C[]) =>
  diff.map((change) => {
    const mask = change.field === 'mobileNo' ? maskMobile : change.field === 'email' ? maskEmail : undefined
    const hidden = (value: unknown) => (mask && typeof value === 'string' ? mask(value) : value)
    return { ...change, from: hidden(change.from), to: hidden(change.to) }
  })
