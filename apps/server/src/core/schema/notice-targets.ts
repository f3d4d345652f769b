import { type SQL, sql } from 'drizzle-orm'
import { notices } from './system.ts'

/** Kinds of targets of a notice, as stored. `NOTICE_TARGET` of the contract has their labels. */
export const NOTICE_TARGET_KIND = { all: 1, tenants: 2, roles: 3, accounts: 4 } as const

/**
 * Selects the tenant of each target of a row of `notices`; null for a deleted row, nothing for a notice to all accounts.
 */
export const selectNoticeTenants = (): SQL => sql`
  select t.id from unnest(${notices.targetIds}) t(id) where ${notices.target} = ${sql.raw(String(NOTICE_TARGET_KIND.tenants))}
  union all select r.tenant_id from unnest(${notices.targetIds}) t(id) left join roles r on r.id = t.id
    where ${notices.target} = ${sql.raw(String(NOTICE_TARGET_KIND.roles))}
  union all select a.tenant_id from unnest(${notices.targetIds}) t(id) left join accounts a on a.uid = t.id
    where ${notices.target} = ${sql.raw(String(NOTICE_TARGET_KIND.accounts))}`
