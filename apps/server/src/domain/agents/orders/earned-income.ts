import { GRANT_STATE_CODE, GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { visibleOrders } from './visible-orders.ts'

export interface IncomePeriod {
  readonly startDate: string
  readonly endDate: string
}

/** Form of the income rows: `isByTarget` splits orders by target, `isByDay` splits unlimited grants by day. */
export interface IncomeDetail {
  readonly isByTarget: boolean
  readonly isByDay: boolean
}

/**
 * Paid orders with the value of a grant: the amount of the order divided by targets, copies and allowances. Excludes
 * gifts and free orders.
 */
const priced = (user: User) => sql`
  priced as (
    select agent_orders.id, agent_orders.tenant_id, agent_orders.package_id, v.scope, target_count, agent_orders.amount, refunded,
      pay_time, r.audit_time as refund_time,
      agent_orders.amount::numeric / (target_count * copies * jsonb_array_length(v.allowances)) as value
    from agent_orders join agent_product_versions v on v.id = package_version_id
    left join agent_order_refunds r on r.order_id = agent_orders.id and r.state = 1
    where pay_time is not null and agent_orders.amount > 0 and ${visibleOrders(user) ?? sql`true`})`

/** Orders, or targets of orders with an equal share of the amounts of their order. */
const shares = (isByTarget: boolean) =>
  isByTarget
    ? sql`shares as (
        select p.id, p.tenant_id, p.package_id, p.scope, t.target_id, p.amount::numeric / p.target_count as amount,
          p.refunded::numeric / p.target_count as refunded, p.pay_time, p.refund_time
        from priced p join agent_order_targets t on t.order_id = p.id)`
    : sql`shares as (
        select id, tenant_id, package_id, scope, null::int as target_id, amount::numeric as amount, refunded::numeric as refunded,
          pay_time, refund_time from priced)`

const TARGET = sql.raw('tenant_id, package_id, scope, target_id')

/**
 * Income of the ledger lines by grant and day: the share of the issued amount that was spent or lapsed. Paid amounts
 * are spent before amounts that an adjustment added. An amount that an adjustment removed counts as spent.
 */
const LINES = sql.raw(`
  adjusted as materialized (select distinct grant_id from agent_ledger where kind = ${GRANT_LEDGER_CODE.adjust}),
  balances as materialized (
    select g.id, l.day, g.total - g.adjusted as issued,
      least(g.total - g.adjusted,
        coalesce(sum(sum(l.amount) filter (where l.kind in (${GRANT_LEDGER_CODE.spend}, ${GRANT_LEDGER_CODE.lapse}))) over days, 0)
        + greatest(0, -coalesce(sum(sum(l.amount) filter (where l.kind = ${GRANT_LEDGER_CODE.adjust})) over days, 0))) as earned
    from adjusted a join agent_grants g on g.id = a.grant_id join agent_ledger l on l.grant_id = g.id
    group by g.id, l.day window days as (partition by g.id order by l.day)),
  lines as not materialized (
    select p.id, p.tenant_id, p.package_id, p.scope, g.target_id, l.day, p.value * l.amount / g.total as income
    from agent_ledger l join agent_grants g on g.id = l.grant_id and g.is_unlimited = 0 join priced p on p.id = l.order_id
    where l.kind in (${GRANT_LEDGER_CODE.spend}, ${GRANT_LEDGER_CODE.lapse}) and l.grant_id not in (select grant_id from adjusted)
    union all select p.id, p.tenant_id, p.package_id, p.scope, g.target_id, b.day,
      p.value * (b.earned - lag(b.earned, 1, 0::numeric) over (partition by b.id order by b.day)) / b.issued
    from balances b join agent_grants g on g.id = b.id join priced p on p.id = g.order_id)`)

/**
 * Unlimited grants with the time over which their value becomes income, from the begin to the end. The value of a grant
 * that lapsed unused becomes income in the last second of its window. `c`: end, or time of the refund.
 */
const UNLIMITED = sql.raw(`
  unlimited as (
    select p.id, p.tenant_id, p.package_id, p.scope, g.target_id, p.value, t.b, t.e, least(t.e, p.refund_time) as c
    from agent_grants g join priced p on p.id = g.order_id
    cross join lateral (select coalesce(g.begin_time, g.activate_until - interval '1 second') as b,
      case when g.begin_time is null then g.activate_until else g.valid_until end as e) t
    where g.is_unlimited = 1 and (g.begin_time is not null or g.state = ${GRANT_STATE_CODE.lapsed}))`)

/** Returns the share of an unlimited grant that becomes income between two times. */
const earnedShare = (from: SQL, to: SQL) => sql`
  greatest(0, extract(epoch from least(c, ${to}) - greatest(b, ${from})) / extract(epoch from e - b))`

function unlimitedRows(from: SQL, to: SQL, isByDay: boolean) {
  const inPeriod = sql`b < ${to} and c > ${from}`
  if (!isByDay)
    return sql`select ${TARGET}, null::date, 0::numeric, value * ${earnedShare(from, to)} from unlimited where ${inPeriod}`
  const [begin, end] = [sql`d::date::timestamptz`, sql`(d::date + 1)::timestamptz`]
  return sql`select ${TARGET}, d::date, 0::numeric, value * ${earnedShare(begin, end)} from unlimited
    cross join lateral generate_series(greatest(b, ${from})::date::timestamp, (least(c, ${to}) - interval '1 microsecond')::date::timestamp,
      interval '1 day') d where ${inPeriod}`
}

/** Returns the parts of a WITH query that `buildIncomeQuery` reads. */
export const buildIncomeCtes = (user: User, { isByTarget }: IncomeDetail) =>
  sql`${priced(user)}, ${shares(isByTarget)}, ${LINES}, ${UNLIMITED}`

/**
 * Returns rows (tenant_id, package_id, scope, target_id, day, received, income) of a period. On the day of its approval,
 * a refund corrects the income of the order to the amount that the vendor keeps.
 */
export function buildIncomeQuery({ startDate, endDate }: IncomePeriod, { isByTarget, isByDay }: IncomeDetail) {
  const from = sql`${startDate}::date::timestamptz`
  const to = sql`(${endDate}::date + 1)::timestamptz`
  const inRange = (column: SQL) => sql`${column} >= ${from} and ${column} < ${to}`
  const ofShare = isByTarget ? sql`l.id = s.id and l.target_id = s.target_id` : sql`l.id = s.id`
  return sql`
    select ${TARGET}, pay_time::date as day, amount as received, 0::numeric as income from shares where ${inRange(sql`pay_time`)}
    union all select ${TARGET}, refund_time::date, -refunded, amount - refunded
      - coalesce((select sum(l.income) from lines l where ${ofShare}), 0)
      - coalesce((select sum(l.value * ${earnedShare(sql`b`, sql`e`)}) from unlimited l where ${ofShare}), 0)
      from shares s where ${inRange(sql`refund_time`)}
    union all select ${TARGET}, day, 0, income from lines where day between ${startDate}::date and ${endDate}::date
    union all ${unlimitedRows(from, to, isByDay)}`
}
