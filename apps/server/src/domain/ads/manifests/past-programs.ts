import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { addDays } from '#core/time/zone.ts'
import type { AdBody } from '#schema/advertise.ts'
import { type KnownAd, fileMsOf } from '../file-durations.ts'
import type { LiveProgram } from './manifest-of.ts'

interface StateRow extends LiveProgram, Record<string, unknown> {
  readonly status: number
  readonly recorded: number
}

/** Programs that were published at a past moment. */
export interface PastPrograms {
  readonly inForce: readonly LiveProgram[]
  readonly paused: readonly LiveProgram[]
  /** False when pauses and withdrawals of that time were not recorded. */
  readonly isRecorded: boolean
}

/**
 * Loads the program versions of a tenant and of the platform that were in force or paused at a past moment. Omits versions
 * whose last date was over in every zone. Includes programs that were deleted later. `db` must not have row-level security.
 */
export async function loadPastPrograms(db: Db, tenantId: number, at: number): Promise<PastPrograms> {
  const lastDate = addDays(new Date(at).toISOString().slice(0, 10), -2)
  const { delivering, paused } = PROGRAM_STATUS
  const { rows } = await db.execute<StateRow>(sql`
    with states as (
      select distinct on (program_id) program_id, published_ver, status, recorded from ad_program_states
      where tenant_id in (${PLATFORM_TENANT_ID}::int, ${tenantId}::int) and since <= to_timestamp(${at}::float8 / 1000)
      order by program_id, since desc, id desc)
    select s.program_id as id, v.tenant_id as "tenantId", v.target_type as "targetType", v.target_ids as "targetIds",
      v.body, s.status, s.recorded
    from states s left join ad_program_versions v on v.program_id = s.program_id and v.ver_no = s.published_ver
      and s.status in (${delivering}, ${paused}) and v.body ->> 'dateTo' >= ${lastDate}
    order by 1`)
  const published = rows.filter(({ body }) => body !== null)
  return {
    inForce: published.filter(({ status }) => status === delivering),
    paused: published.filter(({ status }) => status === paused),
    isRecorded: rows.every(({ recorded }) => recorded === 1),
  }
}

/** Loads the newest approved version of each ad at a past moment. Includes ads that are disabled or deleted now. */
export async function loadPastAds(db: Db, adIds: readonly number[], at: number): Promise<Map<number, KnownAd>> {
  if (adIds.length === 0) return new Map()
  const { rows } = await db.execute<{ id: number; body: AdBody; verNo: number }>(sql`
    select distinct on (ad_id) ad_id as id, ver_no as "verNo", body from ad_versions
    where ad_id = any(${sql.param([...adIds])}::int[]) and audit_status = 2
      and coalesce(audit_time, submit_time) <= to_timestamp(${at}::float8 / 1000)
    order by ad_id, ver_no desc`)
  return new Map(
    rows.map(({ id, verNo, body: { review, ...ad } }) => {
      const fileMs = fileMsOf(ad.type, review?.durationMs)
      return [id, { ...ad, verNo, ...(fileMs !== undefined && { fileMs }) }]
    }),
  )
}
