import {
  MARGIN_GROUP_CODE,
  type MARGIN_GROUP,
  type MarginFigures,
  type MarginRow,
} from '@oms/contract/agent/orders/order-margin.ts'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import { visibleUse } from '../usage/usage-figures.ts'
import { type IncomeDetail, type IncomePeriod, buildIncomeQuery, buildIncomeCtes } from './earned-income.ts'

export interface MarginFilter extends IncomePeriod {
  readonly tenantId?: number | undefined
  readonly packageId?: number | undefined
}

/**
 * Returns rows (tenant, package, cost) of the measured usage. The cost of a device on a day belongs to the package that
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
          and ${visibleUse(user) ?? sql`true`}
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
      select tenant_id, day, agent_id, device_id, coalesce(package_id, 0) as package_id, cost, is_estimate
      from used left join covers using (no))`
}

/** Id of the device of an income row; 0: a package of an agent or of a customer. */
const DEVICE_OF_ROW = sql.raw('case when scope = 1 then target_id else 0 end')
/**
 * Id of the agent of an income row. The agent of a device is the agent that the device used most on that day, else the
 * agent to which the device is bound.
 */
const AGENT_OF_ROW = sql.raw(`case scope when 2 then target_id when 1 then coalesce(
    (select u.agent_id from agent_usage u where u.device_id = target_id and u.day = o.day and u.source = ${USAGE_SOURCE.device}
      group by u.agent_id order by sum(u.n) desc limit 1),
    (select d.agent_id from agent_devices d where d.device_id = target_id), 0) else 0 end`)
const DAY = sql.raw(`to_char(day, 'YYYYMMDD')::int`)

interface Group {
  /** Id of the group of an income row, and of a cost row. */
  readonly income: SQL
  readonly cost: SQL
  readonly name: SQL
  readonly detail: IncomeDetail
}
const BY_ORDER: IncomeDetail = { isByTarget: false, isByDay: false }
const BY_TARGET: IncomeDetail = { isByTarget: true, isByDay: false }

const GROUPS: Readonly<Record<keyof typeof MARGIN_GROUP, Group>> = {
  [MARGIN_GROUP_CODE.tenant]: {
    income: sql`tenant_id`,
    cost: sql`tenant_id`,
    name: sql`(select name from tenants t where t.id = g.id)`,
    detail: BY_ORDER,
  },
  [MARGIN_GROUP_CODE.package]: {
    income: sql`package_id`,
    cost: sql`package_id`,
    name: sql`(select package_name from agent_products t where t.id = g.id)`,
    detail: BY_ORDER,
  },
  [MARGIN_GROUP_CODE.day]: {
    income: DAY,
    cost: DAY,
    name: sql`to_char(to_date(g.id::text, 'YYYYMMDD'), 'YYYY-MM-DD')`,
    detail: { isByTarget: false, isByDay: true },
  },
  [MARGIN_GROUP_CODE.agent]: {
    income: AGENT_OF_ROW,
    cost: sql`agent_id`,
    name: sql`(select agent_name from agents t where t.id = g.id)`,
    // The agent of a device may change from day to day.
    detail: { isByTarget: true, isByDay: true },
  },
  [MARGIN_GROUP_CODE.device]: {
    income: DEVICE_OF_ROW,
    cost: sql`device_id`,
    name: sql`(select coalesce(nullif(b.alias, ''), nullif(d.dev_name, ''), d.sn) from devices d
      left join agent_devices b on b.device_id = d.id where d.id = g.id)`,
    detail: BY_TARGET,
  },
}

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

// The margin is the difference of the shown amounts, which are whole fen.
const FIGURES = sql.raw(`coalesce(sum(received), 0)::float8 as received, coalesce(sum(income), 0)::float8 as income,
  coalesce(sum(cost), 0)::float8 as cost, coalesce(round(sum(income)) - round(sum(cost)), 0)::float8 as margin,
  coalesce(bool_or(has_estimates), false) as "hasEstimates"`)

/** Returns a page of income and cost by one of the groups, with the sums over all pages. */
export async function readMargins(
  db: Db,
  user: User,
  by: keyof typeof MARGIN_GROUP,
  filter: MarginFilter,
  page: MarginPage,
): Promise<Answer> {
  const { income, cost, name, detail } = GROUPS[by]
  const { tenantId, packageId } = filter
  const { rows } = await db.execute<Answer>(sql`
    with ${buildIncomeCtes(user, detail)}, ${costRows(user, filter)},
    both_sides as (
      select tenant_id, package_id, ${income} as id, received, income, 0::numeric as cost, false as has_estimates
      from (${buildIncomeQuery(filter, detail)}) o
      union all select tenant_id, package_id, ${cost}, 0, 0, cost, is_estimate from costs),
    kept as (select * from both_sides
      where ${tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`}
        and ${packageId === undefined ? sql`true` : sql`package_id = ${packageId}`}),
    g as (select id, ${FIGURES} from kept group by id),
    page as (select g.*, coalesce(${name}, '') as name from g order by ${page.order}, id limit ${page.limit} offset ${page.offset})
    select coalesce((select json_agg(page) from page), '[]') as list, (select to_json(s) from (select ${FIGURES} from kept) s) as sums,
      (select count(*)::int from g) as total`)
  return rows[0]!
}
