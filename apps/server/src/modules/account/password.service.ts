import { randomInt } from 'node:crypto'
import type { account } from '@oms/contract/account.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { answerOf, openChallenge } from '#kernel/challenge.ts'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { forgive, recordFailure, standingOf } from '#kernel/lockout.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { invalid } from '#kernel/problem.ts'
import { alive } from '#kernel/tenancy.ts'
import { isWeakMd5 } from '#kernel/weak-passwords.ts'
import { demandCaptcha } from './captcha.ts'
import { demandPassword, ownAccount } from './own-account.ts'

const CODE_MINUTES = 15

/** Refuses passwords everybody tries first; `field` is where the form shows it. */
export function demandStrength(md5: string, field: string) {
  if (isWeakMd5(md5)) throw invalid('密码过于简单，请更换', field)
}

/** Sets a password and ends every session of the account. */
export async function setPassword({ kernel, db }: Pick<PublicCtx, 'kernel' | 'db'>, uid: number, md5: string) {
  const passwordHash = await kernel.passwords.hash(md5)
  const now = sql`now()` as unknown as string
  await db.update(accounts).set({ passwordHash, pwdMustChange: false, pwdUpdateTime: now }).where(eq(accounts.uid, uid))
  await kernel.sessions.endOf(db, [uid], 'password')
  // What is cached of the account still says that the password must be changed.
  await rightsChanged(kernel, db, [uid])
}

export async function modifyPassword(ctx: Ctx, { oldPswdMd5, newPswdMd5 }: ParsedOf<typeof account.modifyPassword>) {
  const own = await ownAccount(ctx)
  await demandPassword(ctx, own, oldPswdMd5, 'oldPswdMd5', '旧密码错误')
  if (oldPswdMd5 === newPswdMd5) throw invalid('新密码不能与旧密码相同', 'newPswdMd5')
  demandStrength(newPswdMd5, 'newPswdMd5')
  await ctx.kernel.database.db.transaction((db) => setPassword({ ...ctx, db }, own.uid, newPswdMd5))
  ctx.audit({ bizType: 'account', bizId: own.uid, action: '修改登录密码' })
  ctx.setSessionCookie(null)
  return null
}

/** Mails a code where mail is configured and the account has an address; answers alike in every case. */
export async function resetCode(ctx: PublicCtx, input: ParsedOf<typeof account.resetCode>) {
  const { db, kernel } = ctx
  await demandCaptcha(db, input)
  const found = await byName(db, input.account)
  if (found?.email && kernel.mail.configured) {
    const { email, uid } = found
    const code = String(randomInt(0, 100_000_000)).padStart(8, '0')
    await openChallenge(db, { kind: 'reset', answer: code, minutes: CODE_MINUTES, uid })
    // Not awaited: the time a mail takes would tell that the account exists.
    void kernel.mail
      .send(
        email,
        '运营管理系统 密码重置',
        `您的密码重置验证码是 ${code}，${CODE_MINUTES} 分钟内有效。若非本人操作请忽略。`,
      )
      .catch((err: unknown) => kernel.log.error({ err }, 'reset mail'))
  }
  return { mail: kernel.mail.configured }
}

/** A wrong code, an unknown account and an expired code answer alike. */
export async function reset(ctx: PublicCtx, input: ParsedOf<typeof account.reset>) {
  const { db, kernel, request } = ctx
  const guess = { account: input.account, ip: request.ip }
  const { waitSeconds } = await standingOf(db, guess)
  if (waitSeconds > 0) throw invalid(`尝试次数过多，请${waitSeconds}秒后再试`, 'code')
  demandStrength(input.newPswdMd5, 'newPswdMd5')
  const found = await byName(db, input.account)
  if (!found || !(await answerOf(db, 'reset', found.uid, input.code))) {
    await recordFailure(db, guess, kernel.config.login)
    throw invalid('验证码错误或已过期', 'code')
  }
  await db.transaction(async (tx) => {
    await setPassword({ kernel, db: tx }, found.uid, input.newPswdMd5)
    await forgive(tx, guess)
  })
  return null
}

async function byName(db: Db, name: string) {
  const [found] = await db
    .select({ uid: accounts.uid, email: accounts.email })
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, name.toLowerCase()), alive(accounts)))
  return found
}
