import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { and, desc, eq, gt, inArray, sql } from 'drizzle-orm'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { adPrograms, adProgramVersions } from '#schema/advertise.ts'
import { sumBookedPlays, countDueDays, sumPlays } from '../programs/booking.ts'
import { DISPLAY_NAME_SQL } from './statistics-source.ts'

type Query = ParsedOf<typeof calls.completion>

const COLUMNS = {
  programId: adPrograms.id,
  programName: sql<string>`(select ${DISPLAY_NAME_SQL} from ad_names n where n.kind = 2 and n.id = ${adPrograms.id})`,
  tenantName: sql<string>`(select ${DISPLAY_NAME_SQL} from ad_names n where n.kind = 4 and n.id = ${adPrograms.tenantId})`,
  dateFrom: sql<string>`${adProgramVersions.body} ->> 'dateFrom'`,
  dateTo: sql<string>`${adProgramVersions.body} ->> 'dateTo'`,
  weekdays: sql<number>`(${adProgramVersions.body} ->> 'weekdays')::int`,
  bookedPlays: adProgramVersions.bookedPlays,
  bookedPer: adProgramVersions.bookedPer,
  screens: adProgramVersions.screens,
}

/** Lists booked programs whose published dates overlap the range, with the plays of their whole booking. */
export async function listBookingCompletion(ctx: Ctx, input: Query) {
  const { db, user, now, services } = ctx
  const conditions = and(
    scoped(user, { tenant: adPrograms.tenantId, creator: adPrograms.createBy }),
    gt(adProgramVersions.bookedPlays, 0),
    inArray(adProgramVersions.state, [2, 3]),
    sql`${adProgramVersions.verNo} = (select max(v.ver_no) from ad_program_versions v
      where v.program_id = ${adPrograms.id} and v.state in (2, 3))`,
    sql`${COLUMNS.dateFrom} <= ${input.endDate} and ${COLUMNS.dateTo} >= ${input.startDate}`,
    input.tenantId === undefined ? undefined : eq(adPrograms.tenantId, input.tenantId),
    input.programId === undefined ? undefined : eq(adPrograms.id, input.programId),
  )
  const query = db
    .select({ ...COLUMNS, total: sql<number>`count(*) over ()::int` })
    .from(adPrograms)
    .innerJoin(adProgramVersions, eq(adProgramVersions.programId, adPrograms.id))
    .where(conditions)
  const rows = await query
    .orderBy(desc(COLUMNS.dateTo), desc(adPrograms.id))
    .limit(input.pageSize)
    .offset(computePageOffset(input))
  const played = await sumPlays(ctx, rows)
  const today = formatLocalDay(now, services.config.timeZone)
  return {
    list: rows.map(({ total: _total, weekdays, bookedPlays, bookedPer, screens, ...row }) => {
      const days = countDueDays(row.dateFrom, row.dateTo, weekdays)
      const booked = sumBookedPlays({ ...row, weekdays, bookedPlays, bookedPer }, screens)
      const done = countDueDays(row.dateFrom, row.dateTo < today ? row.dateTo : addDays(today, -1), weekdays)
      const due = days === 0 ? 0 : Math.floor((booked * done) / days)
      const count = played.get(row.programId) ?? 0
      const rate = computePercentage(count, booked) ?? 0
      const state = computeBookingState({ ...row, booked, due, count, today })
      return { ...row, booked, played: count, due, rate, state }
    }),
    total: rows[0]?.total ?? 0,
  }
}

interface Progress {
  readonly dateFrom: string
  readonly dateTo: string
  readonly booked: number
  readonly due: number
  readonly count: number
  readonly today: string
}

/** Returns the state of a booking as `AD_BOOKING_STATE` names it. */
export function computeBookingState({ dateFrom, dateTo, booked, due, count, today }: Progress): number {
  if (count >= booked) return 3
  if (today > dateTo) return 4
  if (today < dateFrom) return 0
  return count >= due ? 1 : 2
}
