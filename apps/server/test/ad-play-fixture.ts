import type { Pool } from 'pg'

/** A reported play as a test writes it. */
export interface TestPlay {
  readonly deviceId: number
  readonly reportId: string
  readonly startMs: number
  readonly ms: number
  readonly tenantId?: number
  readonly programId?: number
  readonly adId?: number
  readonly modelId?: number
  readonly result?: number
  /** 1 trusted, 0 not. */
  readonly clock?: number
  readonly count?: number
  /** Time of arrival. */
  readonly recvMs?: number
}

/** Stores reported plays with the meaning of the report call: a play again changes nothing. Returns the number stored. */
export async function storePlays(pool: Pick<Pool, 'query'>, plays: readonly TestPlay[], zone = 'Asia/Shanghai') {
  const { rows } = await pool.query<{ n: number }>(
    `with given as (
       select *, to_timestamp(case when clock = 0 then "recvMs" else "startMs" end / 1000.0) as at
       from json_to_recordset($1) as t("deviceId" int, "reportId" uuid, "startMs" bigint, ms int, "tenantId" int,
         "programId" int, "adId" int, "modelId" int, result int, clock int, count int, "recvMs" bigint)),
     stored as (
       insert into ad_plays (play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id,
         program_ver, item_id, ad_id, ad_ver, result, clock, count, recv)
       select (at at time zone 'UTC')::date, "deviceId", "reportId", "startMs", ms, ms, "tenantId", "modelId", "programId",
         1, 1, "adId", 1, result, clock, count, to_timestamp("recvMs" / 1000.0) from given
       on conflict do nothing returning *),
     counted as (
       insert into ad_play_fresh (hour, day, device_id, tenant_id, program_id, ad_id, model_id, plays, complete, partial,
         failed, ms, untrusted, first_start, last_end)
       select extract(epoch from date_trunc('hour', at, $2)) * 1000, (at at time zone $2)::date, device_id, tenant_id,
         program_id, ad_id, model_id, coalesce(sum(count) filter (where clock > 0 and result < 3), 0),
         coalesce(sum(count) filter (where clock > 0 and result = 1), 0),
         coalesce(sum(count) filter (where clock > 0 and result = 2), 0),
         coalesce(sum(count) filter (where clock > 0 and result = 3), 0), coalesce(sum(ms) filter (where clock > 0 and result < 3), 0),
         coalesce(sum(count) filter (where clock = 0 and result < 3), 0), min(start_ms), max(start_ms + ms)
       from (select *, case when clock = 0 then recv else to_timestamp(start_ms / 1000.0) end as at from stored) s
       group by 1, 2, 3, 4, 5, 6, 7)
     select count(*)::int as n from stored`,
    [JSON.stringify(plays.map((play) => ({ ...DEFAULTS, recvMs: play.startMs, ...play }))), zone],
  )
  return rows[0]!.n
}

const DEFAULTS = { tenantId: 1, programId: 1, adId: 1, modelId: 1, result: 1, clock: 1, count: 1 }

/** Returns the nth uuid: the same number gives the same uuid. */
export const uuidOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
