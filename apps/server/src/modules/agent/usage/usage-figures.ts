import type { UsageFigures } from '@oms/contract/agent/usage/usage.ts'
import { USAGE_SOURCE, USAGE_UNIT, type UsageUnit } from '@oms/contract/agent/usage/usage-unit.ts'
import { and, between, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import { agentUsage } from '../schema/agent-usage.ts'
import { scopedByAgent } from '../agents/visible-agents.ts'

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
export const buildUsageFigures = (user: User, isByModel: boolean) => sql`
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
export const buildUsageCondition = (
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
