import type { accounts as contract } from '@oms/contract/account/account-list.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { and, asc, eq, or } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'
import { buildHolderCondition } from '../permission-holders.ts'
import { loginLogs } from '#core/schema/system.ts'
import {
  type Account,
  lockAccountForChange,
  findAccountInScope,
  clearSessionsAfterCommit,
  formatAccountTitle,
  createResetCode,
  removeSecondFactor,
  resetPassword,
  setAccountStatus,
  buildStatusNote,
} from '../account-actions.ts'
import { addChangeRefusals, assertMayChangeAccounts } from '../account-guard.ts'
import type { Ctx } from '#core/http/context.ts'
import { unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { maskMobile } from '#core/audit/mask.ts'
import { contains, computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { buildAccountSort, buildConditions, presentAccounts, isAccountInScope, selectAccounts } from './account-rows.ts'

export async function listAccounts(ctx: Ctx, { pageNum, pageSize, ...filters }: ParsedOf<typeof contract.list>) {
  const { db, user } = ctx
  const rows = selectAccounts(db).where(buildConditions(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, buildAccountSort(filters))
  return { ...page, list: await addChangeRefusals(ctx, await presentAccounts(db, user, page.list)) }
}

/**
 * Lists colleagues: enabled accounts of the session's tenant. Phone numbers are always masked and found only in
 * full.
 */
export async function searchColleagues(
  { db, user }: Ctx,
  { keyword, forTickets, ...page }: ParsedOf<typeof contract.search>,
) {
  if (user.tenantId === null) return { list: [] }
  const named = or(
    contains(accounts.account, keyword),
    contains(accounts.realname, keyword),
    contains(accounts.nickname, keyword),
    keyword ? eq(accounts.mobileNo, keyword) : undefined,
  )
  const found = await db
    .select()
    .from(accounts)
    .where(
      and(
        eq(accounts.tenantId, user.tenantId),
        eq(accounts.status, 1),
        notDeleted(accounts),
        named,
        forTickets === 1 ? buildHolderCondition(user.tenantId, feedback.dispose.access) : undefined,
      ),
    )
    .orderBy(asc(accounts.uid))
    .limit(page.pageSize)
    .offset(computePageOffset(page))
  return {
    list: found.map(({ uid, account, nickname, realname, mobileNo }) => ({
      uid,
      account,
      nickName: nickname,
      realname,
      mobileNo: maskMobile(mobileNo) ?? '',
    })),
  }
}

const found = (ctx: Ctx, id: number) => lockAccountForChange(ctx, id, isAccountInScope(ctx.user))
const note = ({ uid }: Account, action: string) => ({ bizType: 'account', bizId: uid, action })

export async function enableAccount(ctx: Ctx, { id }: ParsedOf<typeof contract.enable>) {
  const account = await found(ctx, id)
  await setAccountStatus(ctx, account, 1)
  ctx.audit(buildStatusNote(account, 1))
  return null
}

export async function disableAccount(ctx: Ctx, { id }: ParsedOf<typeof contract.disable>) {
  const account = await found(ctx, id)
  await setAccountStatus(ctx, account, 0)
  ctx.audit(buildStatusNote(account, 0))
  return null
}

/**
 * Resets the password in its own transaction, together with the row of the operation log. The one-time password is
 * stored only as a hash, and encrypted in the response that repeated calls receive.
 */
export async function resetAccountPassword(ctx: Ctx, { id }: ParsedOf<typeof contract.resetPasswd>) {
  return transactWithOperationLog(ctx, async (db) => {
    const account = await found({ ...ctx, db }, id)
    ctx.audit(note(account, `重置账号${formatAccountTitle(account)}的密码`))
    return resetPassword({ ...ctx, db }, account)
  })
}

/**
 * Creates a reset code in its own transaction. The code is stored only as a hash, and encrypted in the response that
 * repeated calls receive.
 */
export async function createAccountResetCode(ctx: Ctx, { id }: ParsedOf<typeof contract.resetCode>) {
  return transactWithOperationLog(ctx, async (db) => {
    const account = await found({ ...ctx, db }, id)
    ctx.audit(note(account, `为账号${formatAccountTitle(account)}生成密码重置码`))
    return createResetCode({ ...ctx, db }, account)
  })
}

export async function removeAccountMfa(ctx: Ctx, { id }: ParsedOf<typeof contract.removeMfa>) {
  const account = await found(ctx, id)
  await removeSecondFactor(ctx, account)
  ctx.audit(note(account, `解除账号${formatAccountTitle(account)}的两步验证`))
  return null
}

export async function unlockAccounts(ctx: Ctx, { id }: ParsedOf<typeof contract.unlock>) {
  const account = await findAccountInScope(ctx, id, isAccountInScope(ctx.user))
  await assertMayChangeAccounts(ctx, [id])
  await liftLocks(ctx.db, account.account)
  ctx.audit(note(account, `解锁账号${formatAccountTitle(account)}`))
  return null
}

export async function endSessions(ctx: Ctx, { id }: ParsedOf<typeof contract.endSessions>) {
  const account = await found(ctx, id)
  const ended = await ctx.services.sessions.endOf(ctx.db, [id], 'forced')
  clearSessionsAfterCommit(ctx)
  ctx.audit(note(account, `强制账号${formatAccountTitle(account)}下线，结束${ended}个会话`))
  if (ended > 0)
    await ctx.db.insert(loginLogs).values({
      account: account.account,
      uid: id,
      tenantId: account.tenantId,
      loginType: 4,
      ip: ctx.request.ip,
      msg: `被${ctx.user.account}强制下线，结束${ended}个会话`,
    })
  return { ended }
}
