import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { ossGrantFiles } from './schema-grant.ts'

/** State of a batch that waits for approval. */
export const WAITING = 0

/**
 * Returns the tenants of platform staff whose data scope is limited, as an array parameter. Undefined for staff that
 * sees all tenants, and for accounts of tenants, which row-level security limits.
 */
export const buildScopeTenantsParameter = ({ isPlatform, scope }: User) =>
  isPlatform && scope.tenants !== 'all' ? sql`${sql.param([...scope.tenants])}::int[]` : undefined

/**
 * Returns the condition for batch grants of the platform whose devices all belong to the tenants of limited platform
 * staff. Batches of tenants contain only their own devices and need no check. An account always sees its own batches.
 */
export function buildGrantFileInScopeCondition(user: User): SQL | undefined {
  const tenants = buildScopeTenantsParameter(user)
  const { tenantId, createBy, tenantIds } = ossGrantFiles
  return (
    tenants && sql`(${tenantId} <> ${PLATFORM_TENANT_ID} or ${createBy} = ${user.uid} or ${tenantIds} <@ ${tenants})`
  )
}

/** Returns the condition for the batch grants in the data scope of an account. */
export const buildVisibleGrantFileCondition = (user: User) =>
  and(
    scoped(user, { tenant: ossGrantFiles.tenantId, creator: ossGrantFiles.createBy }),
    buildGrantFileInScopeCondition(user),
  )

/**
 * Returns the condition for batch grants that wait for the account's decision: batches of its tenant that another
 * account sent.
 */
export const buildAwaitingGrantFileCondition = (user: User): SQL | undefined =>
  and(
    buildVisibleGrantFileCondition(user),
    eq(ossGrantFiles.state, WAITING),
    eq(ossGrantFiles.tenantId, user.tenantId ?? PLATFORM_TENANT_ID),
    sql`${ossGrantFiles.createBy} is distinct from ${user.uid}`,
  )
