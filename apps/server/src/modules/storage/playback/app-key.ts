import { randomBytes, createHmac, timingSafeEqual } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { SIGNATURE_TOLERANCE_SECONDS } from '@oms/contract/core/signature.ts'
import { appKeys as calls } from '@oms/contract/storage/app-key.ts'
import { type playbackApp, APP_TOKEN_HEADER } from '@oms/contract/storage/app.ts'
import { and, eq, getTableColumns, sql, lt } from 'drizzle-orm'
import { decrypt, encrypt, createSecret } from '#core/crypto/keys.ts'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { defineRecord, visibleRecords } from '#core/database/record.ts'
import { notFound, refused, expired, invalid } from '#core/http/api-error.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import { tenants, appAccounts } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, runInTenant } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { devices } from '#modules/device/schema.ts'
import { ossAppKeys, ossAppNonces } from '../schema-playback.ts'

const SESSION_USE = 'app session'
const ORIGIN_KNOWN_MS = 10_000
/** Longest origin that a key can name. */
const MAX_ORIGIN_LENGTH = 100
const MAX_KNOWN_ORIGINS = 1000

const appKey = defineRecord({
  calls,
  kind: 'appKey',
  noun: 'App密钥',
  table: ossAppKeys,
  nameOf: ({ keyName }) => keyName,
})
export const { remove: removeAppKey, enable: enableAppKey, disable: disableAppKey } = appKey

const { secretEncrypted: _secret, sessionEpoch: _epoch, ...shownColumns } = getTableColumns(ossAppKeys)
const selectKeys = (db: Db) =>
  db
    .select({ ...shownColumns, tenantName: sql<string>`coalesce(${tenants.name}, '')` })
    .from(ossAppKeys)
    .leftJoin(tenants, eq(tenants.id, ossAppKeys.tenantId))

