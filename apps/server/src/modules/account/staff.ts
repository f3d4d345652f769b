import { email as emailRule, mobileNo as mobileRule } from '@oms/contract/account/account-fields.ts'
import { type staff, StaffInput } from '@oms/contract/account/staff.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { and, eq, type SQL, sql, desc, isNull, inArray } from 'drizzle-orm'
import { listChanges, maskEmail, maskMobile } from '#core/audit/mask.ts'
import { createOneTimePassword } from '#core/auth/challenge.ts'
import { assertSuperAdminRemains } from '#core/auth/grants.ts'
import { unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, buildSort, within, byName, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, ApiError, refused, invalid } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { accounts, accountRoles, sessions as sessionTable, roles } from '#core/schema/account.ts'
import { notDeleted, scoped, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import {
  lockAccountForChange,
  findAccountInScope,
  clearSessionsAfterCommit,
  formatAccountTitle,
  createResetCode,
  removeSecondFactor,
  resetPassword,
  setAccountStatus as changeStatus,
  buildStatusNote,
  type Account,
} from './account-actions.ts'
import { addChangeRefusals, assertMayChangeAccounts, listAssignableRoles, assertMayAssign } from './account-guard.ts'
import { isAccountRowLocked, buildLockedFilter, buildRolelessFilter, addRoles } from './account-roles.ts'
import { insertStaff, requireTenant, assertMayAssignRoles } from './new-account.ts'

type StaffFilters = Omit<ParsedOf<typeof staff.list>, 'pageNum' | 'pageSize'>

/** Returns the condition for staff of the session's tenant within the data scope. */
export const visibleStaff = (user: User): SQL | undefined =>
  and(
    user.tenantId === null ? sql`false` : eq(accounts.tenantId, user.tenantId),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
    notDeleted(accounts),
  )

const canSeeContacts = (user: User) => user.can('system:manager:plain')

export function buildStaffFilter(user: User, filters: StaffFilters) {
  const { account, realname, mobileNo, status, roleId, roleless, locked, beginTime, endTime } = filters
  return and(
    visibleStaff(user),
    contains(accounts.account, account),
    contains(accounts.realname, realname),
    mobileIs(user, mobileNo),
    status === undefined ? undefined : eq(accounts.status, status),
    roleId === undefined
      ? undefined
      : sql`${accounts.uid} in (select ar.uid from account_roles ar where ar.role_id = ${roleId})`,
    buildRolelessFilter(roleless),
    buildLockedFilter(locked),
    ...within(accounts.createTime, beginTime, endTime),
  )
}

/**
 * Returns the condition for a search by mobile number. Accounts without the permission for contact details must enter
 * the full number. Otherwise they could guess numbers in parts.
 */
const mobileIs = (user: User, mobileNo: string | undefined) =>
  mobileNo && !canSeeContacts(user) ? eq(accounts.mobileNo, mobileNo) : contains(accounts.mobileNo, mobileNo)

export const buildStaffSort = (filters: StaffFilters) =>
  buildSort(
    filters,
    {
      createTime: accounts.createTime,
      lastLoginTime: accounts.lastLoginTime,
      account: sql`lower(${accounts.account})`,
      realname: byName(accounts.realname),
    },
    accounts.uid,
  )

export const staffColumns = {
  uid: accounts.uid,
  account: accounts.account,
  realname: accounts.realname,
  nickname: accounts.nickname,
  gender: accounts.gender,
  mobileNo: accounts.mobileNo,
  email: accounts.email,
  status: accounts.status,
  locked: isAccountRowLocked,
  pwdMustChange: accounts.pwdMustChange,
  mfaEnabled: accounts.mfaEnabled,
  lastLoginTime: accounts.lastLoginTime,
  lastLoginIp: accounts.lastLoginIp,
  expireTime: accounts.expireTime,
  createTime: accounts.createTime,
  remark: accounts.remark,
  rev: accounts.rev,
}
/** Adds roles to account rows and masks contact details unless permitted. */
export const presentStaff = <R extends Parameters<typeof addRoles>[1][number]>(
  db: Db,
  user: User,
  rows: readonly R[],
) => addRoles(db, rows, { plain: canSeeContacts(user) })

export async function listStaff(ctx: Ctx, { pageNum, pageSize, ...filters }: ParsedOf<typeof staff.list>) {
  const { db, user } = ctx
  const rows = db.select(staffColumns).from(accounts).where(buildStaffFilter(user, filters)).$dynamic()
  const page = await paginate(db, rows, { pageNum, pageSize }, buildStaffSort(filters))
  return { ...page, list: await addChangeRefusals(ctx, await presentStaff(db, user, page.list)) }
}

export async function listRoleOptions(ctx: Ctx) {
  return { list: await listAssignableRoles(ctx, requireTenant(ctx)) }
}

/**
 * Creates an account in its own transaction, which begins after the slow hashing of the one-time password. The password
 * is stored only as a hash, and encrypted in the response that repeated calls receive.
 */
export async function createStaff(ctx: Ctx, input: ParsedOf<typeof staff.create>) {
  const { password, passwordHash } = await createOneTimePassword()
  const uid = await transactWithOperationLog(ctx, async (db) => {
    await resolveOwningTenant({ ...ctx, db })
    const bizId = await insertStaff({ ...ctx, db }, input, passwordHash)
    ctx.audit({ bizType: 'account', bizId, action: `新增用户${formatAccountTitle(input)}` })
    return bizId
  })
  return { uid, account: input.account, password }
}

/** Returns the locked account. Throws unless the caller sees the account and may change it. */
const lockStaff = (ctx: Ctx, uid: number) => lockAccountForChange(ctx, uid, visibleStaff(ctx.user))

export async function updateStaff(ctx: Ctx, { uid, rev, roleIds, ...input }: ParsedOf<typeof staff.update>) {
  const { db, user, services, now } = ctx
  const stored = await lockStaff(ctx, uid)
  await checkRevision(db, stored, rev)
  const next = {
    ...input,
    gender: input.gender ?? null,
    expireTime: input.expireTime ?? null,
    mobileNo: resolveContact('mobileNo', input.mobileNo, stored.mobileNo),
    email: resolveContact('email', input.email, stored.email),
  }
  await updateAccount(ctx, uid, { ...next, ...updateColumns(stored, user.uid, now) })
  if (next.expireTime !== stored.expireTime) {
    await assertStillSuper(ctx, uid, next.expireTime)
    await publishRightsChanged(services, db, [uid])
  }
  const roleChanges = roleIds === undefined ? [] : await setAccountRoles(ctx, stored, roleIds)
  const diff = [...maskContactChanges(listChanges(stored, next, STAFF_TITLES)), ...roleChanges]
  ctx.audit({ bizType: 'account', bizId: uid, action: `修改用户${formatAccountTitle({ ...stored, ...next })}`, diff })
  return { rev: stored.rev + 1 }
}

/** Throws for an end date on the last super administrator, who would otherwise be locked out on that date. */
async function assertStillSuper({ db }: Ctx, uid: number, expireTime: string | null) {
  if (expireTime !== null) await assertSuperAdminRemains(db, [uid])
}

export async function enableStaff(ctx: Ctx, { id }: ParsedOf<typeof staff.enable>) {
  const found = await lockStaff(ctx, id)
  await changeStatus(ctx, found, 1)
  ctx.audit(buildStatusNote(found, 1))
  return null
}

export async function disableStaff(ctx: Ctx, { id }: ParsedOf<typeof staff.disable>) {
  const found = await lockStaff(ctx, id)
  await changeStatus(ctx, found, 0)
  ctx.audit(buildStatusNote(found, 0))
  return null
}

/** Applies the work to each account in its own transaction. Reports a refused account and continues. */
async function each(ctx: Ctx, ids: readonly number[], work: (ctx: Ctx, id: number) => Promise<string>) {
  const failed: { id: number; name: string; msg: string }[] = []
  const done: { id: number; name: string }[] = []
  // Processes accounts in the order of their ids, so that two batches cannot deadlock.
  for (const id of [...new Set(ids)].sort((a, b) => a - b))
    await ctx.db
      .transaction(async (db) => void done.push({ id, name: await work({ ...ctx, db }, id) }))
      .catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || ids.length === 1) throw error
        failed.push({ id, name: await accountNameOf(ctx, id), msg: error.message })
      })
  return { done, failed }
}

