import { computeWeekdayBit, parseDay } from '@oms/contract/ad-engine/dates.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { adPlayDays, adPlayFresh } from '#schema/advertise-play.ts'

const PER_SCREEN_AND_DAY = 2
const WEEK = 7

interface Booking {
  readonly dateFrom: string
  readonly dateTo: string
  readonly weekdays: number
  readonly bookedPlays: number
  readonly bookedPer: number
}

/** Returns the sum of the booked plays of all screens and days. */
export function sumBookedPlays(
  { dateFrom, dateTo, weekdays, bookedPlays, bookedPer }: Booking,
  screens: number,
): number {
  if (bookedPer !== PER_SCREEN_AND_DAY) return bookedPlays
  return bookedPlays * Math.max(1, screens) * countDueDays(dateFrom, dateTo, weekdays)
}

/** Counts the due days of a program from one day to another, both included; `weekdays` is a bit mask from Monday. */
export function countDueDays(from: string, to: string, weekdays: number): number {
  const first = parseDay(from)
  const count = Math.max(0, parseDay(to) - first + 1)
  const isDue = (_: unknown, at: number) => (weekdays & computeWeekdayBit(first + at)) > 0
  const perWeek = Array.from({ length: WEEK }).filter(isDue).length
  return Math.floor(count / WEEK) * perWeek + Array.from({ length: count % WEEK }).filter(isDue).length
}

/**
 * Adds up the plays of each program on the screens that the account may see. The range ends with the day after the
 * last date, because a daypart may end on that day.
 */
export async function sumPlays(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  rows: readonly { readonly programId: number; readonly dateFrom: string; readonly dateTo: string }[],
) {
  if (rows.length === 0) return new Map<number, number>()
  const bookings = JSON.stringify(
    rows.map(({ programId, dateFrom, dateTo }) => ({ id: programId, first: dateFrom, last: dateTo })),
  )
  const part = (table: typeof adPlayDays | typeof adPlayFresh) => sql`
    select b.id, ${table.plays} + ${table.untrusted} as plays from booking b
    join ${table} on ${table.programId} = b.id and ${table.day} between b.first and b.last + 1
    where ${scoped(user, { tenant: table.tenantId }) ?? sql`true`}`
  const { rows: sums } = await db.execute<{ id: number; plays: number }>(sql`
    with booking as (select * from json_to_recordset(${bookings}) as b (id int, first date, last date))
    select id, sum(plays)::float8 as plays from (${part(adPlayDays)} union all ${part(adPlayFresh)}) d group by 1`)
  return new Map(sums.map(({ id, plays }) => [id, plays]))
}
