import { createHash, randomBytes } from 'node:crypto'
import type { account } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { eq, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import type { Db } from '#core/database/client.ts'
import { accounts, challenges } from '#core/schema/account.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { encrypt, decrypt } from '#core/crypto/keys.ts'
import { assertPassword, requireOwnAccount } from './own-account.ts'

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
