import type pg from 'pg'
import { queryWithoutTimeout } from '#core/database/statements/prepared-statements.ts'
import { hashContent } from './content.ts'
import { AD_STATUS, type AdBody } from './schema.ts'

const PAGE = 500
const MAX_BREACHES = 100
const SUM_COLUMNS = 'array[sum(plays), sum(complete), sum(partial), sum(failed), sum(ms), sum(untrusted)]::numeric[]'
const TRUSTED = 'array[sum(plays), sum(complete), sum(partial), sum(failed), sum(ms)]::numeric[]'

interface ApprovedRow {
  readonly id: number
  readonly verNo: number
  readonly body: AdBody | null
  readonly contentHash: string
  readonly auditStatus: number
  /** True when the submitter or an uploader of the files approved the version. */
  readonly isOwn: boolean
}

const APPROVED_VERSIONS = `
  select a.id, a.approved_ver as "verNo", v.body, coalesce(v.content_hash, '') as "contentHash",
    coalesce(v.audit_status, 0) as "auditStatus",
    coalesce(v.audit_by = v.submit_by or v.audit_by = any(v.uploaders), false) as "isOwn"
  from ads a left join ad_versions v on v.ad_id = a.id and v.ver_no = a.approved_ver
  where a.id > $1 and a.approved_ver > 0 and a.deleted_at is null order by a.id limit ${PAGE}`

/**
 * Returns the ads whose playing version breaks a rule, at most 100: the version is approved, by neither its submitter
 * nor an uploader of its files, and its content has the approved hash.
 */
export async function findApprovalBreaches(pool: pg.Pool): Promise<string[]> {
  const breaches: string[] = []
  for (let after = 0; breaches.length < MAX_BREACHES; ) {
    const rows = await queryWithoutTimeout<ApprovedRow>(pool, APPROVED_VERSIONS, [after])
    for (const row of rows) {
      const rule = brokenRule(row)
      if (rule) breaches.push(`ad ${row.id}, version ${row.verNo}: ${rule}`)
    }
    if (rows.length < PAGE) break
    after = rows.at(-1)!.id
  }
  return breaches.slice(0, MAX_BREACHES)
}

function brokenRule({ body, contentHash, auditStatus, isOwn }: ApprovedRow): string | undefined {
  if (!body || auditStatus !== AD_STATUS.approved) return 'not approved'
  if (isOwn) return 'approved by its submitter or an uploader'
  return hashContent(body) === contentHash ? undefined : 'content differs from the approved content'
}

/**
 * Query that returns the violated invariants of plays, one row each with its name in `what`. The sums by hour, the sums
 * by day and the single plays must be equal. Plays without a trusted clock are compared by hour and day only.
 * Parameters: the console's time zone, and the first local day whose single plays are all kept.
 */
export const AD_PLAY_INVARIANT_QUERY = `
  with columns_of_days as (
      select day, tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_days
      union all select day, tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_fresh),
    columns_of_hours as (
      select tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_hours
      union all select tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_fresh),
    hours as (
      select tenant_id, ${SUM_COLUMNS} as sums
      from columns_of_hours group by 1),
    totals as (
      select tenant_id, ${SUM_COLUMNS} as sums
      from columns_of_days group by 1),
    days as (
      select day, tenant_id, ${TRUSTED} as sums
      from columns_of_days where day >= $2::date group by 1, 2),
    plays as (
      select (to_timestamp(start_ms / 1000.0) at time zone $1)::date as day, tenant_id,
        array[coalesce(sum(count) filter (where result < 3), 0), coalesce(sum(count) filter (where result = 1), 0),
          coalesce(sum(count) filter (where result = 2), 0), coalesce(sum(count) filter (where result = 3), 0),
          coalesce(sum(ms) filter (where result < 3), 0)]::numeric[] as sums
      from ad_plays where clock > 0 and play_day >= $2::date - 1 group by 1, 2),
    empty as (select array[0, 0, 0, 0, 0]::numeric[] as sums)
  select 'hours and days of tenant ' || tenant_id as what from hours full join totals using (tenant_id)
    where hours.sums is distinct from totals.sums
  union all select 'plays of ' || day || ' of tenant ' || tenant_id from (select * from plays where day >= $2::date) p
    full join days using (day, tenant_id) cross join empty
    where coalesce(p.sums, empty.sums) <> coalesce(days.sums, empty.sums)
  limit 100`
