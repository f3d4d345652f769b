import { NOTICE_DRAFT, NOTICE_TARGET } from '@oms/contract/notice/notice.ts'
import { and, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { notices } from '#schema/system.ts'

type Target = keyof typeof NOTICE_TARGET
const NOTICE_TARGET_ALL = 1
/** Selects the tenant of each addressed tenant, role and account of the notice. */
const TENANT_OF_TARGET: Readonly<Record<Exclude<Target, 1>, SQL>> = {
  2: sql`select t.id from unnest(${notices.targetIds}) t(id)`,
  3: sql`select r.tenant_id from unnest(${notices.targetIds}) t(id) left join roles r on r.id = t.id`,
  4: sql`select a.tenant_id from unnest(${notices.targetIds}) t(id) left join accounts a on a.uid = t.id`,
}

/**
 * Returns the condition for notices that the account manages: those of visible tenants. Limited staff manages only
 * notices whose targets lie in its data scope, and reads the published notices to all accounts. It manages no messages of
 * the system, which have no author and may name a record of any tenant.
 */
export function buildManagedNoticeCondition(user: User): SQL | undefined {
  const visible = and(notDeleted(notices), scoped(user, { tenant: notices.tenantId, creator: notices.createBy }))
  const inScope = buildTargetsInScopeCondition(user)
  if (!inScope || !user.isPlatform) return visible
  const isShared = and(eq(notices.target, NOTICE_TARGET_ALL), ne(notices.status, NOTICE_DRAFT))
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
  const isOutside = (selected: SQL) =>
    sql`exists (select from (${selected}) o(id) where o.id is null or o.id <> all(${sql.param([...tenants])}::int[]))`
  return sql`case ${notices.target} when 1 then ${notices.tenantId} <> ${PLATFORM_TENANT_ID}
      when 2 then not ${isOutside(TENANT_OF_TARGET[2])} when 3 then not ${isOutside(TENANT_OF_TARGET[3])}
      else not ${isOutside(TENANT_OF_TARGET[4])} end`
}
