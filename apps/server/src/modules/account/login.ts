import type { account } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { clearFailures, recordFailure, type LockState, readLockState } from '#core/auth/lockout.ts'
import { loadRights } from '#core/auth/rights.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'
import { suspended, ApiError, conflict } from '#core/http/api-error.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import { readUserAgent } from '#core/http/user-agent.ts'
import { accounts } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { assertCaptcha, checkTotp, assertPasswordStrength } from './password.ts'

type Input = ParsedOf<typeof account.login>
type Found = typeof accounts.$inferSelect

const LOGIN_TYPE = { password: 1, logout: 5 } as const

/**
 * Creates a session when the password is correct. All failures return the same message after the same time and count
 * towards lock-out. Attempts of one account run one after another.
 */
export const logIn = (ctx: PublicCtx, input: Input) =>
  ctx.services.attempts.run(input.account, () => attemptLogin(ctx, input))

async function attemptLogin(ctx: PublicCtx, input: Input) {
  const guess = { account: input.account, ip: ctx.request.ip }
  const { login: limits } = ctx.services.config
  const standing = await readLockState(ctx.db, guess)
  if (standing.waitSeconds > 0) throw tooMany(standing, limits.lockMinutes)
  if (standing.failures >= limits.captchaAfter) await assertCaptcha(ctx.db, input)
  const found = await findAccount(ctx, input.account)
  const { passwords } = ctx.services
  const right = found
    ? await passwords.verify(found.passwordHash, input.pswdMd5)
    : await passwords.pretend(input.pswdMd5)
  if (!found || !right) throw await refuseLogin(ctx, input, found, '账号或密码错误')
  const rights = await loadRights(ctx.db, found.uid)
  if (!rights || rights.suspendedReason) {
    await writeLogin(ctx, { account: found.account, found, ok: false, msg: rights?.suspendedReason ?? '账号不可用' })
    throw suspended(rights?.suspendedReason ?? '账号不可用')
  }
  if (found.mfaEnabled) await assertTotp(ctx, input, found)
  return openSession(ctx, found, rights.tenantName)
}

async function assertTotp(ctx: PublicCtx, input: Input, found: Found) {
  if (!input.totp) throw new ApiError(400, '请输入动态验证码', { field: 'totp', totp: true })
  if (await checkTotp(ctx, found, input.totp)) return
  const { data, message } = await refuseLogin(ctx, input, found, '动态验证码错误')
  throw new ApiError(400, message, { ...data, field: 'totp', totp: true })
}

async function openSession(ctx: PublicCtx, found: Found, ownerName: string) {
  const console = ctx.request.header('x-client') === 'console'
  const { ip, userAgent } = ctx.request
  const opened = await ctx.services.database.db.transaction(async (db) => {
    await clearFailures(db, { account: found.account, ip })
    await db
      .update(accounts)
      .set({ lastLoginTime: sql`now()` as unknown as string, lastLoginIp: ip, loginCount: found.loginCount + 1 })
      .where(eq(accounts.uid, found.uid))
    await writeLogin({ ...ctx, db }, { account: found.account, found, ok: true, msg: '登录成功' })
    return ctx.services.sessions.open(db, { uid: found.uid, tenantId: found.tenantId, ip, userAgent, console })
  })
  if (opened.cookie) ctx.setSessionCookie(opened.cookie)
  return {
    token: opened.token,
    uid: found.uid,
    account: found.account,
    ownerId: found.tenantId,
    ownerName,
    mustChangePassword: found.pwdMustChange,
  }
}

async function refuseLogin(ctx: PublicCtx, input: Input, found: Found | undefined, msg: string) {
  const { captchaAfter, lockMinutes } = ctx.services.config.login
  const standing = await recordFailure(
    ctx.db,
    { account: input.account, ip: ctx.request.ip },
    ctx.services.config.login,
  )
  await writeLogin(ctx, { account: input.account, found, ok: false, msg })
  if (standing.isLocked) return tooMany(standing, lockMinutes)
  return new ApiError(400, msg, { captcha: standing.failures >= captchaAfter })
}

function tooMany({ waitSeconds: seconds, isLocked }: LockState, lockMinutes: number) {
  // Times are rounded to seconds: ten minutes may be 601 seconds and must not show as eleven minutes.
  const wait = seconds > 60 ? `${Math.ceil((seconds - 1) / 60)}分钟` : `${seconds}秒`
  const why = isLocked ? `登录失败次数过多，已锁定${lockMinutes}分钟` : '登录过于频繁'
  return new ApiError(400, `${why}，请${wait}后再试`, { captcha: true, retryAfter: seconds })
}

const findAccount = async ({ db }: PublicCtx, name: string) => {
  const [found] = await db
    .select()
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, name.toLowerCase()), notDeleted(accounts)))
  return found
}

/** Ends this session in every process. */
export async function logOut(ctx: Ctx) {
  const { user, db, services } = ctx
  await services.sessions.end(db, [user.sessionId], 'logout')
  const found = { uid: user.uid, tenantId: user.homeTenantId }
  await writeLogin(ctx, { account: user.account, found, ok: true, msg: '退出成功', type: LOGIN_TYPE.logout })
  ctx.setSessionCookie(null)
  return null
}

interface LoginRecord {
  readonly account: string
  readonly found: { uid: number; tenantId: number | null } | undefined
  readonly ok: boolean
  readonly msg: string
  readonly type?: number
}

async function writeLogin({ db, request }: Pick<PublicCtx, 'db' | 'request'>, record: LoginRecord) {
  await db.insert(loginLogs).values({
    account: record.account.slice(0, 64),
    uid: record.found?.uid ?? null,
    tenantId: record.found?.tenantId ?? null,
    loginType: record.type ?? LOGIN_TYPE.password,
    ip: request.ip,
    userAgent: request.userAgent.slice(0, 512),
    ...readUserAgent(request.userAgent),
    status: record.ok ? 1 : 0,
    msg: record.msg,
  })
}

/**
 * Creates an account without tenant and role. The account sees only its profile until a tenant accepts an
 * application.
 */
export async function registerAccount(ctx: PublicCtx, input: ParsedOf<typeof account.register>) {
  const { pswdMd5, captcha, captchaId, mobileNo, email, ...rest } = input
  await assertCaptcha(ctx.db, { captcha, captchaId })
  assertPasswordStrength(pswdMd5, 'pswdMd5')
  const passwordHash = await ctx.services.passwords.hash(pswdMd5)
  const [created] = await ctx.db
    .insert(accounts)
    .values({ ...rest, mobileNo: mobileNo ?? null, email: email ?? null, passwordHash })
    .returning({ uid: accounts.uid })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, ACCOUNT_VIOLATIONS) ?? error
    })
  if (!created) throw conflict('注册失败，请重试')
  return created
}
