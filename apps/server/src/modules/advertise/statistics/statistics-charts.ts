import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { type AdAttribute, nameAdAttribute, selectAdAttributeKeys } from './statistics-ad-attributes.ts'
import { sumPlays } from './statistics.ts'
import { buildNameJoin, DISPLAY_NAME_SQL, PLAY_TOTALS, selectDaySums, selectHourSums } from './statistics-source.ts'

const TOP = 10
const BY_HOUR = 0
const STEPS = { 1: 'day', 2: 'week', 3: 'month' } as const

interface Point extends Record<string, unknown> {
  from: string
  to: string
  hour: number | null
  plays: number
  failed: number
  ms: number
  screens: number | null
}
type Trend = ParsedOf<typeof calls.trend>

export async function getTrend(ctx: Ctx, input: Trend) {
  const { interval } = input
  if (interval !== BY_HOUR) return { points: await listDayPoints(ctx, input, STEPS[interval]), untrusted: 0 }
  const { untrusted } = await sumPlays(ctx, input)
  return { points: await listHourPoints(ctx, input), untrusted }
}

async function listDayPoints(ctx: Ctx, input: Trend, unit: string): Promise<Point[]> {
  const { startDate, endDate } = input
  const step = sql.raw(`'${unit}'`)
  const { rows } = await ctx.db.execute<Point>(sql`
    with p as (select date_trunc(${step}, day)::date as point, device_id, ${PLAY_TOTALS}
        from ${await selectDaySums(ctx, input)} d group by 1, 2),
      s as (select point, sum(plays) as plays, sum(failed) as failed, sum(ms) as ms,
        count(*) filter (where plays > 0) as screens from p group by 1)
    select greatest(g::date, ${startDate}::date)::text as "from",
      least((g + interval '1 ${sql.raw(unit)}' - interval '1 day')::date, ${endDate}::date)::text as "to", null::int as hour,
      coalesce(plays, 0)::float8 as plays, coalesce(failed, 0)::float8 as failed, coalesce(ms, 0)::float8 as ms,
      coalesce(screens, 0)::int as screens
    from generate_series(date_trunc(${step}, ${startDate}::timestamp), ${endDate}::timestamp,
      interval '1 ${sql.raw(unit)}') g
    left join s on s.point = g::date order by g`)
  return rows
}

/**
 * Returns 24 points for each past day, and the begun hours of today. The two occurrences of an hour at a clock change
 * are one point.
 */
async function listHourPoints(ctx: Ctx, input: Trend): Promise<Point[]> {
  const { startDate, endDate } = input
  const localNow = formatLocalTime(ctx.now, ctx.services.config.timeZone)
  const { rows } = await ctx.db.execute<Point>(sql`
    with s as (select date, hour, sum(plays) as plays, sum(failed) as failed, sum(ms) as ms
      from ${selectHourSums(ctx, input)} h group by 1, 2)
    select g::date::text as "from", g::date::text as "to", extract(hour from g)::int as hour,
      coalesce(plays, 0)::float8 as plays, coalesce(failed, 0)::float8 as failed, coalesce(ms, 0)::float8 as ms,
      null::int as screens
    from generate_series(${startDate}::timestamp,
      least(${endDate}::timestamp + interval '23 hours', ${localNow}::timestamp), interval '1 hour') g
    left join s on s.date = g::date and s.hour = extract(hour from g) order by g`)
  return rows
}

/** Column by which each ranking groups plays, and the kind of its names in `ad_names`. */
const RECORDS = {
  1: ['ad_id', 1],
  2: ['program_id', 2],
  3: ['device_id', 3],
  4: ['tenant_id', 4],
} as const
const ATTRIBUTES = { 5: 'advertiser', 6: 'contractNo' } as const satisfies Record<number, AdAttribute>

/**
 * Row of a ranking. `value` is the filter for a serial number or an ad attribute; `id` is the filter for other rows.
 */
interface Rank extends Record<string, unknown> {
  id: number
  name: string
  value: string | null
  plays: number
  ms: number
}

export async function listRanking(ctx: Ctx, input: ParsedOf<typeof calls.rank>) {
  const { by } = input
  if (by === 5 || by === 6) return { list: await rankAdAttribute(ctx, input, ATTRIBUTES[by]) }
  const [column, kind] = RECORDS[by]
  const { rows } = await ctx.db.execute<Rank>(sql`
    with s as (${selectTop(sql.raw(column), sql`${await selectDaySums(ctx, input)} d`)})
    select s.key as id, ${DISPLAY_NAME_SQL} as name, ${kind === 3 ? sql`n.name` : sql`null`} as value, s.plays, s.ms
    from s ${buildNameJoin(kind, sql`s.key`)} order by s.plays desc, s.key`)
  return { list: rows }
}

const selectTop = (key: SQL, from: SQL) => sql`select ${key} as key, ${PLAY_TOTALS} from ${from}
  group by 1 having sum(plays + untrusted) > 0 order by 2 desc, 1 limit ${TOP}`

async function rankAdAttribute(ctx: Ctx, input: ParsedOf<typeof calls.rank>, attribute: AdAttribute) {
  const { rows } = await ctx.db.execute<{ key: string; plays: number; ms: number }>(sql`
    with p as (select ad_id, sum(plays) as plays, sum(complete) as complete, sum(partial) as partial, sum(failed) as failed,
      sum(untrusted) as untrusted, sum(ms) as ms from ${await selectDaySums(ctx, input)} d group by 1)
    select key, plays, ms
    from (${selectTop(sql`f.key`, sql`p join (${selectAdAttributeKeys(ctx.user, attribute)}) f using (ad_id)`)}) s`)
  return rows.map(({ key, ...figures }) => ({ id: 0, ...nameAdAttribute(attribute, key), ...figures }))
}