export async function getAppKey({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectKeys(db).where(and(eq(ossAppKeys.id, id), visibleRecords({ table: ossAppKeys }, user)))
  if (!found) throw notFound('App密钥')
  return found
}

export function listAppKeys({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const query = selectKeys(db)
    .where(
      and(
        visibleRecords({ table: ossAppKeys }, user),
        contains(ossAppKeys.keyName, input.keyName),
        input.tenantId === undefined ? undefined : eq(ossAppKeys.tenantId, input.tenantId),
        input.status === undefined ? undefined : eq(ossAppKeys.status, input.status),
      ),
    )
    .$dynamic()
  const sort = { createTime: ossAppKeys.createTime, updateTime: ossAppKeys.updateTime }
  return paginate(db, query, input, buildSort(input, sort, ossAppKeys.id))
}

/** Creates a key for the Apps of a tenant. Only this response contains the secret. */
export async function createAppKey(ctx: Ctx, { tenantId: requested, ...input }: ParsedOf<typeof calls.create>) {
  const { id: tenantId } = await resolveOwningTenant(ctx, requested, 'tenantId')
  const keyId = `ak${randomBytes(10).toString('hex')}`
  const secret = createSecret()
  const secretEncrypted = encrypt(ctx.services.config.secretKey, secret)
  const { id } = await appKey.insert(ctx, { ...input, tenantId, keyId, secretEncrypted })
  return { id, keyId, secret }
}

export async function updateAppKey(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  return appKey.save(ctx, await appKey.lock(ctx, id), rev, input)
}

export async function rotateAppKey(ctx: Ctx, { id }: ParsedOf<typeof calls.rotate>) {
  const stored = await appKey.lock(ctx, id)
  const secret = createSecret()
  await ctx.db
    .update(ossAppKeys)
    .set({ secretEncrypted: encrypt(ctx.services.config.secretKey, secret), rev: stored.rev + 1 })
    .where(eq(ossAppKeys.id, id))
  ctx.audit({ bizType: 'appKey', bizId: id, action: `更换App密钥「${stored.keyName}」` })
  await ctx.services.events.publish(ctx.db, 'changed', { resource: 'oss', tenantId: stored.tenantId })
  return { id, keyId: stored.keyId, secret }
}

/** Returns the secret of an enabled key with its tenant; undefined for an unknown or disabled key. */
async function readAppKeySecret({ db, services }: Pick<Ctx, 'db' | 'services'>, keyId: string) {
  const [found] = await db
    .select({
      id: ossAppKeys.id,
      tenantId: ossAppKeys.tenantId,
      secretEncrypted: ossAppKeys.secretEncrypted,
      sessionEpoch: ossAppKeys.sessionEpoch,
    })
    .from(ossAppKeys)
    .innerJoin(tenants, eq(tenants.id, ossAppKeys.tenantId))
    .where(and(eq(ossAppKeys.keyId, keyId), isUsableKey()))
  return found && { ...found, secret: decrypt(services.config.secretKey, found.secretEncrypted) }
}

/** Returns the same error for every invalid part, so that keys cannot be enumerated. */
const badSignature = () => refused('签名不正确或已过期')

/** Text that an App's back end signs. */
export const buildSignedText = ({
  keyId,
  account,
  ttl,
  nonce,
  time,
}: Omit<ParsedOf<typeof playbackApp.session>, 'sign'>) => [keyId, account, ttl, nonce, time].join('\n')

function isSigned(secret: string, { sign, ...input }: ParsedOf<typeof playbackApp.session>) {
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
export async function createAppSession(ctx: PublicCtx, input: ParsedOf<typeof playbackApp.session>) {
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

const over = () => expired('登录已失效，请重新进入')

/** User of a tenant's App, from the token of its session. */
export interface AppUser {
  readonly uid: number
  readonly account: string
  readonly tenantId: number
  readonly session: AppSession
}

/** Key of a session, and the epochs of key and account when the session began. */
interface AppSession {
  readonly keyId: number
  readonly keyEpoch: number
  readonly accountEpoch: number
}

/** Returns the token of a session. `expireTime` is milliseconds since 1970. */
const createSessionToken = (secretKey: Buffer, uid: number, expireTime: number, session: AppSession) =>
  signNumbers(secretKey, SESSION_USE, [uid, expireTime, session.keyId, session.keyEpoch, session.accountEpoch])

/** Condition of keys whose requests are accepted. Needs a join of the tenant. */
const isUsableKey = () =>
  and(
    eq(ossAppKeys.status, 1),
    sql`${ossAppKeys.deletedAt} is null and ${tenants.deletedAt} is null and ${tenants.status} = 1`,
    sql`coalesce(${tenants.expireTime} > now(), true)`,
  )

/**
 * Returns the user of a request with a session token. Refuses tokens of disabled keys, accounts and tenants, also after
 * they are enabled again.
 */
export async function authenticateAppUser({ db, services, request, now }: PublicCtx): Promise<AppUser> {
  const token = request.header(APP_TOKEN_HEADER)
  const numbers = token ? readNumbers(services.config.secretKey, SESSION_USE, token, 5) : undefined
  const [uid = 0, expires = 0, keyId = 0, keyEpoch = 0, accountEpoch = 0] = numbers ?? []
  if (now.getTime() >= expires) throw over()
  const [user] = await db
    .select({ uid: appAccounts.uid, account: appAccounts.account, tenantId: appAccounts.tenantId })
    .from(appAccounts)
    .innerJoin(tenants, eq(tenants.id, appAccounts.tenantId))
    .innerJoin(ossAppKeys, and(eq(ossAppKeys.id, keyId), eq(ossAppKeys.tenantId, appAccounts.tenantId)))
    .where(
      and(
        eq(appAccounts.uid, uid),
        eq(appAccounts.status, 1),
        eq(appAccounts.sessionEpoch, accountEpoch),
        notDeleted(appAccounts),
        eq(ossAppKeys.sessionEpoch, keyEpoch),
        isUsableKey(),
      ),
    )
  if (!user) throw over()
  return { ...user, session: { keyId, keyEpoch, accountEpoch } }
}

/** Runs a read of the App's user under the row-level security of the tenant. */
export async function runAsAppUser<T>(ctx: PublicCtx, work: (db: Db, user: AppUser) => Promise<T>): Promise<T> {
  const user = await authenticateAppUser(ctx)
  return runInTenant(ctx.services.database, user.tenantId, (db) => work(db, user))
}

/** Condition of the devices of the App's user. */
export const isOwnDevice = ({ uid, tenantId }: AppUser) =>
  and(eq(devices.appAccountId, uid), eq(devices.tenantId, tenantId), notDeleted(devices))

/**
 * Returns the device of the App's user. Reports devices of other users as missing. `field` is the input field of the
 * error.
 */
export async function requireOwnDevice(db: Db, user: AppUser, sn: string, field = 'sn') {
  const [found] = await db
    .select({ id: devices.id, sn: devices.sn })
    .from(devices)
    .where(and(isOwnDevice(user), eq(devices.sn, sn)))
  if (!found) throw invalid('设备不存在或未绑定', field)
  return found
}

/**
 * Rule for pages of Apps: pages from the origins of enabled keys may call. A change of the keys takes effect within ten
 * seconds.
 */
export function createAppOrigins({ database }: Services) {
  const known = new Map<string, { readonly isAllowed: Promise<boolean>; readonly at: number }>()
  const read = async (origin: string) => {
    const found = await database.db
      .select({ id: ossAppKeys.id })
      .from(ossAppKeys)
      .innerJoin(tenants, sql`${tenants.id} = ${ossAppKeys.tenantId}`)
      .where(and(sql`${origin} = any(${ossAppKeys.origins})`, isUsableKey()))
      .limit(1)
    return found.length > 0
  }
  return {
    prefixes: ['/api/v1/oss/app/', '/api/v1/oss/play/'],
    headers: `content-type, range, ${APP_TOKEN_HEADER}`,
    isAllowed(origin: string): Promise<boolean> {
      if (origin.length > MAX_ORIGIN_LENGTH) return Promise.resolve(false)
      const now = Date.now()
      const last = known.get(origin)
      if (last && now - last.at < ORIGIN_KNOWN_MS) return last.isAllowed
      if (known.size >= MAX_KNOWN_ORIGINS) known.clear()
      const isAllowed = read(origin)
      isAllowed.catch(() => known.delete(origin))
      known.set(origin, { isAllowed, at: now })
      return isAllowed
    },
  }
}