/** Adds an entry to the history of each account. The entry names only that account. */
const auditAccounts = (ctx: Ctx, done: readonly { id: number; name: string }[], action: string) =>
  ctx.audit({ bizType: 'account', action, records: done.map(({ id, name }) => ({ id, action: `${action}${name}` })) })

async function accountNameOf({ db, user }: Ctx, uid: number) {
  const [row] = await db
    .select({ account: accounts.account })
    .from(accounts)
    .where(and(eq(accounts.uid, uid), visibleStaff(user)))
  return row?.account ?? String(uid)
}

export async function setStaffStatus(ctx: Ctx, { ids, status }: ParsedOf<typeof staff.setStatus>) {
  const verb = status === 1 ? '启用' : '停用'
  const report = await each(ctx, ids, async (inner, id) => {
    const found = await lockStaff(inner, id)
    await changeStatus(inner, found, status === 1 ? 1 : 0)
    return formatAccountTitle(found)
  })
  auditAccounts(ctx, report.done, `批量${verb}账号`)
  return { done: report.done.length, failed: report.failed }
}

export async function removeStaff(ctx: Ctx, { ids }: ParsedOf<typeof staff.remove>) {
  const report = await each(ctx, ids, removeOne)
  const [first] = report.failed
  if (report.done.length === 0 && first) throw refused(`没有删除任何用户：${first.name}，${first.msg}`)
  if (first) ctx.say(`已删除${report.done.length}个用户，${report.failed.length}个未删除：${first.name}，${first.msg}`)
  auditAccounts(ctx, report.done, '删除用户')
  return { done: report.done.length, failed: report.failed }
}

