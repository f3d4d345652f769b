import * as z from 'zod'
import { day } from './fields.ts'

/** Maximum days of a statistics page: a year and a day. */
const MAX_STAT_DAYS = 366
const DAY_MS = 86_400_000

/** First and last day of statistics. */
export const dayRange = z.object({ startDate: day('开始日期'), endDate: day('结束日期') })

/** Refuses a range that ends before it starts or is longer than a year. */
export const addRangeCheck = <S extends z.ZodType<{ startDate: string; endDate: string }>>(schema: S): S =>
  schema
    .refine(({ startDate, endDate }) => startDate <= endDate, {
      path: ['endDate'],
      message: '结束日期不能早于开始日期',
    })
    .refine(({ startDate, endDate }) => (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS < MAX_STAT_DAYS, {
      path: ['endDate'],
      message: `统计范围不能超过 ${MAX_STAT_DAYS} 天`,
    })
