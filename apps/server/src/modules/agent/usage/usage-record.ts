import { USAGE_UNIT, type UsageSource, type UsageUnit } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { LlmUsage } from '../models/llm-chat.ts'

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
 * Appends use with the date of today. `db` must be the transaction of the counted call, so that both are committed or
 * neither. Needs a session without row-level security when the caller belongs to another tenant.
 */
export async function recordUsage(db: Pick<Db, 'execute'>, entries: readonly UsageEntry[]) {
  const counted = entries.filter(({ n }) => n > 0)
  if (counted.length > 0) await db.execute(sql`${INSERT} select now()::date, now(), ${VALUES} from ${rowsOf(counted)}`)
}

/** A completion whose tokens are recorded after its response was sent. */
interface Completion {
  /** Key of the completion: a second record with the same key adds nothing. */
  readonly id: string
  readonly tenantId: number
  /** Time of the use. */
  readonly at: Date
}

/**
 * Appends the use of a completion once. The caller may repeat the call when it does not know whether the first one was
 * committed, because key and use are written by one statement.
 */
export async function recordCompletion(
  db: Pick<Db, 'execute'>,
  { id, tenantId, at }: Completion,
  entries: readonly UsageEntry[],
) {
  const counted = entries.filter(({ n }) => n > 0)
  if (counted.length === 0) return
  const time = sql`${at.toISOString()}::timestamptz`
  await db.execute(sql`
    with c as (insert into agent_completions (id, tenant_id) values (${id}, ${tenantId}) on conflict do nothing returning 1)
    ${INSERT} select ${time}::date, ${time}, ${VALUES} from c cross join ${rowsOf(counted)}`)
}

const INSERT = sql.raw(`insert into agent_usage
  (day, used_time, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost)`)
const VALUES = sql.raw(`"tenantId", "agentId", "deviceId", "modelId", source, unit, "isEstimate"::int, n, cost`)
const rowsOf = (entries: readonly UsageEntry[]) => sql`
  json_to_recordset(${JSON.stringify(entries)}::json) as e ("tenantId" int, "agentId" int, "deviceId" int, "modelId" int,
    source smallint, unit smallint, "isEstimate" boolean, n numeric, cost numeric)`

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

/** Average number of characters per token in text without CJK characters. */
const LATIN_PER_TOKEN = 4

/** Estimates the tokens of a text: one per CJK character, and one per four other characters. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if (character.codePointAt(0)! >= 0x2e80) wide += 1
  return Math.ceil(wide + (text.length - wide) / LATIN_PER_TOKEN)
}

/** Returns the cost in fen from prices in fen per million tokens. */
export const computeTokenCost = (
  { input, output }: LlmUsage,
  { priceIn, priceOut }: { priceIn: number; priceOut: number },
) => (input * priceIn + output * priceOut) / 1_000_000
