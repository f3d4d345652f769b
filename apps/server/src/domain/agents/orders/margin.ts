import { GRANT, LEDGER } from '@oms/contract/agent/orders/order-grant.ts'
import { MARGIN_BY, type MarginFigures, type MarginRow } from '@oms/contract/agent/orders/order-margin.ts'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { agentUsage } from '#schema/agent/agent-usage.ts'
import { visibleOrders } from './visible-orders.ts'

export interface MarginFilter {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number | undefined
  readonly packageId?: number | undefined
}

/**
 * Paid orders with the value of a grant: the amount of the order divided by targets, copies and allowances. Excludes
 * gifts and free orders.
 */
const priced = (user: User) => sql`
  priced as (
    select agent_orders.id, agent_orders.tenant_id, agent_orders.package_id, agent_orders.amount, refunded, pay_time,
      r.audit_time as refund_time, agent_orders.amount::numeric / (target_count * copies * jsonb_array_length(v.allowances)) as value
    from agent_orders join agent_product_versions v on v.id = package_version_id
    left join agent_order_refunds r on r.order_id = agent_orders.id and r.state = 1
    where pay_time is not null and agent_orders.amount > 0 and ${visibleOrders(user) ?? sql`true`})`

/**
 * Unlimited grants with the time over which their value becomes income, from the begin to the end. The value of a grant
 * that lapsed unused becomes income in the last second of its window. `c`: end, or time of the refund.
 */
const UNLIMITED = sql.raw(`
  unlimited as (
    select p.id, p.tenant_id, p.package_id, p.value, t.b, t.e, least(t.e, p.refund_time) as c
    from agent_grants g join priced p on p.id = g.order_id
    cross join lateral (select coalesce(g.begin_time, g.activate_until - interval '1 second') as b,
      case when g.begin_time is null then g.activate_until else g.valid_until end as e) t
    where g.is_unlimited = 1 and (g.begin_time is not null or g.state = ${GRANT.lapsed}))`)

/** Returns the share of an unlimited grant that becomes income between two times. */
const earnedShare = (from: SQL, to: SQL) => sql`
  greatest(0, extract(epoch from least(c, ${to}) - greatest(b, ${from})) / extract(epoch from e - b))`

/** Ledger lines that become income: spent and lapsed amounts. */
const LINES = sql.raw(`agent_ledger l join agent_grants g on g.id = l.grant_id and g.is_unlimited = 0
  join priced p on p.id = l.order_id and l.kind in (${LEDGER.spend}, ${LEDGER.lapse})`)

/**
 * Returns rows (tenant, package, received, income) of the orders. On the day of its approval, a refund corrects the
 * income of the order to the amount that the vendor keeps.
 */
function orderRows({ startDate, endDate }: MarginFilter) {
  const from = sql`${startDate}::date::timestamptz`
  const to = sql`(${endDate}::date + 1)::timestamptz`
  const inRange = (column: SQL) => sql`${column} >= ${from} and ${column} < ${to}`
  const always = earnedShare(sql`b`, sql`e`)
  return sql`
    select tenant_id, package_id, amount::numeric as received, 0::numeric as income from priced where ${inRange(sql`pay_time`)}
    union all select tenant_id, package_id, -refunded, amount - refunded
      - coalesce((select sum(p.value * l.amount / g.total) from ${LINES} where l.order_id = o.id), 0)
      - coalesce((select sum(u.value * ${always}) from unlimited u where u.id = o.id), 0)
      from priced o where ${inRange(sql`refund_time`)}
    union all select p.tenant_id, p.package_id, 0, p.value * l.amount / g.total
      from ${LINES} where l.day between ${startDate}::date and ${endDate}::date
    union all select tenant_id, package_id, 0, value * ${earnedShare(from, to)} from unlimited where b < ${to} and c > ${from}`
}

