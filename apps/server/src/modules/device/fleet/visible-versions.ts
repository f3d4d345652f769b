import { and, eq, not, type SQL, sql } from 'drizzle-orm'
import { otaVersions } from '#modules/upgrade/schema-ota.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { buildBeyondScopeCondition } from './release-scope.ts'

/** Returns the condition for versions of an artifact kind that the account may see. */
export const visibleVersions = (user: User, kind: 1 | 2): SQL | undefined =>
  and(
    notDeleted(otaVersions),
    eq(otaVersions.kind, kind),
    scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
  )

/** Returns the condition for versions whose release concerns only tenants in the account's data scope. */
export function buildReleaseInScopeCondition(user: User): SQL | undefined {
  const beyond = buildBeyondScopeCondition(user, otaVersions.otaId)
  return beyond && not(beyond)
}

/**
 * Returns the condition for versions with a release, or a change of a release, that the account may approve. Submitter,
 * creator and uploader may not approve.
 */
export const isAwaitingAudit = (user: User): SQL | undefined =>
  and(
    sql`exists (select from ota_policies p where p.ota_id = ${otaVersions.otaId}
      and (p.state = 1 or p.pending is not null) and p.submit_by <> ${user.uid})`,
    sql`${otaVersions.createBy} is distinct from ${user.uid}`,
    sql`not exists (select from ota_components c join files f on f.id = c.file_id
      where c.ota_id = ${otaVersions.otaId} and f.uid = ${user.uid})`,
    buildReleaseInScopeCondition(user),
  )

/** Returns the condition for versions with an open alarm. */
export const hasOpenAlarm = (user: User): SQL | undefined =>
  and(
    sql`exists (select from ota_alarms a where a.ota_id = ${otaVersions.otaId} and a.close_time is null)`,
    buildReleaseInScopeCondition(user),
  )
