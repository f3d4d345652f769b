import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'

/** Characters that a person speaks in a second, for turns without a recording. */
const CHARACTERS_PER_SECOND = 4.5

const { sessions, turns, toolCalls, characters, seconds, tokensIn, tokensOut } = USAGE_UNIT
const COLUMNS = 'day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost'

/**
 * Inserts the usage of new sessions, as a part of a WITH query. `i`: the inserted sessions; `g`: the language model of
 * each session.
 */
export const INSERT_SESSION_USAGE_SQL = `insert into agent_usage (${COLUMNS})
  select i.first_time::date, i.tenant_id, i.agent_id, i.device_id, coalesce(g.llm_id, 0), ${USAGE_SOURCE.device}, ${sessions}, 0,
    count(*), 0
  from i join g using (tenant_id, session_id) group by 1, 2, 3, 4, 5`

/**
 * Inserts the usage of new reports, as a part of a WITH query. A turn is the speech of a user together with the whole
 * answer, so reports of sentences, tool calls and results add no turn. `n` has the inserted reports, `g` the models and
 * token counts of the reported turns. The speech of users belongs to the recognition model, the speech of agents to the
 * synthesis model, and the rest to the language model. Tokens are estimated, because each answer sends the prompt and
 * the conversation again. Prompt and conversation count one token per character, and the new turn counts the tokens of
 * `estimateTokens`. Tokens of relayed models are not estimated, because the relay counts them exactly.
 */
export const INSERT_TURN_USAGE_SQL = `insert into agent_usage (${COLUMNS})
  select n.report_time::date, n.tenant_id, n.agent_id, n.device_id, coalesce(x.model_id, 0), ${USAGE_SOURCE.device}, x.unit,
    x.is_estimate, sum(x.n), sum(x.cost)
  from n join g using (session_row_id, kind, report_time, content_md5)
    join agent_sessions s on s.id = n.session_row_id
    left join agent_models l on l.id = g.llm_id
    left join agent_models t on t.id = g.tts_id
    left join agent_models r on r.id = g.asr_id
    cross join lateral (select
      case when n.seconds > 0 then n.seconds else round(n.characters / ${CHARACTERS_PER_SECOND}, 1) end as seconds,
      case when n.seconds > 0 then 0 else 1 end as no_audio,
      (g.prompt_characters + s.characters + g.tokens)::numeric as sent, coalesce(l.relay, 0) = 0 as unknown) e
    cross join lateral (values
      (${turns}, g.llm_id, 0, 1, 0.0, n.kind = 1),
      (${toolCalls}, g.llm_id, 0, 1, 0, g.is_tool_call),
      (${characters}, g.tts_id, 0, n.characters, n.characters * coalesce(t.price_out, 0) / 10000.0, n.kind = 2),
      (${seconds}, g.asr_id, e.no_audio, e.seconds, round(e.seconds * coalesce(r.price_in, 0) / 3600, 6), n.kind = 1),
      (${seconds}, g.tts_id, e.no_audio, e.seconds, 0, n.kind = 2),
      (${tokensIn}, g.llm_id, 1, e.sent, e.sent * coalesce(l.price_in, 0) / 1000000, n.kind = 1 and e.unknown),
      (${tokensOut}, g.llm_id, 1, g.tokens, g.tokens::numeric * coalesce(l.price_out, 0) / 1000000, n.kind = 2 and e.unknown)
    ) as x (unit, model_id, is_estimate, n, cost, is_counted)
  where x.is_counted and x.n > 0 group by 1, 2, 3, 4, 5, x.unit, x.is_estimate`
