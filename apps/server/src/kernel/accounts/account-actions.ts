import { and, eq, type SQL, sql } from 'drizzle-orm'
import { accounts, challenges } from '#db/schema/account.ts'
import { openChallenge } from '#kernel/challenge.ts'
import type { Ctx } from '#kernel/context.ts'
import { assertSuperRemains } from '#kernel/grants.ts'
import { unlock } from '#kernel/lockout.ts'
import { oneTimeCode, oneTimePassword } from '#kernel/one-time.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { notFound } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { assertMayTouch } from './account-guard.ts'

/** The staff screen and the system-wide list do the same things to an account; they differ in whom they reach. */

export type Account = typeof accounts.$inferSelect

/** The account of this id among those the condition reaches, locked until the transaction ends. */
export async function accountInReach({ db }: Pick<Ctx, 'db'>, uid: number, reach: SQL | undefined): Promise<Account> {
  const [found] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.uid, uid), reach))
    .for('update')
  if (!found) throw notFound('账号')
  return found
}

/** The same, for those who may change it. */
export async function accountForChange(ctx: Ctx, uid: number, reach: SQL | undefined): Promise<Account> {
  const found = await accountInReach(ctx, uid, reach)
  await assertMayTouch(ctx, found)
  return found
}

/** Other processes learn of an ended session by announcement; this one must not serve it a moment longer. */
export const forgetAfterCommit = ({ kernel, afterCommit }: Pick<Ctx, 'kernel' | 'afterCommit'>) =>
  afterCommit(() => kernel.sessions.forgetAll())

export const nameOf = ({ account, realname }: Pick<Account, 'account' | 'realname'>) =>
  realname ? `「${realname}（${account}）」` : `「${account}」`

/** Lets an account in again, or puts it out at once: its sessions end on every process when this commits. */
export async function setStatus(ctx: Ctx, found: Account, status: 0 | 1) {
  const { db, kernel, user, now } = ctx
  if (found.status === status) return
  if (status === 0) await assertSuperRemains(db, [found.uid])
  await db
    .update(accounts)
    .set({ status, ...touched(found, user.uid, now) })
    .where(eq(accounts.uid, found.uid))
  if (status === 0) await kernel.sessions.endOf(db, [found.uid], 'disabled')
  await rightsChanged(kernel, db, [found.uid])
  forgetAfterCommit(ctx)
}

/** How the log tells a change of status. */
export const statusNote = (found: Account, status: 0 | 1) => ({
  bizType: 'account',
  bizId: found.uid,
  action: `${status === 1 ? '启用' : '停用'}账号${nameOf(found)}`,
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

/** A new one-time password in place of the old one; every session ends and the next login has to choose another. */
export async function resetPassword(ctx: Ctx, found: Account) {
  const { db, kernel, user, now } = ctx
  const { password, passwordHash } = await oneTimePassword()
  await db
    .update(accounts)
    .set({ passwordHash, pwdMustChange: true, pwdUpdateTime: now.toISOString(), ...touched(found, user.uid, now) })
    .where(eq(accounts.uid, found.uid))
  await unlock(db, found.account)
  await kernel.sessions.endOf(db, [found.uid], 'password')
  await rightsChanged(kernel, db, [found.uid])
  forgetAfterCommit(ctx)
  return { uid: found.uid, account: found.account, password }
}

const CODE_MINUTES = 24 * 60

/** A code for the reset page. An earlier one of this account stops working. */
export async function openResetCode({ db, now, kernel }: Ctx, found: Account) {
  const code = oneTimeCode()
  await db.delete(challenges).where(and(eq(challenges.uid, found.uid), eq(challenges.kind, 'reset')))
  await openChallenge(db, { kind: 'reset', answer: code, minutes: CODE_MINUTES, uid: found.uid })
  const { rows } = await db.execute<{ at: string }>(
    sql`select to_char(${new Date(now.getTime() + CODE_MINUTES * 60_000).toISOString()}::timestamptz
      at time zone ${kernel.config.timeZone}, 'YYYY-MM-DD HH24:MI:SS') as at`,
  )
  return { account: found.account, code, expireTime: rows[0]?.at ?? '' }
}
