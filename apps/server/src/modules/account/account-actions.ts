import { and, eq, type SQL, sql, gt, isNull } from 'drizzle-orm'
import { createChallenge, createOneTimeCode, createOneTimePassword } from '#core/auth/challenge.ts'
import { assertSuperAdminRemains } from '#core/auth/grants.ts'
import { unlockAccount } from '#core/auth/lockout.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts, challenges, sessions } from '#core/schema/account.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { assertMayChangeOtherAccount } from './account-guard.ts'

/**
 * Changes to accounts that the staff screen and the system-wide list share. Both pass a condition for the accounts
 * they can reach.
 */

export type Account = typeof accounts.$inferSelect

/** Returns the account that matches the condition, locked until the transaction ends. */
export async function findAccountInScope(
  { db }: Pick<Ctx, 'db'>,
  uid: number,
  reach: SQL | undefined,
): Promise<Account> {
  const [found] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.uid, uid), reach))
    .for('update')
  if (!found) throw notFound('账号')
  return found
}

/** Returns the locked account. Throws unless the caller may change the account. */
export async function lockAccountForChange(ctx: Ctx, uid: number, reach: SQL | undefined): Promise<Account> {
  const found = await findAccountInScope(ctx, uid, reach)
  await assertMayChangeOtherAccount(ctx, found)
  return found
}

/** Removes ended sessions from this process's cache after the commit. Other processes receive a NOTIFY. */
export const clearSessionsAfterCommit = ({ services, afterCommit }: Pick<Ctx, 'services' | 'afterCommit'>) =>
  afterCommit(() => services.sessions.forgetAll())

export const formatAccountTitle = ({ account, realname }: Pick<Account, 'account' | 'realname'>) =>
  realname ? `「${realname}（${account}）」` : `「${account}」`

/** Enables or disables an account. Disabling ends the account's sessions in every process on commit. */
export async function setAccountStatus(ctx: Ctx, found: Account, status: 0 | 1) {
  const { db, services, user, now } = ctx
  if (found.status === status) return
  if (status === 0) await assertSuperAdminRemains(db, [found.uid])
  await db
    .update(accounts)
    .set({ status, ...updateColumns(found, user.uid, now) })
    .where(eq(accounts.uid, found.uid))
  if (status === 0) await services.sessions.endOf(db, [found.uid], 'disabled')
  await publishRightsChanged(services, db, [found.uid])
  clearSessionsAfterCommit(ctx)
}

/** Returns the operation log entry of a status change. */
export const buildStatusNote = (found: Account, status: 0 | 1) => ({
  bizType: 'account',
  bizId: found.uid,
  action: `${status === 1 ? '启用' : '停用'}账号${formatAccountTitle(found)}`,
  diff:
    found.status === status
      ? []
      : [
          {
            field: 'status',
            title: '状态',
            from: found.status === 1 ? '启用' : '停用',
            to: status === 1 ? '启用' : '停用',
          },
        ],
})

/** Replaces the password by a one-time password. Ends every session; the next login must set a new password. */
export async function resetPassword(ctx: Ctx, found: Account) {
  const { db, services, user, now } = ctx
  const { password, passwordHash } = await createOneTimePassword()
  await db
    .update(accounts)
    .set({
      passwordHash,
      pwdMustChange: true,
      pwdUpdateTime: now.toISOString(),
      ...updateColumns(found, user.uid, now),
    })
    .where(eq(accounts.uid, found.uid))
  await unlockAccount(db, found.account)
  await services.sessions.endOf(db, [found.uid], 'password')
  await publishRightsChanged(services, db, [found.uid])
  clearSessionsAfterCommit(ctx)
  return { uid: found.uid, account: found.account, password }
}

/** Removes the second factor of an account whose owner lost the device. Ends every session. */
export async function removeSecondFactor(ctx: Ctx, found: Account) {
  const { db, services, user, now } = ctx
  if (!found.mfaEnabled) throw invalid('该账号未启用两步验证')
  await db
    .update(accounts)
    .set({ mfaEnabled: false, mfaSecret: null, recoveryCodes: [], ...updateColumns(found, user.uid, now) })
    .where(eq(accounts.uid, found.uid))
  await services.sessions.endOf(db, [found.uid], 'forced')
  clearSessionsAfterCommit(ctx)
}

const CODE_MINUTES = 24 * 60

/** Creates a code for the password reset page. Invalidates an earlier code of the account. */
export async function createResetCode({ db, now, services }: Ctx, found: Account) {
  const code = createOneTimeCode()
  await db.delete(challenges).where(and(eq(challenges.uid, found.uid), eq(challenges.kind, 'reset')))
  await createChallenge(db, { kind: 'reset', answer: code, minutes: CODE_MINUTES, uid: found.uid })
  const { rows } = await db.execute<{ at: string }>(
    sql`select to_char(${new Date(now.getTime() + CODE_MINUTES * 60_000).toISOString()}::timestamptz
      at time zone ${services.config.timeZone}, 'YYYY-MM-DD HH24:MI:SS') as at`,
  )
  return { account: found.account, code, expireTime: rows[0]?.at ?? '' }
}

/**
 * Returns the condition for the valid sessions that the account may see: not ended, not expired and not idle for too
 * long. Combine with a join of `accounts`.
 */
export const isOpenAccountSession = ({ services, user }: Pick<Ctx, 'services' | 'user'>) =>
  and(
    isNull(sessions.endTime),
    gt(sessions.expireTime, sql`now()`),
    gt(sessions.lastActiveTime, sql`now() - make_interval(mins => ${services.config.session.idleMinutes}::int)`),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
  )
