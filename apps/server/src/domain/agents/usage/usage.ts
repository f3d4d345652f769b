import { USAGE_UNIT, type UsageSource, type UsageUnit } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { LlmUsage } from '../llm/chat-events.ts'
import { computeTokenCost } from '../llm/token-figures.ts'

/** Tenant, agent and device to which usage belongs. Agent or device 0: none. */
interface UsageOwner {
  readonly tenantId: number
  readonly agentId: number
  readonly deviceId: number
  readonly source: UsageSource
}

interface UsageEntry extends UsageOwner {
  readonly modelId: number
  readonly unit: UsageUnit
  readonly n: number
  /** Fen, with fractions. */
  readonly cost: number
  readonly isEstimate: boolean
}

/** Prices in fen per million tokens. */
interface PricedModel {
  readonly id: number
  readonly priceIn: number
  readonly priceOut: number
}

/**
 * Appends use with the date of today, or of `at` when the use is recorded later. `db` must be the transaction of the
 * counted call, so that both are committed or neither. Needs a session without row-level security when the caller
 * belongs to another tenant.
 */
export async function recordUsage(db: Pick<Db, 'execute'>, entries: readonly UsageEntry[], at?: Date) {
  const counted = entries.filter(({ n }) => n > 0)
  if (counted.length === 0) return
  const time = sql`coalesce(${at?.toISOString() ?? null}::timestamptz, now())`
  await db.execute(sql`
    insert into agent_usage (day, used_time, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost)
    select ${time}::date, ${time}, "tenantId", "agentId", "deviceId", "modelId", source, unit, "isEstimate"::int, n, cost
    from json_to_recordset(${JSON.stringify(counted)}::json) as e ("tenantId" int, "agentId" int, "deviceId" int,
      "modelId" int, source smallint, unit smallint, "isEstimate" boolean, n numeric, cost numeric)`)
}

/** Returns the entries of one completion, with the cost by the prices of the model. Estimates have no cached tokens. */
export function buildTokenEntries(
  owner: UsageOwner,
  model: PricedModel,
  usage: LlmUsage,
  isEstimate: boolean,
): UsageEntry[] {
  const entry = (unit: UsageUnit, n: number, cost: number) => ({
    ...owner,
    modelId: model.id,
    unit,
    n,
    cost,
    isEstimate,
  })
  return [
    entry(USAGE_UNIT.tokensIn, usage.input, computeTokenCost({ ...usage, output: 0 }, model)),
    entry(USAGE_UNIT.tokensOut, usage.output, computeTokenCost({ ...usage, input: 0 }, model)),
    entry(USAGE_UNIT.tokensCached, usage.cached, 0),
  ]
}
