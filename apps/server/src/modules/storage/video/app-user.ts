import { APP_TOKEN_HEADER } from '@oms/contract/storage/app.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { expired, invalid } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { notDeleted, runInTenant } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { ossAppKeys } from '../schema-playback.ts'
import { appAccounts, tenants } from '#core/schema/tenant.ts'
import { readNumbers, signNumbers } from './signed-token.ts'

const SESSION_USE = 'app session'
const over = () => expired('登录已失效，请重新进入')

/** User of a tenant's App, from the token of its session. */
export interface AppUser {
  readonly uid: number
  readonly account: string
  readonly tenantId: number
  readonly session: AppSession
}

/** Key of a session, and the epochs of key and account when the session began. */
export interface AppSession {
  readonly keyId: number
  readonly keyEpoch: number
  readonly accountEpoch: number
}

/** Returns the token of a session. `expireTime` is milliseconds since 1970. */
export const createSessionToken = (secretKey: Buffer, uid: number, expireTime: number, session: AppSession) =>
  signNumbers(secretKey, SESSION_USE, [uid, expireTime, session.keyId, session.keyEpoch, session.accountEpoch])

/** Condition of keys whose requests are accepted. Needs a join of the tenant. */
export const isUsableKey = () =>
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
