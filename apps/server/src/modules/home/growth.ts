import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Number of days of the line of a figure, today last. */
export const LINE_DAYS = 30

/** Start of the first of the last days. */
export const firstDay = (days: number) => sql`date_trunc('day', now()) - make_interval(days => ${days - 1})`

/** Returns one row for each day up to today. `counted` selects `at`, the start of a day, and `n`. */
export async function readByDay<T extends number | null>(db: Db, days: number, counted: SQL, none: SQL) {
  const { rows } = await db.execute<{ day: string; value: T }>(sql`
    with found as (${counted})
    select to_char(d, 'YYYY-MM-DD') as day, coalesce(n, ${none})::float8 as value
    from generate_series(${firstDay(days)}, date_trunc('day', now()), '1 day') d
    left join found on found.at = d order by d`)
  return rows
}

/**
 * Returns the line of a total, with its value at the end of each day, and the value before the first day. `changes`
 * selects `at`, the start of a day, and `n`, the change of the total on this day.
 */
export async function readGrowth(db: Db, total: number, changes: SQL) {
  const days = await readByDay<number>(db, LINE_DAYS, changes, sql`0`)
  let value = total
  const trend = days.toReversed().map((change) => {
    const point = { day: change.day, value }
    value -= change.value
    return point
  })
  return { trend: trend.toReversed(), before: value, beforeTitle: `${LINE_DAYS} 天前` }
}

/** Selects the rows that a table got on each of the days of a line. `condition` limits the rows. */
export const selectCreatedByDay = (table: SQL, time: SQL, condition: SQL | undefined) => sql`
  select date_trunc('day', ${time}) as at, count(*)::int as n from ${table}
  where ${condition ?? sql`true`} and ${time} >= ${firstDay(LINE_DAYS)} group by 1`
