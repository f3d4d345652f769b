import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { staff } from '@oms/contract/account/staff.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { accountRoles, accounts, sessions as sessionTable } from '#core/schema/account.ts'
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
} from '../account-actions.ts'
import { addChangeRefusals, assertMayChangeAccounts, listAssignableRoles } from '../account-guard.ts'
import { insertStaff, requireTenant } from '../new-account.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertSuperAdminRemains } from '#core/auth/grants.ts'
import { unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { listChanges } from '#core/audit/mask.ts'
import { createOneTimePassword } from '#core/auth/challenge.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { notFound, ApiError, refused } from '#core/http/api-error.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { buildStaffFilter, presentStaff, staffColumns, visibleStaff, buildStaffSort } from './staff-rows.ts'
import { resolveContact, maskContactChanges, setAccountRoles, STAFF_TITLES, updateAccount } from './staff-write.ts'

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
