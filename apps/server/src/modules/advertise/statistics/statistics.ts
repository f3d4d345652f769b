import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { adRejects } from '../schema-play.ts'
import { adScreenPeriods } from '../schema-screen.ts'
import {
  buildDayStart,
  selectDaySums,
  selectHourSums,
  EXPOSURE_SQL,
  buildScreenCondition,
  PLAY_TOTALS,
  type PlayTotals,
} from './statistics-source.ts'

type InRange = ParsedOf<typeof calls.summary>
const WEEK_HOURS = 168

export interface Totals extends PlayTotals, Record<string, unknown> {
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
