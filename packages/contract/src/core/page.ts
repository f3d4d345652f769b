import * as z from 'zod'
import { asWholeNumber } from './fields.ts'

export const PAGE_SIZES = [10, 20, 30, 50] as const
export const DEFAULT_PAGE_SIZE = 20
/** Maximum rows per page of any list; screens offer up to 50. */
export const MAX_PAGE_SIZE = 200
/**
 * Maximum rows reachable by paging. Totals up to this limit are exact, except for searches by part of a serial
 * number.
 */
export const MAX_ROWS = 10_000

/** The two paging fields of every list; text from the query is converted to numbers. */
export const pageQuery = z.object({
  pageNum: asWholeNumber(z.int('页码不正确').min(1, '页码不正确').max(100_000, '页码不正确')).default(1),
  pageSize: asWholeNumber(
    z.int('每页条数不正确').min(1, '每页条数不正确').max(MAX_PAGE_SIZE, `每页最多${MAX_PAGE_SIZE}条`),
  ).default(DEFAULT_PAGE_SIZE),
})

/** Paging with sorting by a closed set of columns. `orderByColumn` is one of `columns`; `isAsc` is `asc` or `desc`. */
export const sortedPage = <const C extends readonly [string, ...string[]]>(columns: C) =>
  pageQuery.extend({
    orderByColumn: z.enum(columns, '排序字段不正确').optional(),
    isAsc: z.enum(['asc', 'desc'], '排序方向不正确').optional(),
  })

/** A page of rows. `totalIsEstimate` marks an estimated total, as for most totals over 10,000. */
export const createPageSchema = <Row extends z.ZodType>(row: Row) =>
  z.object({ list: z.array(row), total: z.int(), totalIsEstimate: z.boolean().optional() })

/** Start or end of a time range: an existing date or date with time, in the format of the console. */
export const edge = (title: string) =>
  z.string(`${title}格式不正确`).refine(isMoment, `${title}格式不正确`).optional().meta({ title })

/** Returns whether the date exists. PostgreSQL fails on dates such as `2030-02-30`. */
function isMoment(text: string) {
  const [, day = '', clock = ''] = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2}))?$/.exec(text) ?? []
  const at = Date.parse(`${day}T${clock || '00:00:00'}Z`)
  return day >= '1900' && !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/**
 * Time range filter of a list, both ends inclusive: `beginTime` and `endTime` as `yyyy-MM-dd` or `yyyy-MM-dd
 * HH:mm:ss`.
 */
export const timeRange = { beginTime: edge('开始时间'), endTime: edge('结束时间') }
