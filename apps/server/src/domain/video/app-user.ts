import { APP_TOKEN_HEADER } from '@oms/contract/playback/app.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { expired, invalid } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { alive, inTenant } from '#core/tenancy/tenancy.ts'
import { readNumbers } from './signed-token.ts'
import { devices } from '#schema/device.ts'
import { ossAppKeys } from '#schema/playback.ts'
import { appAccounts, tenants } from '#schema/tenant.ts'

/** Purpose of the tokens of App sessions. */
export const APP_SESSION_USE = 'app session'
const over = () => expired('登录已失效，请重新进入')

/** User of a tenant's App, from the token of its session. */
export interface AppUser {
  readonly uid: number
  readonly account: string
  readonly tenantId: number
}

/** Condition of keys whose requests are accepted. Needs a join of the tenant. */
export const usableKey = () =>
  and(
    eq(ossAppKeys.status, 1),
    sql`${ossAppKeys.deletedAt} is null and ${tenants.deletedAt} is null and ${tenants.status} = 1`,
    sql`coalesce(${tenants.expireTime} > now(), true)`,
  )

/** Returns the user of a request with a session token. Refuses tokens of disabled keys, accounts and tenants. */
export async function appUserOf({ db, services, request, now }: PublicCtx): Promise<AppUser> {
  const token = request.header(APP_TOKEN_HEADER)
  const [keyId, uid, expires] = (token && readNumbers(services.config.secretKey, APP_SESSION_USE, token, 3)) || []
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

/** Condition of the devices of the App's user. */
export const ownDevices = ({ uid, tenantId }: AppUser) =>
  and(eq(devices.appAccountId, uid), eq(devices.tenantId, tenantId), alive(devices))

/** Returns the device of the App's user. Devices of others do not exist for the user. */
export async function ownDevice(db: Db, user: AppUser, sn: string) {
  const [found] = await db
    .select({ id: devices.id, sn: devices.sn })
    .from(devices)
    .where(and(ownDevices(user), eq(devices.sn, sn)))
  if (!found) throw invalid('设备不存在或未绑定', 'sn')
  return found
}
