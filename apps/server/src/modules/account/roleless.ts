import { type SQL, sql } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'

/**
 * Returns the condition for accounts without a role of their tenant (1) or with such a role (0). Returns undefined
 * without a value.
 */
export function buildRolelessFilter(roleless: 0 | 1 | undefined): SQL | undefined {
  if (roleless === undefined) return undefined
  const held = sql`exists (select from account_roles ar join roles r on r.id = ar.role_id
    where ar.uid = ${accounts.uid} and r.tenant_id = ${accounts.tenantId} and r.deleted_at is null)`
  return roleless === 1 ? sql`not ${held}` : held
}
