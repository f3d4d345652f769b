import { INCOME_GROUP_CODE, type INCOME_GROUP } from '@oms/contract/agent/orders/order-income.ts'
import type { USAGE_GROUP } from '@oms/contract/agent/usage/usage.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { type ListState, readListState, writeListState } from '#kit/list/list-state.ts'
import { FIGURE_FORMATS } from './usage-cells.tsx'

export type UsageBy = keyof typeof USAGE_GROUP
type IncomeBy = keyof typeof INCOME_GROUP
export type UsageMeasure = keyof typeof FIGURE_FORMATS

/** Filters and groupings of the usage, as the URL contains them. */
export interface UsageState {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number
  readonly source?: number
  readonly measure: UsageMeasure
  readonly by: UsageBy
  readonly incomeBy: IncomeBy
}

const INCOME_GROUPS: readonly IncomeBy[] = Object.values(INCOME_GROUP_CODE)
/** Prefix of the URL parameters with the page and the order of the table with income and cost. */
const INCOME_PREFIX = 'income.'
const LIST_KEYS = ['pageNum', 'pageSize', 'orderByColumn', 'isAsc'] as const

/** Parses the state from the URL. The defaults are the last 30 days, the first figure and the first grouping. */
export function parseUsageState(params: URLSearchParams, groups: readonly UsageBy[], now = new Date()): UsageState {
  const number = (key: string) => Math.trunc(Number(params.get(key))) || 0
  const [tenantId, source] = [number('tenantId'), number('source')]
  const measure = params.get('measure') ?? ''
  return {
    startDate: params.get('startDate') ?? formatDayBeforeToday(29, now),
    endDate: params.get('endDate') ?? formatDayBeforeToday(0, now),
    ...(tenantId > 0 && { tenantId }),
    ...(source > 0 && { source }),
    measure: Object.hasOwn(FIGURE_FORMATS, measure) ? (measure as UsageMeasure) : 'turns',
    by: groups.find((by) => by === number('by')) ?? groups[0]!,
    incomeBy: INCOME_GROUPS.find((by) => by === number('incomeBy')) ?? INCOME_GROUP_CODE.tenant,
  }
}

type Changes = Readonly<Record<string, unknown>>

/**
 * Returns the URL parameters with the changed values and without empty values. Both tables return to page 1 and their
 * default order.
 */
export function changeUsageState(params: URLSearchParams, changes: Changes) {
  const next = new URLSearchParams(params)
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === '') next.delete(key)
    else next.set(key, String(value))
  }
  for (const key of LIST_KEYS) {
    if (key === 'pageSize') continue
    next.delete(key)
    next.delete(INCOME_PREFIX + key)
  }
  return next
}

/** Returns page and order of a table of the panel. */
export function parseTableState(params: URLSearchParams, table: 'usage' | 'income'): ListState {
  const prefix = table === 'income' ? INCOME_PREFIX : ''
  const own = LIST_KEYS.flatMap((key): [string, string][] => {
    const value = params.get(prefix + key)
    return value === null ? [] : [[key, value]]
  })
  return readListState(new URLSearchParams(own))
}

/** Returns the URL with another page or order of a table. */
export function changeTableState(params: URLSearchParams, table: 'usage' | 'income', state: ListState) {
  const prefix = table === 'income' ? INCOME_PREFIX : ''
  const next = new URLSearchParams(params)
  const written = writeListState({ ...state, filters: {} })
  for (const key of LIST_KEYS) {
    const value = written.get(key)
    if (value === null) next.delete(prefix + key)
    else next.set(prefix + key, value)
  }
  return next
}
