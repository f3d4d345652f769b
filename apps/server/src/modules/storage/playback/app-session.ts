import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { SIGNATURE_TOLERANCE_SECONDS } from '@oms/contract/core/signature.ts'
import type { playbackApp as calls } from '@oms/contract/storage/app.ts'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { createSessionToken } from '../video/app-user.ts'
import { ossAppNonces } from '../schema-playback.ts'
import { appAccounts } from '#core/schema/tenant.ts'
import { readAppKeySecret } from './app-key.ts'

/** Returns the same error for every invalid part, so that keys cannot be enumerated. */
const badSignature = () => refused('签名不正确或已过期')

/** Text that an App's back end signs. */
export const buildSignedText = ({ keyId, account, ttl, nonce, time }: Omit<ParsedOf<typeof calls.session>, 'sign'>) =>
  [keyId, account, ttl, nonce, time].join('\n')

function isSigned(secret: string, { sign, ...input }: ParsedOf<typeof calls.session>) {
  const expected = createHmac('sha256', secret).update(buildSignedText(input)).digest()
  return timingSafeEqual(expected, Buffer.from(sign, 'hex'))
}

/** Stores the nonce of a request and deletes old nonces. Returns false when the nonce was used before. */
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
export async function createAppSession(ctx: PublicCtx, input: ParsedOf<typeof calls.session>) {
  const { db, services, now } = ctx
  const key = await readAppKeySecret(ctx, input.keyId)
  if (!key || !isSigned(key.secret, input)) throw badSignature()
  if (Math.abs(now.getTime() / 1000 - input.time) > SIGNATURE_TOLERANCE_SECONDS) throw badSignature()
  if (!(await takeNonce(db, input.keyId, input.nonce))) throw badSignature()
  const [user] = await db
    .select({ uid: appAccounts.uid, accountEpoch: appAccounts.sessionEpoch })
    .from(appAccounts)
    .where(
      and(
        eq(appAccounts.tenantId, key.tenantId),
        sql`lower(${appAccounts.account}) = lower(${input.account})`,
        eq(appAccounts.status, 1),
        notDeleted(appAccounts),
      ),
    )
  if (!user) throw refused('账号不存在或已停用')
  const expireTime = now.getTime() + input.ttl * 1000
  const opened = { keyId: key.id, keyEpoch: key.sessionEpoch, accountEpoch: user.accountEpoch }
  return { token: createSessionToken(services.config.secretKey, user.uid, expireTime, opened), expireTime }
}
