import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { adRejects } from '#schema/advertise-play.ts'
import { adScreens } from '#schema/advertise-screen.ts'
import {
  selectDaySums,
  selectHourSums,
  JOIN_AUDIENCE_FACTOR,
  buildNameJoin,
  buildScreenCondition,
  DISPLAY_NAME_SQL,
  PLAY_TOTALS,
  type PlayTotals,
} from './statistics-source.ts'

type InRange = ParsedOf<typeof calls.summary>
const TOP = 10
const WEEK_HOURS = 168

export interface Totals extends PlayTotals, Record<string, unknown> {
  screens: number
  exposure: number
  first: number | null
  last: number | null
}

/** Adds up all plays of a filter. Only screens with a play are counted. */
export async function sumPlays(ctx: Ctx, input: InRange): Promise<Totals> {
  const { rows } = await ctx.db.execute<Totals>(sql`
    with p as (select device_id, ${PLAY_TOTALS}, min(first_start) as first, max(last_end) as last
      from ${await selectDaySums(ctx, input)} d group by 1)
    select coalesce(sum(plays), 0)::float8 as plays, coalesce(sum(complete), 0)::float8 as complete,
      coalesce(sum(partial), 0)::float8 as partial, coalesce(sum(failed), 0)::float8 as failed,
      coalesce(sum(untrusted), 0)::float8 as untrusted, coalesce(sum(ms), 0)::float8 as ms,
      count(*) filter (where plays > 0)::int as screens,
      coalesce(round(sum(plays * coalesce(f.audience_factor, 1))::numeric), 0)::float8 as exposure,
      min(first)::float8 as first, max(last)::float8 as last
    from p ${JOIN_AUDIENCE_FACTOR}`)
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

/** Counts the screens that a filter covers: those of the published program, or all paired screens. */
async function coveredScreens({ db, user }: Ctx, input: InRange): Promise<number> {
  if (input.programId !== undefined) {
    const { rows } = await db.execute<{ n: number }>(sql`
      select coalesce(max(screens), 0)::int as n from ad_program_versions
      where program_id = ${input.programId} and state in (2, 3)
        and ver_no = (select max(ver_no) from ad_program_versions where program_id = ${input.programId} and state in (2, 3))`)
    return rows[0]!.n
  }
  return db.$count(
    adScreens,
    and(
      scoped(user, { tenant: adScreens.tenantId, creator: adScreens.createBy }),
      input.tenantId === undefined ? undefined : eq(adScreens.tenantId, input.tenantId),
      await buildScreenCondition(db, user, input),
    ),
  )
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

const STEPS = { 1: 'day', 2: 'week', 3: 'month' } as const
interface Point extends Record<string, unknown> {
  from: string
  to: string
  plays: number
  failed: number
  ms: number
  screens: number
}

export async function getTrend(ctx: Ctx, input: ParsedOf<typeof calls.trend>) {
  const { startDate, endDate } = input
  const step = sql.raw(`'${STEPS[input.interval]}'`)
  const { rows } = await ctx.db.execute<Point>(sql`
    with p as (select date_trunc(${step}, day)::date as point, device_id, ${PLAY_TOTALS}
        from ${await selectDaySums(ctx, input)} d group by 1, 2),
      s as (select point, sum(plays) as plays, sum(failed) as failed, sum(ms) as ms,
        count(*) filter (where plays > 0) as screens from p group by 1)
    select greatest(g::date, ${startDate}::date)::text as "from",
      least((g + interval '1 ${sql.raw(STEPS[input.interval])}' - interval '1 day')::date, ${endDate}::date)::text as "to",
      coalesce(plays, 0)::float8 as plays, coalesce(failed, 0)::float8 as failed, coalesce(ms, 0)::float8 as ms,
      coalesce(screens, 0)::int as screens
    from generate_series(date_trunc(${step}, ${startDate}::timestamp), ${endDate}::timestamp,
      interval '1 ${sql.raw(STEPS[input.interval])}') g
    left join s on s.point = g::date order by g`)
  return { points: rows }
}

/** Grouped column of each ranking, and the kind of its names in `ad_names`. */
const RANKS = {
  1: ['ad_id', 1],
  2: ['program_id', 2],
  3: ['device_id', 3],
  4: ['tenant_id', 4],
} as const

interface Rank extends Record<string, unknown> {
  id: number
  name: string
  sn: string | null
  plays: number
  ms: number
}

export async function listRanking(ctx: Ctx, input: ParsedOf<typeof calls.rank>) {
  const [column, kind] = RANKS[input.by]
  const { rows } = await ctx.db.execute<Rank>(sql`
    with s as (select ${sql.raw(column)} as id, ${PLAY_TOTALS} from ${await selectDaySums(ctx, input)} d
      group by 1 having sum(plays + untrusted) > 0 order by 2 desc, 1 limit ${TOP})
    select s.id, ${DISPLAY_NAME_SQL} as name, ${kind === 3 ? sql`n.name` : sql`null`} as sn, s.plays, s.ms
    from s ${buildNameJoin(kind, sql`s.id`)} order by s.plays desc, s.id`)
  return { list: rows }
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
