import { randomInt, createHash, randomBytes } from 'node:crypto'
import type { account } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { answerAccountChallenge, createChallenge, answerChallenge } from '#core/auth/challenge.ts'
import { clearFailures, recordFailure, readLockState } from '#core/auth/lockout.ts'
import { isMd5OfWeakPassword } from '#core/auth/passwords.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { encrypt, decrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { invalid, expired, ApiError } from '#core/http/api-error.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import { isMailDelayed, queueMail } from '#core/mail.ts'
import { accounts, challenges } from '#core/schema/account.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { createCaptchaPainter, type CaptchaDrawer } from './captcha-picture.ts'

const CODE_MINUTES = 15
const MAILS_PER_HOUR = 3

/** Throws for common passwords. `field` is the form field of the error. */
export function assertPasswordStrength(md5: string, field: string) {
  if (isMd5OfWeakPassword(md5)) throw invalid('密码过于简单，请更换', field)
}

/** Sets a password and ends every session of the account. */
async function setPassword({ services, db }: Pick<PublicCtx, 'services' | 'db'>, uid: number, md5: string) {
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

/** Returns the caller's own account row. */
export async function requireOwnAccount({ db, user }: Pick<Ctx, 'db' | 'user'>) {
  const [own] = await db.select().from(accounts).where(eq(accounts.uid, user.uid))
  if (!own) throw expired()
  return own
}

/**
 * Verifies the password again before a critical action. Failures count like failed logins, outside the request's
 * transaction, which the error rolls back.
 */
export async function assertPassword(
  { services, request }: Ctx,
  own: { account: string; passwordHash: string },
  md5: string,
  field: string,
  msg = '密码错误',
) {
  const guess = { account: own.account, ip: request.ip }
  await services.attempts.run(own.account, async () => {
    const { waitSeconds } = await readLockState(services.database.db, guess)
    if (waitSeconds > 0) throw invalid(`尝试次数过多，请${waitSeconds}秒后再试`, field)
    if (await services.passwords.verify(own.passwordHash, md5)) return
    await recordFailure(services.database.db, guess, services.config.login)
    throw invalid(msg, field)
  })
}

const ISSUER = 'OMS'
const PERIOD = 30
const RECOVERY_CODES = 10

const totpOf = (label: string, secret: string) =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD, digits: 6 })
const digest = (code: string) => createHash('sha256').update(code.trim().toLowerCase()).digest('hex')

interface Holder {
  readonly uid: number
  readonly account: string
  readonly mfaSecret: string | null
  readonly recoveryCodes: string[]
}

/** Verifies the current one-time password or an unused recovery code. Each is valid once. */
export async function checkTotp(
  { db, services }: Pick<PublicCtx, 'db' | 'services'>,
  holder: Holder,
  given: string,
): Promise<boolean> {
  if (!holder.mfaSecret) return false
  const recovery = digest(given)
  if (holder.recoveryCodes.includes(recovery)) return spendRecovery(db, holder.uid, recovery)
  const token = given.replaceAll(/\s/g, '')
  const delta = totpOf(holder.account, decrypt(services.config.secretKey, holder.mfaSecret)).validate({
    token,
    window: 1,
  })
  if (delta === null) return false
  return spendStep(db, holder.uid, Math.floor(Date.now() / 1000 / PERIOD) + delta)
}

async function spendRecovery(db: Db, uid: number, code: string) {
  const left = sql`${accounts.recoveryCodes} - ${code}::text`
  const [spent] = await db
    .update(accounts)
    .set({ recoveryCodes: left as unknown as string[] })
    .where(sql`${accounts.uid} = ${uid} and ${accounts.recoveryCodes} ? ${code}`)
    .returning({ uid: accounts.uid })
  return spent !== undefined
}

