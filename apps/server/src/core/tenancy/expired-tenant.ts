import { type SQL, sql } from 'drizzle-orm'
import { tenants } from '#core/schema/tenant.ts'

/**
 * Condition on `tenants`: the tenant has expired. A tenant expires at its expiry time, and never without an expiry
 * time. The condition uses the clock of the database, which also decides about logins.
 */
export const TENANT_EXPIRED_CONDITION: SQL<boolean> = sql<boolean>`(${tenants.expireTime} is not null and ${tenants.expireTime} <= now())`

/** Condition on `tenants`: the tenant has not expired, and expires within this number of days. */
export const expiresWithinDays = (days: number): SQL =>
  sql`(${tenants.expireTime} > now() and ${tenants.expireTime} <= now() + make_interval(days => ${days}))`
