import { randomInt } from 'node:crypto'
import type { account } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { answerAccountChallenge, createChallenge } from '#core/auth/challenge.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { isMailDelayed, queueMail } from '#core/mail.ts'
import { clearFailures, recordFailure, readLockState } from '#core/auth/lockout.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { isMd5OfWeakPassword } from '#core/auth/passwords.ts'
import { assertCaptcha } from './captcha.ts'
import { assertPassword, requireOwnAccount } from './own-account.ts'

const CODE_MINUTES = 15
const MAILS_PER_HOUR = 3

/** Throws for common passwords. `field` is the form field of the error. */
export function assertPasswordStrength(md5: string, field: string) {
  if (isMd5OfWeakPassword(md5)) throw invalid('密码过于简单，请更换', field)
}

/** Sets a password and ends every session of the account. */
export async function setPassword({ services, db }: Pick<PublicCtx, 'services' | 'db'>, uid: number, md5: string) {
  const passwordHash = await services.passwords.hash(md5)
  const now = sql`now()` as unknown as string
  await db.update(accounts).set({ passwordHash, pwdMustChange: false, pwdUpdateTime: now }).where(eq(accounts.uid, uid))
  await services.sessions.endOf(db, [uid], 'password')
  // The cached account still requires a password change, so the cache is invalidated.
  await publishRightsChanged(services, db, [uid])
}

export async function changePassword(ctx: Ctx, { oldPswdMd5, newPswdMd5 }: ParsedOf<typeof account.modifyPassword>) {
  const own = await requireOwnAccount(ctx)
  await assertPassword(ctx, own, oldPswdMd5, 'oldPswdMd5', '旧密码错误')
  if (oldPswdMd5 === newPswdMd5) throw invalid('新密码不能与旧密码相同', 'newPswdMd5')
  assertPasswordStrength(newPswdMd5, 'newPswdMd5')
  ctx.audit({ bizType: 'account', bizId: own.uid, action: '修改登录密码' })
  await ctx.services.database.db.transaction(async (db) => {
    await setPassword({ ...ctx, db }, own.uid, newPswdMd5)
    await ctx.recordIn(db)
  })
  ctx.setSessionCookie(null)
  return null
}

/**
 * Mails a reset code when mail is configured and the account has an address, at most three times an hour. The
 * response is equal for every account. Reports when the mail server currently accepts no mail.
 */
export async function mailResetCode(ctx: PublicCtx, input: ParsedOf<typeof account.resetCode>) {
  const { db, services } = ctx
  await assertCaptcha(db, input)
  if (!services.mail.configured) return { mail: false, delayed: false }
  const found = await byName(db, input.account)
  const { email, uid } = found ?? {}
  // Not awaited, because the time of the writes would reveal that the account exists.
  if (email && uid !== undefined)
    void mailCode(services, uid, email).catch((err: unknown) => services.log.error({ err }, 'reset mail not queued'))
  return { mail: true, delayed: await isMailDelayed(db) }
}

/** Above the limit creates no code, so that codes of earlier mails stay valid. */
async function mailCode(services: Services, uid: number, to: string) {
  const answer = String(randomInt(0, 100_000_000)).padStart(8, '0')
  const subject = '运营管理系统 密码重置'
  const text = `您的密码重置验证码是 ${answer}，${CODE_MINUTES} 分钟内有效。若非本人操作请忽略。`
  await services.database.db.transaction(async (db) => {
    const mail = { to, subject, text, limitKey: `reset-${uid}`, validMinutes: CODE_MINUTES }
    if (await queueMail(services, db, mail, MAILS_PER_HOUR))
      await createChallenge(db, { kind: 'reset', answer, minutes: CODE_MINUTES, uid })
  })
}

/** Resets the password. A wrong code, an expired code and an unknown account return the same message. */
export const resetForgottenPassword = (ctx: PublicCtx, input: ParsedOf<typeof account.reset>) =>
  ctx.services.attempts.run(input.account, () => attemptReset(ctx, input))

async function attemptReset(ctx: PublicCtx, input: ParsedOf<typeof account.reset>) {
  const { db, services, request } = ctx
  const guess = { account: input.account, ip: request.ip }
  const { waitSeconds } = await readLockState(db, guess)
  if (waitSeconds > 0) throw invalid(`尝试次数过多，请${waitSeconds}秒后再试`, 'code')
  assertPasswordStrength(input.newPswdMd5, 'newPswdMd5')
  const found = await byName(db, input.account)
  if (!found || !(await answerAccountChallenge(db, 'reset', found.uid, input.code))) {
    await recordFailure(db, guess, services.config.login)
    throw invalid('验证码错误或已过期', 'code')
  }
  await db.transaction(async (tx) => {
    await setPassword({ services, db: tx }, found.uid, input.newPswdMd5)
    await clearFailures(tx, guess)
  })
  return null
}

async function byName(db: Db, name: string) {
  const [found] = await db
    .select({ uid: accounts.uid, email: accounts.email })
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, name.toLowerCase()), notDeleted(accounts)))
  return found
}
