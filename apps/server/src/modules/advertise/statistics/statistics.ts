import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { and, eq, gt, isNull, lt, or, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { adRejects } from '../schema-play.ts'
import { adScreenPeriods } from '../schema-screen.ts'
import { type AdAttribute, nameAdAttribute, selectAdAttributeKeys } from './statistics-filters.ts'
import {
  buildDayStart,
  selectDaySums,
  selectHourSums,
  EXPOSURE_SQL,
  buildScreenCondition,
  PLAY_TOTALS,
  type PlayTotals,
  buildNameJoin,
  DISPLAY_NAME_SQL,
} from './statistics-source.ts'

type InRange = ParsedOf<typeof calls.summary>
const WEEK_HOURS = 168
const TOP = 10
const BY_HOUR = 0

interface Totals extends PlayTotals, Record<string, unknown> {
  screens: number
  exposure: number
  first: number | null
  last: number | null
}

/** Adds up all plays of a filter. Only screens with a play are counted. */
export async function sumPlays(ctx: Pick<Ctx, 'db' | 'user' | 'services'>, input: InRange): Promise<Totals> {
  const { rows } = await ctx.db.execute<Totals>(sql`
    with p as (select device_id, ${PLAY_TOTALS}, sum(exposure) as exposure, min(first_start) as first, max(last_end) as last
      from ${await selectDaySums(ctx, input)} d group by 1)
    select coalesce(sum(plays), 0)::float8 as plays, coalesce(sum(complete), 0)::float8 as complete,
      coalesce(sum(partial), 0)::float8 as partial, coalesce(sum(failed), 0)::float8 as failed,
      coalesce(sum(untrusted), 0)::float8 as untrusted, coalesce(sum(ms), 0)::float8 as ms,
      count(*) filter (where plays > 0)::int as screens,
      ${EXPOSURE_SQL} as exposure,
      min(first)::float8 as first, max(last)::float8 as last
    from p`)
  return rows[0]!
}

export async function getSummary(ctx: Ctx, input: InRange) {
  const { first: _first, last: _last, ...totals } = await sumPlays(ctx, input)
  const allScreens = Math.max(totals.screens, await coveredScreens(ctx, input))
  return {
    ...totals,
    completeRate: computePercentage(totals.complete, totals.plays - totals.untrusted),
    allScreens,
    deliveryRate: computePercentage(totals.screens, allScreens),
    rejected: await rejectedReports(ctx, input),
  }
}

/**
 * Counts the screens that a filter covers: the screens of the program's newest published version at its publishing;
 * without a program, all screens that were paired on a day of the range.
 */
async function coveredScreens({ db, user, services }: Ctx, input: InRange): Promise<number> {
  if (input.programId !== undefined) {
    const { rows } = await db.execute<{ n: number }>(sql`
      select coalesce(max(screens), 0)::int as n from ad_program_versions
      where program_id = ${input.programId} and state in (2, 3)
        and ver_no = (select max(ver_no) from ad_program_versions where program_id = ${input.programId} and state in (2, 3))`)
    return rows[0]!.n
  }
  const { fromTime, untilTime, tenantId, createBy, deviceId } = adScreenPeriods
  const [row] = await db
    .select({ n: sql<number>`count(distinct ${deviceId})::int` })
    .from(adScreenPeriods)
    .where(
      and(
        lt(fromTime, buildDayStart(input.endDate, 1, services.config.timeZone)),
        or(isNull(untilTime), gt(untilTime, buildDayStart(input.startDate, 0, services.config.timeZone))),
        scoped(user, { tenant: tenantId, creator: createBy }),
        input.tenantId === undefined ? undefined : eq(tenantId, input.tenantId),
        await buildScreenCondition(db, user, input),
      ),
    )
  return row!.n
}

async function rejectedReports({ db, user }: Ctx, input: InRange): Promise<number> {
  const [row] = await db
    .select({ n: sql<number>`coalesce(sum(${adRejects.n}), 0)::float8` })
    .from(adRejects)
    .where(
      and(
        sql`${adRejects.day} between ${input.startDate}::date and ${input.endDate}::date`,
        scoped(user, { tenant: adRejects.tenantId }),
        input.tenantId === undefined ? undefined : eq(adRejects.tenantId, input.tenantId),
        await buildScreenCondition(db, user, input),
      ),
    )
  return row?.n ?? 0
}

export async function getHeatmap(ctx: Ctx, input: InRange) {
  const { sn, groupId, tag } = input
  const { untrusted } = await sumPlays(ctx, input)
  if (sn || groupId !== undefined || tag) return { plays: null, untrusted }
  const { rows } = await ctx.db.execute<{ at: number; plays: number }>(sql`
    select (weekday - 1) * 24 + hour as at, sum(plays)::float8 as plays from ${selectHourSums(ctx, input)} h group by 1`)
  const plays = Array.from({ length: WEEK_HOURS }, () => 0)
  for (const row of rows) plays[row.at] = row.plays
  return { plays, untrusted }
}

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

/** Returns the plays of each day of a period. */
export async function readPlaysByDay(ctx: Ctx, period: Pick<Trend, 'startDate' | 'endDate'>) {
  const points = await listDayPoints(ctx, period as Trend, 'day')
  return points.map(({ from, plays }) => ({ day: from, value: plays }))
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
