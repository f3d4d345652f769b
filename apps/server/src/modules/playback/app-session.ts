import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { APP_TOKEN_HEADER, type playbackApp as calls, SIGNATURE_TOLERANCE_SECONDS } from '@oms/contract/playback/app.ts'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { expired, refused } from '#core/http/api-error.ts'
import { alive, inTenant } from '#core/tenancy/tenancy.ts'
import { readNumbers, signNumbers } from '#domain/video/signed-token.ts'
import { ossAppKeys, ossAppNonces } from '#schema/playback.ts'
import { appAccounts, tenants } from '#schema/tenant.ts'
import { secretOf, usableKey } from './app-key.service.ts'

const USE = 'app session'
/** One text for every wrong part, so that nobody can search for keys or accounts. */
const badSignature = () => refused('签名不正确或已过期')
const over = () => expired('登录已失效，请重新进入')

/** User of a tenant's App, from the token of its session. */
export interface AppUser {
  readonly uid: number
  readonly account: string
  readonly tenantId: number
}

/** Text that an App's back end signs. */
export const signedText = ({ keyId, account, ttl, nonce, time }: Omit<ParsedOf<typeof calls.session>, 'sign'>) =>
  [keyId, account, ttl, nonce, time].join('\n')

function isSigned(secret: string, { sign, ...input }: ParsedOf<typeof calls.session>) {
  const expected = createHmac('sha256', secret).update(signedText(input)).digest()
  return timingSafeEqual(expected, Buffer.from(sign, 'hex'))
}

/** Stores the number of a request. Returns false when it was used before. Old numbers are deleted on the way. */
async function takeNonce(db: Db, keyId: string, nonce: string) {
  const old = sql`now() - make_interval(secs => ${SIGNATURE_TOLERANCE_SECONDS * 3})`
  await db.delete(ossAppNonces).where(and(eq(ossAppNonces.keyId, keyId), lt(ossAppNonces.createTime, old)))
  const taken = await db
    .insert(ossAppNonces)
    .values({ keyId, nonce })
    .onConflictDoNothing()
    .returning({ nonce: ossAppNonces.nonce })
  return taken.length > 0
}

/** Creates a session for an App account of the key's tenant. */
export async function session(ctx: PublicCtx, input: ParsedOf<typeof calls.session>) {
  const { db, services, now } = ctx
  const key = await secretOf(ctx, input.keyId)
  if (!key || !isSigned(key.secret, input)) throw badSignature()
  if (Math.abs(now.getTime() / 1000 - input.time) > SIGNATURE_TOLERANCE_SECONDS) throw badSignature()
  if (!(await takeNonce(db, input.keyId, input.nonce))) throw badSignature()
  const [user] = await db
    .select({ uid: appAccounts.uid })
    .from(appAccounts)
    .where(
      and(
        eq(appAccounts.tenantId, key.tenantId),
        sql`lower(${appAccounts.account}) = lower(${input.account})`,
        eq(appAccounts.status, 1),
        alive(appAccounts),
      ),
    )
  if (!user) throw refused('账号不存在或已停用')
  const expireTime = now.getTime() + input.ttl * 1000
  return { token: signNumbers(services.config.secretKey, USE, [key.id, user.uid, expireTime]), expireTime }
}

/** Returns the user of a request with a session token. Refuses tokens of disabled keys, accounts and tenants. */
export async function appUserOf({ db, services, request, now }: PublicCtx): Promise<AppUser> {
  const token = request.header(APP_TOKEN_HEADER)
  const [keyId, uid, expires] = (token && readNumbers(services.config.secretKey, USE, token, 3)) || []
  if (keyId === undefined || uid === undefined || !expires || now.getTime() >= expires) throw over()
  const [user] = await db
    .select({ uid: appAccounts.uid, account: appAccounts.account, tenantId: appAccounts.tenantId })
    .from(appAccounts)
    .innerJoin(tenants, eq(tenants.id, appAccounts.tenantId))
    .innerJoin(ossAppKeys, and(eq(ossAppKeys.id, keyId), eq(ossAppKeys.tenantId, appAccounts.tenantId)))
    .where(and(eq(appAccounts.uid, uid), eq(appAccounts.status, 1), alive(appAccounts), usableKey()))
  if (!user) throw over()
  return user
}

/** Runs a read of the App's user under the row-level security of the tenant. */
export async function asAppUser<T>(ctx: PublicCtx, work: (db: Db, user: AppUser) => Promise<T>): Promise<T> {
  const user = await appUserOf(ctx)
  return inTenant(ctx.services.database, user.tenantId, (db) => work(db, user))
}
