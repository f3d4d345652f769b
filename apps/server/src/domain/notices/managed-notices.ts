import { NOTICE_TARGET } from '@oms/contract/notice/notice.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { notices } from '#schema/system.ts'

type Target = keyof typeof NOTICE_TARGET
/** Selects the tenant of each addressed tenant, role and account of the notice. */
const TENANT_OF_TARGET: Readonly<Record<Exclude<Target, 1>, SQL>> = {
  2: sql`select t.id from unnest(${notices.targetIds}) t(id)`,
  3: sql`select r.tenant_id from unnest(${notices.targetIds}) t(id) left join roles r on r.id = t.id`,
  4: sql`select a.tenant_id from unnest(${notices.targetIds}) t(id) left join accounts a on a.uid = t.id`,
}

/**
 * Returns the condition for notices that the account manages and whose targets all lie in its data scope. A notice of
 * the platform to all accounts needs a data scope with all tenants.
 */
export const buildPublishableNoticeCondition = (user: User): SQL | undefined =>
  and(
    notDeleted(notices),
    scoped(user, { tenant: notices.tenantId, creator: notices.createBy }),
    buildNoticeInScopeCondition(user),
  )

/** Returns the condition for notices that address nobody outside the account's data scope. */
export function buildNoticeInScopeCondition({ scope: { tenants } }: Pick<User, 'scope'>): SQL | undefined {
  if (tenants === 'all') return undefined
  const isOutside = (selected: SQL) =>
    sql`exists (select from (${selected}) o(id) where o.id is null or o.id <> all(${sql.param([...tenants])}::int[]))`
  return sql`case ${notices.target} when 1 then ${notices.tenantId} <> ${PLATFORM_TENANT_ID}
      when 2 then not ${isOutside(TENANT_OF_TARGET[2])} when 3 then not ${isOutside(TENANT_OF_TARGET[3])}
      else not ${isOutside(TENANT_OF_TARGET[4])} end`
}