async function removeOne(ctx: Ctx, id: number) {
  const { db, user, services, now } = ctx
  const found = await lockStaff(ctx, id)
  await assertSuperAdminRemains(db, [id])
  await updateAccount(ctx, id, { deletedAt: now.toISOString(), ...updateColumns(found, user.uid, now) })
  await db.delete(accountRoles).where(eq(accountRoles.uid, id))
  await services.sessions.endOf(db, [id], 'disabled')
  await publishRightsChanged(services, db, [id])
  clearSessionsAfterCommit(ctx)
  return formatAccountTitle(found)
}

/**
 * Resets the password in its own transaction. The one-time password is stored only as a hash, and encrypted in the
 * response that repeated calls receive.
 */
export async function resetStaffPassword(ctx: Ctx, { id }: ParsedOf<typeof staff.resetPasswd>) {
  return transactWithOperationLog(ctx, async (db) => {
    const inner = { ...ctx, db }
    const found = await lockStaff(inner, id)
    ctx.audit({ bizType: 'account', bizId: id, action: `重置账号${formatAccountTitle(found)}的密码` })
    return resetPassword(inner, found)
  })
}

/**
 * Creates a reset code in its own transaction. The code is stored only as a hash, and encrypted in the response that
 * repeated calls receive.
 */
export async function createStaffResetCode(ctx: Ctx, { id }: ParsedOf<typeof staff.resetCode>) {
  return transactWithOperationLog(ctx, async (db) => {
    const inner = { ...ctx, db }
    const found = await lockStaff(inner, id)
    ctx.audit({ bizType: 'account', bizId: id, action: `为账号${formatAccountTitle(found)}生成密码重置码` })
    return createResetCode(inner, found)
  })
}

export async function removeStaffMfa(ctx: Ctx, { id }: ParsedOf<typeof staff.removeMfa>) {
  const found = await lockStaff(ctx, id)
  await removeSecondFactor(ctx, found)
  ctx.audit({ bizType: 'account', bizId: id, action: `解除账号${formatAccountTitle(found)}的两步验证` })
  return null
}

export async function unlockStaff(ctx: Ctx, { id }: ParsedOf<typeof staff.unlock>) {
  const found = await findAccountInScope(ctx, id, visibleStaff(ctx.user))
  await assertMayChangeAccounts(ctx, [id])
  await liftLocks(ctx.db, found.account)
  ctx.audit({ bizType: 'account', bizId: id, action: `解锁账号${formatAccountTitle(found)}` })
  return null
}

export async function assignStaffRoles(ctx: Ctx, { uid, roleIds }: ParsedOf<typeof staff.assignRole>) {
  const found = await lockStaff(ctx, uid)
  const diff = await setAccountRoles(ctx, found, roleIds)
  ctx.audit({ bizType: 'account', bizId: uid, action: `为用户${formatAccountTitle(found)}分配角色`, diff })
  return null
}

export async function listStaffSessions({ db, user }: Ctx, { id }: ParsedOf<typeof staff.sessions>) {
  const [found] = await db
    .select({ uid: accounts.uid })
    .from(accounts)
    .where(and(eq(accounts.uid, id), visibleStaff(user)))
  if (!found) throw notFound('账号')
  const live = await db
    .select()
    .from(sessionTable)
    .where(and(eq(sessionTable.uid, id), isNull(sessionTable.endTime), sql`${sessionTable.expireTime} > now()`))
    .orderBy(desc(sessionTable.lastActiveTime))
    .limit(100)
  return { list: live.map(({ id: sessionId, ...row }) => ({ ...row, sessionId })) }
}

const STAFF_TITLES = Object.fromEntries(
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
function resolveContact(kind: 'mobileNo' | 'email', sent: string | undefined, stored: string | null) {
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
const maskContactChanges = <C extends { field: string; from: unknown; to: unknown }>(diff: C[]) =>
  diff.map((change) => {
    const mask = change.field === 'mobileNo' ? maskMobile : change.field === 'email' ? maskEmail : undefined
    const hidden = (value: unknown) => (mask && typeof value === 'string' ? mask(value) : value)
    return { ...change, from: hidden(change.from), to: hidden(change.to) }
  })