/** Invalidates a time step, so that an observed one-time password cannot be used again within its half minute. */
async function spendStep(db: Db, uid: number, step: number) {
  const expireTime = sql`now() + interval '5 minutes'` as unknown as string
  const [first] = await db
    .insert(challenges)
    .values({ id: `totp-${uid}-${step}`, kind: 'totp', uid, answerHash: Buffer.alloc(0), expireTime })
    .onConflictDoNothing()
    .returning({ id: challenges.id })
  return first !== undefined
}

/** Changes an account together with the row of the operation log. `audit` was called before. */
const changeRecorded = (ctx: Ctx, uid: number, change: Partial<typeof accounts.$inferInsert>) =>
  ctx.services.database.db.transaction(async (db) => {
    await db.update(accounts).set(change).where(eq(accounts.uid, uid))
    await ctx.recordIn(db)
  })

/** Creates a new secret, which becomes active after a one-time password derived from the secret is entered. */
export async function bindMfa(ctx: Ctx, { pswdMd5 }: ParsedOf<typeof account.mfaBind>) {
  const own = await requireOwnAccount(ctx)
  await assertPassword(ctx, own, pswdMd5, 'pswdMd5')
  if (own.mfaEnabled) throw invalid('两步验证已启用，请先关闭')
  const secret = new Secret({ size: 20 }).base32
  ctx.audit({ bizType: 'account', bizId: own.uid })
  await changeRecorded(ctx, own.uid, { mfaSecret: encrypt(ctx.services.config.secretKey, secret) })
  return { secret, url: totpOf(own.account, secret).toString() }
}

export async function verifyMfa(ctx: Ctx, { totp }: ParsedOf<typeof account.mfaVerify>) {
  const own = await requireOwnAccount(ctx)
  if (own.mfaEnabled) throw invalid('两步验证已启用')
  if (!(await checkTotp(ctx, own, totp))) throw invalid('动态验证码错误', 'totp')
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(5).toString('hex'))
  await ctx.db
    .update(accounts)
    .set({ mfaEnabled: true, recoveryCodes: recoveryCodes.map(digest) })
    .where(eq(accounts.uid, own.uid))
  ctx.audit({ bizType: 'account', bizId: own.uid, action: '启用两步验证' })
  return { recoveryCodes }
}

export async function unbindMfa(ctx: Ctx, { pswdMd5, totp }: ParsedOf<typeof account.mfaUnbind>) {
  const own = await requireOwnAccount(ctx)
  await assertPassword(ctx, own, pswdMd5, 'pswdMd5')
  if (!own.mfaEnabled) throw invalid('两步验证未启用')
  if (!(await checkTotp(ctx, own, totp))) throw invalid('动态验证码错误', 'totp')
  ctx.audit({ bizType: 'account', bizId: own.uid, action: '关闭两步验证' })
  await changeRecorded(ctx, own.uid, { mfaEnabled: false, mfaSecret: null, recoveryCodes: [] })
  return null
}

const MINUTES = 5

/** Creates a captcha of four unambiguous characters, valid for one answer within five minutes. */
export async function createCaptcha({ db }: PublicCtx) {
  // Imported on first use, because the module reads a font and would delay the start.
  const { default: svgCaptcha } = await import('svg-captcha')
  const { text, svg } = createCaptchaPainter(svgCaptcha as unknown as CaptchaDrawer)
  const captchaId = await createChallenge(db, { kind: 'captcha', answer: text, minutes: MINUTES })
  return { captchaId, svg: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` }
}

/**
 * Throws for a missing or wrong answer. Every attempt invalidates the captcha, so the client requests a new captcha.
 */
export async function assertCaptcha(
  db: Db,
  { captchaId, captcha: answer }: { captchaId?: string | undefined; captcha?: string | undefined },
) {
  if (!captchaId || !answer) throw new ApiError(400, '请输入图形验证码', { field: 'captcha', captcha: true })
  if (!(await answerChallenge(db, 'captcha', captchaId, answer)))
    throw new ApiError(400, '图形验证码错误或已过期', { field: 'captcha', captcha: true })
}
