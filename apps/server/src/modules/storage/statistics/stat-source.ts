import { type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { ossCounts, ossEnds, ossFlows } from '../schema.ts'

/**
 * Sources of the statistics. The sums have a tenant but no creator. For an account that sees only the
 * entitlements it created, the same columns are computed from these rows.
 */
export interface StatSources {
  /** `tenant_id, package_id, record_type, source, state, n`. */
  readonly counts: SQL
  /** `day, tenant_id, package_id, source, kind, n, amount`. */
  readonly flows: SQL
  /** `day, tenant_id, package_id, n`. */
  readonly ends: SQL
}

export function buildStatSources(user: User, tenantId: number | undefined): StatSources {
  const { ownOnly } = user.scope
  const within = (tenant: typeof ossCounts.tenantId | typeof ossFlows.tenantId | typeof ossEnds.tenantId) =>
    sql`${scoped(user, { tenant }) ?? sql`true`} and ${tenantId === undefined ? sql`true` : sql`${tenant} = ${tenantId}`}`
  const counts = sql`(select * from ${ossCounts} where ${within(ossCounts.tenantId)})`
  const flows = sql`(select * from ${ossFlows} where ${within(ossFlows.tenantId)})`
  const ends = sql`(select * from ${ossEnds} where ${within(ossEnds.tenantId)})`
  if (!ownOnly) return { counts, flows, ends }
  return {
    counts: sql`(select * from ${ownCounts(user.uid)} as oss_counts where ${within(ossCounts.tenantId)})`,
    flows: sql`(select * from ${ownFlows(user.uid)} as oss_flows where ${within(ossFlows.tenantId)})`,
    ends: sql`(select * from ${ownEnds(user.uid)} as oss_ends where ${within(ossEnds.tenantId)})`,
  }
}

const ownCounts = (uid: number) => sql`(select tenant_id, package_id, record_type, source, state, 1 as n
  from oss_entitlements where create_by = ${uid})`

const ownFlows = (uid: number) => sql`(select l.at_time::date as day, l.tenant_id, l.package_id, l.source,
    case when l.kind = 1 then 1 + l.is_renewal when l.kind = 2 and l.balance = 0 then 3 when l.kind = 4 then 4
      when l.kind = 3 then 5 end as kind, 1 as n, l.amount
  from oss_ledger l join oss_entitlements e on e.id = l.entitlement_id where e.create_by = ${uid})`

const ownEnds = (uid: number) => sql`(select q.end_time::date as day, q.tenant_id, e.package_id, 1 as n
  from oss_queues q join oss_entitlements e
    on e.device_id = q.device_id and e.channel = q.channel and e.end_time = q.end_time and e.state in (0, 1)
  where q.next_time is not null and e.create_by = ${uid})`
