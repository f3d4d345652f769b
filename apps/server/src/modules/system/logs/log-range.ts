import { LOG_MAX_DAYS, findLogRangeProblem } from '@oms/contract/system/log.ts'
import { type Column, gte, lte, type SQL, sql } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'

interface Asked {
  beginTime?: string | undefined
  endTime?: string | undefined
}

/**
 * Returns the time range of a log query, so that only its partitions are read: by default the last `days`, at most
 * 366 days.
 */
export function buildLogRange(column: Column, { beginTime: begin, endTime: end }: Asked, days: number): SQL[] {
  const problem = findLogRangeProblem(begin, end)
  if (problem) throw invalid(problem, 'endTime')
  if (begin && end) return [gte(column, begin), lte(column, lastOf(end))]
  const most = sql`make_interval(days => ${LOG_MAX_DAYS}::int)`
  if (begin) return [gte(column, begin), lte(column, sql`${begin}::timestamptz + ${most}`)]
  if (end) return [gte(column, sql`${lastOf(end)}::timestamptz - ${most}`), lte(column, lastOf(end))]
  return [gte(column, sql`date_trunc('day', now()) - make_interval(days => ${days - 1}::int)`)]
}

/** Returns the end of the range. A date without a time means the end of the day. */
const lastOf = (end: string) => (end.length === 10 ? `${end} 23:59:59.999` : `${end}.999`)