/**
 * Returns rows (tenant, package, cost) of the measured use. The cost of a device on a day belongs to the package that
 * ran for the device on that day. Among several packages, the earliest end decides, then device before agent before
 * tenant. Other cost has the package 0.
 */
function costRows(user: User, { startDate, endDate }: MarginFilter) {
  return sql`
    used as (
      select row_number() over () as no, * from (
        select day, tenant_id, agent_id, case when source = ${USAGE_SOURCE.device} then device_id else 0 end as device_id,
          sum(cost) as cost, bool_or(is_estimate = 1) as is_estimate
        from agent_usage where cost <> 0 and day between ${startDate}::date and ${endDate}::date
          and ${scoped(user, { tenant: agentUsage.tenantId }) ?? sql`true`}
        group by 1, 2, 3, 4) u),
    packs as (
      select distinct g.scope, g.target_id, o.package_id, g.begin_time::date as first, g.valid_until::date as last, g.valid_until
      from agent_grants g join agent_orders o on o.id = g.order_id
      where g.begin_time < (${endDate}::date + 1)::timestamptz and g.valid_until >= ${startDate}::date::timestamptz),
    covers as (
      select distinct on (no) no, package_id from (
        select u.no, g.* from used u join packs g on g.scope = 1 and g.target_id = u.device_id and u.day between first and last
        union all select u.no, g.* from used u join packs g on g.scope = 2 and g.target_id = u.agent_id
          and u.day between first and last where u.device_id > 0
        union all select u.no, g.* from used u join packs g on g.scope = 3 and g.target_id = u.tenant_id
          and u.day between first and last where u.device_id > 0) c
      order by no, valid_until, scope, package_id),
    costs as (
      select tenant_id, coalesce(package_id, 0) as package_id, cost, is_estimate from used left join covers using (no))`
}

const NAMES = {
  [MARGIN_BY.tenant]: { column: sql`tenant_id`, name: sql`(select name from tenants t where t.id = g.id)` },
  [MARGIN_BY.package]: {
    column: sql`package_id`,
    name: sql`(select package_name from agent_products t where t.id = g.id)`,
  },
} as const

export interface MarginPage {
  readonly order: SQL
  readonly limit: number
  readonly offset: number
}
interface Answer extends Record<string, unknown> {
  readonly list: MarginRow[]
  readonly sums: MarginFigures
  readonly total: number
}

const FIGURES = sql.raw(`coalesce(sum(received), 0)::float8 as received, coalesce(sum(income), 0)::float8 as income,
  coalesce(sum(cost), 0)::float8 as cost, coalesce(sum(income) - sum(cost), 0)::float8 as margin,
  coalesce(bool_or(has_estimates), false) as "hasEstimates"`)

/** Returns a page of income and cost by tenant or package, with the sums over all pages. */
export async function readMargins(
  db: Db,
  user: User,
  by: keyof typeof NAMES,
  filter: MarginFilter,
  page: MarginPage,
): Promise<Answer> {
  const { column, name } = NAMES[by]
  const { tenantId, packageId } = filter
  const { rows } = await db.execute<Answer>(sql`
    with ${priced(user)}, ${UNLIMITED}, ${costRows(user, filter)},
    both_sides as (
      select tenant_id, package_id, received, income, 0::numeric as cost, false as has_estimates from (${orderRows(filter)}) o
      union all select tenant_id, package_id, 0, 0, cost, is_estimate from costs),
    kept as (select ${column} as id, received, income, cost, has_estimates from both_sides
      where ${tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`}
        and ${packageId === undefined ? sql`true` : sql`package_id = ${packageId}`}),
    g as (select id, ${FIGURES} from kept group by id),
    page as (select g.*, coalesce(${name}, '') as name from g order by ${page.order}, id limit ${page.limit} offset ${page.offset})
    select coalesce((select json_agg(page) from page), '[]') as list, (select to_json(s) from (select ${FIGURES} from kept) s) as sums,
      (select count(*)::int from g) as total`)
  return rows[0]!
}
