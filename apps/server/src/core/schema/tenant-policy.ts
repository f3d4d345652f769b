import { type SQL, sql } from 'drizzle-orm'
import { pgPolicy } from 'drizzle-orm/pg-core'

const own = sql`tenant_id = (SELECT current_setting('oms.tenant')::integer)`

/**
 * Row-level policy of a table with `tenantId`, for the third argument of `pgTable`. drizzle-kit writes the policy into
 * `0000_tables.sql`. Tables without this call have the same policy from `0001_rules.sql`.
 * @public
 */
export const tenantPolicy = () => pgPolicy('tenant_isolation', { to: 'oms_tenant', using: own, withCheck: own })

/**
 * Returns a policy to add to `tenantPolicy`: tenants may also read the rows of the platform that meet the condition.
 */
export const tenantReadsPlatform = (where?: SQL) =>
  pgPolicy('tenant_reads', {
    for: 'select',
    to: 'oms_tenant',
    using: where ? sql`tenant_id = 1 and ${where}` : sql`tenant_id = 1`,
  })
