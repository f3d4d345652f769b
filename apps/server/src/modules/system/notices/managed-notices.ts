import { NOTICE_DRAFT } from '@oms/contract/system/notice.ts'
import { and, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { notices } from '#core/schema/system.ts'
import { NOTICE_TARGET_KIND, selectNoticeTenants } from '#core/schema/notice-targets.ts'

/**
 * Returns the condition for notices that the account manages: those of visible tenants. Limited staff manages only
 * notices whose targets lie in its data scope, and reads the published notices to all accounts. It manages no messages of
 * the system, which have no author and may name a record of any tenant.
 */
export function buildManagedNoticeCondition(user: User): SQL | undefined {
  const visible = and(notDeleted(notices), scoped(user, { tenant: notices.tenantId, creator: notices.createBy }))
  const inScope = buildTargetsInScopeCondition(user)
  if (!inScope || !user.isPlatform) return visible
  const isShared = and(eq(notices.target, NOTICE_TARGET_KIND.all), ne(notices.status, NOTICE_DRAFT))
  return and(visible, or(and(isNotNull(notices.createBy), inScope), isShared))
}

/**
 * Returns the condition for notices that the account manages and whose targets all lie in its data scope. A notice of
 * the platform to all accounts needs a data scope with all tenants.
 */
export const buildPublishableNoticeCondition = (user: User): SQL | undefined =>
  and(buildManagedNoticeCondition(user), buildTargetsInScopeCondition(user))

/** Returns the condition for notices that address nobody outside the account's data scope. */
function buildTargetsInScopeCondition({ scope: { tenants } }: Pick<User, 'scope'>): SQL | undefined {
  if (tenants === 'all') return undefined
  return sql`case when ${notices.target} = ${NOTICE_TARGET_KIND.all} then ${notices.tenantId} <> ${PLATFORM_TENANT_ID}
      else not exists (select from (${selectNoticeTenants()}) o(id)
        where o.id is null or o.id <> all(${sql.param([...tenants])}::int[])) end`
}
