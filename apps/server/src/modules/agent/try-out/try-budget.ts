import type { TryFigures } from '@oms/contract/agent/try-out/try-out.ts'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { DecryptedModel } from '#domain/agents/models/model-config.ts'
import { recordUsage, buildTokenEntries } from '#domain/agents/usage/usage.ts'
import type { StoredAgent } from '../agents/agent-store.ts'

/** Tokens that a tenant may use per day for try-outs. The platform has no limit. */
const TOKENS_PER_DAY = 500_000

/** Throws when the tenant has used its tokens of today. A running completion may exceed the budget. */
export async function assertBudget({ services }: Pick<Ctx, 'services'>, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return
  const { rows } = await services.database.db.execute<{ used: number }>(sql`
    select tokens_in + tokens_out as used from agent_try_days where tenant_id = ${tenantId} and day = current_date`)
  if ((rows[0]?.used ?? 0) >= TOKENS_PER_DAY) throw refused('今日的试用额度已用完，请明天再试')
}

/** Adds one completion of a try-out to the daily counters of the tenant and to the usage of the agent. */
export const countTryOut = (
  { database }: Services,
  { tenantId, id: agentId }: Pick<StoredAgent, 'tenantId' | 'id'>,
  model: DecryptedModel,
  figures: TryFigures,
) =>
  database.db.transaction(async (db) => {
    // A vendor does not charge a call that it refused. Such a call uses no tokens of the budget either.
    const isCharged = !figures.isEstimate || figures.output > 0
    const { input, output } = isCharged ? figures : { input: 0, output: 0 }
    await db.execute(sql`
      insert into agent_try_days as d (tenant_id, day, calls, tokens_in, tokens_out)
      values (${tenantId}, current_date, 1, ${input}, ${output})
      on conflict (tenant_id, day) do update set calls = d.calls + 1,
        tokens_in = d.tokens_in + excluded.tokens_in, tokens_out = d.tokens_out + excluded.tokens_out`)
    const owner = { tenantId, agentId, deviceId: 0, source: USAGE_SOURCE.tryOut }
    if (isCharged) await recordUsage(db, buildTokenEntries(owner, model, figures, figures.isEstimate))
  })
