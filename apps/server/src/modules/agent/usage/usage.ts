import { SOURCE_NAMES, USAGE_SOURCE, USAGE_UNIT, type UsageUnit } from '@oms/contract/agent/usage/usage-unit.ts'
import {
  agentUsage as calls,
  nameUsageGroup,
  USAGE_GROUP_CODE,
  USAGE_GROUP,
  UsageRow,
  type UsageFigures,
} from '@oms/contract/agent/usage/usage.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { type SQL, sql, and, between, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createCodeTranslator, createExportColumns, retitleColumn, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { scopedByAgent } from '../agents/agent.ts'
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

/** Period and owner of measured use. */
interface UsageFilter {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number | undefined
  readonly agentId?: number | undefined
  readonly deviceId?: number | undefined
  readonly modelId?: number | undefined
  readonly source?: number | undefined
}
type Figures = UsageFigures & Record<string, unknown>

const sumOf = (...units: readonly UsageUnit[]) =>
  sql`coalesce(sum(n) filter (where unit in (${sql.raw(units.join(', '))})), 0)::float8`
const isEstimated = (units: readonly UsageUnit[]) =>
  sql`coalesce(bool_or(is_estimate = 1 and unit in (${sql.raw(units.join(', '))})), false)`

/**
 * Returns the SQL of the cost that the account may see. Tenants see only the cost of their own models, because vendors
 * charge the platform for platform models.
 */
const costFor = (user: User) =>
  user.isPlatform
    ? sql`coalesce(sum(cost), 0)::float8`
    : sql`coalesce(sum(cost) filter (where model_id in (select id from agent_models where tenant_id = ${user.tenantId ?? 0})), 0)::float8`

/**
 * Returns the SQL of the device days: the days of devices, and the counted device days of the days whose use is no
 * longer kept by device.
 */
const deviceDaysFor = (isByModel: boolean) => sql`
  (count(distinct (day, device_id)) filter (where source = ${sql.raw(String(USAGE_SOURCE.device))} and device_id > 0)
    + ${sumOf(isByModel ? USAGE_UNIT.modelDeviceDays : USAGE_UNIT.deviceDays)})::int`

/** Returns the SQL of all figures. `isByModel`: the figures are grouped or filtered by model. */
const buildUsageFigures = (user: User, isByModel: boolean) => sql`
  ${sumOf(USAGE_UNIT.sessions)} as sessions, ${sumOf(USAGE_UNIT.turns)} as turns, ${sumOf(USAGE_UNIT.toolCalls)} as "toolCalls",
  round(${sumOf(USAGE_UNIT.seconds)}::numeric / 60, 1)::float8 as minutes, ${sumOf(USAGE_UNIT.characters)} as characters,
  ${sumOf(USAGE_UNIT.tokensIn)} as "tokensIn", ${sumOf(USAGE_UNIT.tokensOut)} as "tokensOut",
  ${sumOf(USAGE_UNIT.tokensCached)} as "tokensCached", ${sumOf(USAGE_UNIT.tokensIn, USAGE_UNIT.tokensOut)} as tokens,
  ${deviceDaysFor(isByModel)} as "deviceDays",
  ${costFor(user)} as cost,
  ${isEstimated([USAGE_UNIT.seconds])} as "hasEstimatedMinutes",
  ${isEstimated([USAGE_UNIT.tokensIn, USAGE_UNIT.tokensOut])} as "hasEstimatedTokens"`

/** Returns the condition for the use in the data scope of an account. */
export const visibleUse = (user: User) =>
  scopedByAgent(user, { tenant: agentUsage.tenantId, agent: agentUsage.agentId, device: agentUsage.deviceId })

/** Returns the condition for the use of a period and owner that the account may see. */
const buildUsageCondition = (
  user: User,
  { startDate, endDate, tenantId, agentId, deviceId, modelId, source }: UsageFilter,
) =>
  and(
    between(agentUsage.day, startDate, endDate),
    visibleUse(user),
    tenantId === undefined ? undefined : eq(agentUsage.tenantId, tenantId),
    agentId === undefined ? undefined : eq(agentUsage.agentId, agentId),
    deviceId === undefined ? undefined : eq(agentUsage.deviceId, deviceId),
    modelId === undefined ? undefined : eq(agentUsage.modelId, modelId),
    source === undefined ? undefined : eq(agentUsage.source, source),
  )

/** Returns the figures of each day of a period, and of the whole period. */
export async function readUsageByDay(db: Pick<Db, 'execute'>, user: User, input: UsageFilter) {
  const where = buildUsageCondition(user, input)
  const figures = buildUsageFigures(user, input.modelId !== undefined)
  const total = await db.execute<Figures>(sql`select ${figures} from ${agentUsage} where ${where}`)
  const { rows } = await db.execute<{ day: string; figures: UsageFigures | null }>(sql`
    with f as (select day, ${figures} from ${agentUsage} where ${where} group by day)
    select g::date::text as day, case when f.day is not null then to_jsonb(f) - 'day' end as figures
    from generate_series(${input.startDate}::date, ${input.endDate}::date, interval '1 day') g
    left join f on f.day = g::date order by 1`)
  return { total: total.rows[0]!, days: rows.map(({ day, figures }) => ({ day, ...(figures ?? NOTHING) })) }
}

const NOTHING: UsageFigures = {
  sessions: 0,
  turns: 0,
  toolCalls: 0,
  minutes: 0,
  characters: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  tokens: 0,
  deviceDays: 0,
  cost: 0,
  hasEstimatedMinutes: false,
  hasEstimatedTokens: false,
}
