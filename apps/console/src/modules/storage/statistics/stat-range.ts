import { formatDayBeforeToday } from '#core/text/format.ts'
import { entitlementListPath } from '../entitlements/entitlement.tsx'

/** Days and tenant of the statistics. */
export interface StatRange {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number
}

/** Returns the range of the URL. The default is the last 30 days. */
export const parseRange = (params: URLSearchParams, now = new Date()): StatRange => ({
  startDate: params.get('startDate') ?? formatDayBeforeToday(29, now),
  endDate: params.get('endDate') ?? formatDayBeforeToday(0, now),
  ...(params.get('tenantId') && { tenantId: Number(params.get('tenantId')) }),
})

/** Text of a panel without sales in the range. */
export const NO_SALES_TEXT = '这段时间没有开通记录'

/** Flows of entitlements: the values of the list filter `flow`. */
export const FLOW_KIND = { opened: 1, renewed: 2, expired: 3, sold: 9 } as const

/** Returns the path of the list with the entitlements of a flow. */
export const flowPath = (
  { startDate, endDate, tenantId }: StatRange,
  flow: number,
  more: Readonly<Record<string, number>> = {},
) => entitlementListPath({ tenantId, flow, flowBegin: startDate, flowEnd: endDate, ...more })

/** Returns the path of the list with the last entitlements of the queues that end within these days. */
export const queueEndPath = (tenantId: number | undefined, begin: string, end: string) =>
  entitlementListPath({ tenantId, queueEndBegin: begin, queueEndEnd: end })

/** Returns the day some days after a day: `2026-11-20`. */
export function addDays(day: string, days: number) {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
