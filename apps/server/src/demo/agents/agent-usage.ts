import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

const { sessions, turns, characters, seconds, tokensIn, tokensOut } = USAGE_UNIT
/** Tokens of the prompt and the history, which are added to those of each demo question. */
const SENT = 420

/**
 * Records the usage of the demo conversations, as if voice servers had reported them. Must run after the turns are
 * stored.
 */
export async function seedDemoAgentUsage(db: Db) {
  await db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost, folded)
    select t.report_time::date, t.tenant_id, t.agent_id, t.device_id, coalesce(x.model_id, 0), ${USAGE_SOURCE.device}::int, x.unit,
      x.is_estimate, sum(x.n), sum(x.cost), 1
    from agent_turns t join agents a on a.id = t.agent_id
      left join agent_models l on l.id = a.llm_id
      left join agent_models s on s.id = a.tts_id
      left join agent_models r on r.id = a.asr_id
      cross join lateral (values
        (${turns}::int, a.llm_id, 0, 1::numeric, 0::numeric, t.kind = 1),
        (${characters}::int, a.tts_id, 0, t.characters, t.characters * coalesce(s.price_out, 0) / 10000.0, t.kind = 2),
        (${seconds}::int, a.asr_id, 0, t.seconds, round(t.seconds * coalesce(r.price_in, 0) / 3600, 6), t.kind = 1),
        (${seconds}::int, a.tts_id, 0, t.seconds, 0, t.kind = 2),
        (${tokensIn}::int, a.llm_id, 1, t.characters + ${SENT}::int, (t.characters + ${SENT}::int) * coalesce(l.price_in, 0) / 1000000.0, t.kind = 1),
        (${tokensOut}::int, a.llm_id, 1, t.characters, t.characters * coalesce(l.price_out, 0) / 1000000.0, t.kind = 2)
      ) as x (unit, model_id, is_estimate, n, cost, is_counted)
    where x.is_counted and x.n > 0 group by 1, 2, 3, 4, 5, x.unit, x.is_estimate`)
  await db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n, folded)
    select s.first_time::date, s.tenant_id, s.agent_id, s.device_id, coalesce(a.llm_id, 0), ${USAGE_SOURCE.device}::int,
      ${sessions}::int, count(*), 1
    from agent_sessions s join agents a on a.id = s.agent_id group by 1, 2, 3, 4, 5`)
}
