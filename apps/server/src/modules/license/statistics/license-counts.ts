import { sql } from 'drizzle-orm'
import { licenseCounts } from '../schema.ts'

const { n, state } = licenseCounts
const of = (value: number) =>
  sql<number>`coalesce(sum(${n}) filter (where ${state} = ${sql.raw(String(value))}), 0)::int`

/** Sums of `license_counts` by state, selectable in any grouped query. */
export const LICENSE_STATE_SUMS = {
  total: sql<number>`coalesce(sum(${n}), 0)::int`,
  stock: of(0),
  allotted: of(1),
  bound: of(2),
  activated: of(3),
  suspended: of(4),
  expired: of(5),
  scrapped: of(6),
}

/**
 * Activation rate in percent with one decimal: activated certificates among those that tenants hold. A suspended or
 * expired certificate is not activated, as in the list of the state 已激活.
 */
export const ACTIVATION_RATE = sql<number>`coalesce(round(100.0 * sum(${n}) filter (where ${state} = 3)
  / nullif(sum(${n}) filter (where ${state} <> 0), 0), 2), 0)::float8`
export type StateCounts = { readonly [K in keyof typeof LICENSE_STATE_SUMS]: number }

export const ZERO_STATE_COUNTS: StateCounts = {
  total: 0,
  stock: 0,
  allotted: 0,
  bound: 0,
  activated: 0,
  suspended: 0,
  expired: 0,
  scrapped: 0,
}

/** Returns only the count columns of a row. */
export const extractStateCounts = ({
  total,
  stock,
  allotted,
  bound,
  activated,
  suspended,
  expired,
  scrapped,
}: StateCounts) => ({
  total,
  stock,
  allotted,
  bound,
  activated,
  suspended,
  expired,
  scrapped,
})
