import {
  agentUsage as calls,
  nameUsageGroup,
  USAGE_GROUP_CODE,
  USAGE_GROUP,
  UsageRow,
} from '@oms/contract/agent/usage/usage.ts'
import { SOURCE_NAMES } from '@oms/contract/agent/usage/usage-unit.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { type SQL, sql } from 'drizzle-orm'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createCodeTranslator, createExportColumns, retitleColumn, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { readUsageByDay, buildUsageCondition, buildUsageFigures } from './usage-figures.ts'
import { agentUsage } from '../schema/agent-usage.ts'

type Filter = ParsedOf<typeof calls.days>
type ListInput = ParsedOf<typeof calls.list>

export const listUsageByDay = ({ db, user }: Ctx, input: Filter) => readUsageByDay(db, user, input)

/** Column, name and joined tables of each way to group the usage. */
const GROUPS: Readonly<Record<number, { readonly column: SQL; readonly name: SQL; readonly join: SQL }>> = {
  [USAGE_GROUP_CODE.tenant]: {
    column: sql`tenant_id`,
    name: sql`t.name`,
    join: sql`left join tenants t on t.id = g.id`,
  },
  [USAGE_GROUP_CODE.agent]: {
    column: sql`agent_id`,
    name: sql`a.agent_name`,
    join: sql`left join agents a on a.id = g.id left join tenants t on t.id = a.tenant_id`,
  },
  [USAGE_GROUP_CODE.device]: {
    column: sql`device_id`,
    name: sql`coalesce(nullif(b.alias, ''), nullif(d.dev_name, ''), d.sn)`,
    join: sql`left join devices d on d.id = g.id left join agent_devices b on b.device_id = g.id
      left join tenants t on t.id = d.tenant_id`,
  },
  [USAGE_GROUP_CODE.model]: {
    column: sql`model_id`,
    name: sql`m.name`,
    join: sql`left join agent_models m on m.id = g.id left join tenants t on t.id = m.tenant_id`,
  },
  [USAGE_GROUP_CODE.source]: {
    column: sql`source`,
    name: sql`${JSON.stringify(SOURCE_NAMES)}::json ->> g.id::text`,
    join: sql`left join tenants t on false`,
  },
}

interface Page {
  readonly order: SQL
  readonly limit: number
  readonly offset: number
}

async function groupsOf({ db, user }: Pick<Ctx, 'db' | 'user'>, by: number, input: Filter, page: Page) {
  const { column, name, join } = GROUPS[by]!
  const figures = buildUsageFigures(user, by === USAGE_GROUP_CODE.model || input.modelId !== undefined)
  const { rows } = await db.execute<UsageRow & { total: number } & Record<string, unknown>>(sql`
    with g as (select ${column} as id, ${figures}, count(*) over ()::int as total
      from ${agentUsage} where ${buildUsageCondition(user, input)} group by 1
      order by ${page.order}, 1 limit ${page.limit} offset ${page.offset})
    select g.*, coalesce(${name}, '') as name, coalesce(t.name, '') as "tenantName"
    from g ${join} order by ${page.order}, g.id`)
  return rows
}

export async function listUsage(ctx: Ctx, input: ListInput) {
  const { by, orderByColumn = 'turns', isAsc = 'desc', pageSize, ...filter } = input
  const order = sql`${sql.identifier(orderByColumn)} ${sql.raw(isAsc)}`
  const rows = await groupsOf(ctx, by, filter, { order, limit: pageSize, offset: computePageOffset(input) })
  const list = rows.map(({ total: _total, ...row }) => row)
  return { list, total: rows[0]?.total ?? (input.pageNum === 1 ? 0 : await countOf(ctx, input)) }
}

/** Counts all groups. Needed only when the requested page is beyond the last page. */
async function countOf({ db, user }: Ctx, input: ListInput) {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(distinct ${GROUPS[input.by]!.column})::int as n from ${agentUsage} where ${buildUsageCondition(user, input)}`)
  return rows[0]!.n
}

const EXPORTED = createExportColumns(UsageRow, [
  'name',
  'tenantName',
  ...(
    [
      'sessions',
      'turns',
      'toolCalls',
      'minutes',
      'characters',
      'tokensIn',
      'tokensOut',
      'tokensCached',
      'deviceDays',
    ] as const
  ).map((key) => [key, { type: 'number' }] as const),
  'cost',
  'hasEstimatedMinutes',
  'hasEstimatedTokens',
])

const inWords = createCodeTranslator(UsageRow)

export async function exportUsage(ctx: Ctx, input: ParsedOf<typeof calls.export>): Promise<StreamResponse> {
  const { by, format, columns, ...filter } = input
  const page = { order: sql`turns desc`, limit: MAX_EXPORT_ROWS + 1, offset: 0 }
  const found = await transact(ctx, (db) => groupsOf({ ...ctx, db }, by, filter, page))
  const rows = found.map((row) => ({ ...row, name: nameUsageGroup(row, by) }))
  if (rows.length > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
  const name = `智能体用量（按${USAGE_GROUP[by]}）`
  ctx.audit({ bizType: 'agent', action: `导出用量 ${input.startDate} 至 ${input.endDate}，按${USAGE_GROUP[by]}` })
  const lines = rows.map(inWords)
  const titled = retitleColumn(selectColumns(EXPORTED, columns), 'name', USAGE_GROUP[by])
  return (_request, reply) => sendTable(reply, { name, format, columns: titled, rows: lines })
}
