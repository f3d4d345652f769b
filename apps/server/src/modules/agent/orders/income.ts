import {
  type agentIncome as calls,
  INCOME_GROUP_CODE,
  INCOME_GROUP,
  IncomeRow,
  type IncomeFigures,
} from '@oms/contract/agent/orders/order-income.ts'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createCodeTranslator, createExportColumns, retitleColumn, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { visibleUse } from '../usage/usage.ts'
import { assertVendor, visibleOrders } from './order-steps.ts'

/**
 * Lists income and cost. Throws for staff of tenants, because the costs are prices that vendors charge the platform.
 */
export async function listIncome(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  assertVendor(ctx)
  const {
    by,
    orderByColumn = by === INCOME_GROUP_CODE.day ? 'id' : 'income',
    isAsc = 'desc',
    pageSize,
    ...filter
  } = input
  const order = sql`${sql.identifier(orderByColumn)} ${sql.raw(isAsc)}`
  return readIncome(ctx.db, ctx.user, by, filter, { order, limit: pageSize, offset: computePageOffset(input) })
}

const EXPORTED = createExportColumns(IncomeRow, ['name', 'income', 'cost', 'hasEstimates'])
const inWords = createCodeTranslator(IncomeRow)

export async function exportIncome(ctx: Ctx, input: ParsedOf<typeof calls.export>): Promise<StreamResponse> {
  assertVendor(ctx)
  const { by, format, columns, ...filter } = input
  const order = by === INCOME_GROUP_CODE.day ? sql`id` : sql`income desc`
  const page = { order, limit: MAX_EXPORT_ROWS + 1, offset: 0 }
  const { list: rows } = await transact(ctx, (db) => readIncome(db, ctx.user, by, filter, page))
  if (rows.length > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
  const name = `智能体收入与成本（按${INCOME_GROUP[by]}）`
  ctx.audit({
    bizType: 'agentOrder',
    action: `导出收入与成本 ${input.startDate} 至 ${input.endDate}，按${INCOME_GROUP[by]}`,
  })
  const titled = retitleColumn(selectColumns(EXPORTED, columns), 'name', INCOME_GROUP[by])
  return (_request, reply) => sendTable(reply, { name, format, columns: titled, rows: rows.map(inWords) })
}

export interface IncomeFilter {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number | undefined
  readonly packageId?: number | undefined
}

/**
 * Returns the payments and refunds of a period. A payment counts on the day of its confirmation, a refund on the day of
 * its approval. Excludes gifts and free orders.
 */
function paidRows(user: User, { startDate, endDate }: IncomeFilter) {
  const isInPeriod = (column: SQL) =>
    sql`${column} >= ${startDate}::date::timestamptz and ${column} < (${endDate}::date + 1)::timestamptz`
  const isVisible = visibleOrders(user) ?? sql`true`
  return sql`
    moved as (
      select id, pay_time::date as day, amount from agent_orders where ${isInPeriod(sql`pay_time`)} and amount > 0
      union all select order_id, audit_time::date, -amount from agent_order_refunds
        where state = 1 and ${isInPeriod(sql`audit_time`)} and amount > 0),
    paid as (
      select agent_orders.id, agent_orders.tenant_id, agent_orders.package_id, v.scope, target_count, m.day, m.amount::numeric as amount
      from moved m join agent_orders on agent_orders.id = m.id join agent_product_versions v on v.id = package_version_id
      where ${isVisible})`
}

/**
 * Returns rows (tenant, package, cost) of the measured usage. The cost of a device on a day belongs to the package that
 * ran for the device on that day. Among several packages, the earliest end decides, then device before agent before
 * tenant. Other cost has the package 0.
 */
function costRows(user: User, { startDate, endDate }: IncomeFilter) {
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

/** Id of the device of a payment. 0 for a package of an agent or of a tenant. */
const DEVICE_OF_ROW = sql.raw('case when scope = 1 then target_id else 0 end')
/** Id of the agent of a payment. The agent of a device is the agent to which the device is bound. */
const AGENT_OF_ROW = sql.raw(`case scope when 2 then target_id when 1 then coalesce(
    (select d.agent_id from agent_devices d where d.device_id = target_id), 0) else 0 end`)
const DAY = sql.raw(`to_char(day, 'YYYYMMDD')::int`)

interface Group {
  /** Expressions for the id of the group of a payment (`income`) and of a cost row (`cost`). */
  readonly income: SQL
  readonly cost: SQL
  readonly name: SQL
  /** Divides the payments of an order equally among its targets. */
  readonly isByTarget?: true
}

const GROUPS: Readonly<Record<keyof typeof INCOME_GROUP, Group>> = {
  [INCOME_GROUP_CODE.tenant]: {
    income: sql`tenant_id`,
    cost: sql`tenant_id`,
    name: sql`(select name from tenants t where t.id = g.id)`,
  },
  [INCOME_GROUP_CODE.package]: {
    income: sql`package_id`,
    cost: sql`package_id`,
    name: sql`(select package_name from agent_products t where t.id = g.id)`,
  },
  [INCOME_GROUP_CODE.day]: {
    income: DAY,
    cost: DAY,
    name: sql`to_char(to_date(g.id::text, 'YYYYMMDD'), 'YYYY-MM-DD')`,
  },
  [INCOME_GROUP_CODE.agent]: {
    income: AGENT_OF_ROW,
    cost: sql`agent_id`,
    name: sql`(select agent_name from agents t where t.id = g.id)`,
    isByTarget: true,
  },
  [INCOME_GROUP_CODE.device]: {
    income: DEVICE_OF_ROW,
    cost: sql`device_id`,
    name: sql`(select coalesce(nullif(b.alias, ''), nullif(d.dev_name, ''), d.sn) from devices d
      left join agent_devices b on b.device_id = d.id where d.id = g.id)`,
    isByTarget: true,
  },
}

interface IncomePage {
  readonly order: SQL
  readonly limit: number
  readonly offset: number
}
interface Answer extends Record<string, unknown> {
  readonly list: IncomeRow[]
  readonly sums: IncomeFigures
  readonly total: number
}

const FIGURES = sql.raw(`coalesce(sum(income), 0)::float8 as income, coalesce(sum(cost), 0)::float8 as cost,
  coalesce(bool_or(has_estimates), false) as "hasEstimates"`)

/** Returns a page of income and cost by one of the groups, with the sums over all pages. */
export async function readIncome(
  db: Db,
  user: User,
  by: keyof typeof INCOME_GROUP,
  filter: IncomeFilter,
  page: IncomePage,
): Promise<Answer> {
  const { income, cost, name, isByTarget } = GROUPS[by]
  const { tenantId, packageId } = filter
  const share = isByTarget ? sql`amount / target_count` : sql`amount`
  const targets = isByTarget ? sql`join agent_order_targets t on t.order_id = paid.id` : sql``
  const { rows } = await db.execute<Answer>(sql`
    with ${paidRows(user, filter)}, ${costRows(user, filter)},
    both_sides as (
      select paid.tenant_id, package_id, ${income} as id, ${share} as income, 0::numeric as cost, false as has_estimates
      from paid ${targets}
      union all select tenant_id, package_id, ${cost}, 0, cost, is_estimate from costs),
    kept as (select * from both_sides
      where ${tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`}
        and ${packageId === undefined ? sql`true` : sql`package_id = ${packageId}`}),
    g as (select id, ${FIGURES} from kept group by id),
    page as (select g.*, coalesce(${name}, '') as name from g order by ${page.order}, id limit ${page.limit} offset ${page.offset})
    select coalesce((select json_agg(page) from page), '[]') as list, (select to_json(s) from (select ${FIGURES} from kept) s) as sums,
      (select count(*)::int from g) as total`)
  return rows[0]!
}
