import {
  type agentHistory as calls,
  MAX_FOUND_TURNS,
  MAX_SEARCHED_SESSIONS,
} from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { among, contains } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleSessions } from '../agents/visible-agents.ts'
import { agentSessions } from '../schema/agent-history.ts'
import { logHistoryRead, selectSessions } from './history.ts'

/** Length of a snippet. `BEFORE`: characters of the snippet before the first match. */
const SNIPPET = 60
const BEFORE = 16

interface Match extends Record<string, unknown> {
  readonly id: number
  readonly snippet: string
}

/**
 * Finds conversations whose title or turns contain the search text. One search reads the turns of at most 1,000
 * sessions through an index, so that long histories cost no more. Search texts of two characters work too.
 */
export async function searchHistory(ctx: Ctx, { agentId, deviceId, words, page }: ParsedOf<typeof calls.search>) {
  const { db, user } = ctx
  if ((agentId === undefined) === (deviceId === undefined)) throw invalid('请选择智能体或设备', 'agentId')
  const isOf = agentId === undefined ? eq(agentSessions.deviceId, deviceId!) : eq(agentSessions.agentId, agentId)
  const order = [desc(agentSessions.lastTime), desc(agentSessions.id)]
  const read = await db
    .select({ id: agentSessions.id })
    .from(agentSessions)
    .where(and(isOf, visibleSessions(user)))
    .orderBy(...order)
    .limit(MAX_SEARCHED_SESSIONS + 1)
    .offset((page - 1) * MAX_SEARCHED_SESSIONS)
  const searched = read.slice(0, MAX_SEARCHED_SESSIONS).map(({ id }) => id)
  const matches = await matchesIn(ctx, searched, words)
  const shown = matches.slice(0, MAX_FOUND_TURNS)
  const snippets = new Map(shown.map(({ id, snippet }) => [id, snippet]))
  const rows =
    shown.length === 0
      ? []
      : await selectSessions(db)
          .where(and(among(agentSessions.id, [...snippets.keys()]), visibleSessions(user)))
          .orderBy(...order)
  const what = agentId === undefined ? '设备的' : '智能体的'
  await logHistoryRead(
    ctx,
    searched.length > 0 ? { agentId, deviceId } : {},
    (device) => `在${device || what} ${searched.length} 次对话中查找内容，找到 ${matches.length} 次`,
  )
  return {
    list: rows.map((row) => ({ ...row, snippet: snippets.get(row.id) ?? '' })),
    searched: searched.length,
    isCut: matches.length > MAX_FOUND_TURNS,
    hasOlder: read.length > MAX_SEARCHED_SESSIONS,
  }
}

/** Returns the sessions that contain the search text, latest first, each with the text around the first match. */
async function matchesIn({ db }: Ctx, ids: readonly number[], words: string) {
  if (ids.length === 0) return []
  const at = sql`strpos(lower(t.content), lower(${words}::text))`
  const { rows } = await db.execute<Match>(sql`
    select s.id::float8 as id, substr(t.content, greatest(1, ${at} - ${BEFORE}::int), ${SNIPPET}::int) as snippet
    from unnest(${sql.param([...ids])}::bigint[]) with ordinality as w (id, place)
      join agent_sessions s on s.id = w.id
      cross join lateral (
        select s.title as content where ${contains(sql`s.title`, words)}
        union all (
          select content from agent_turns
          where session_row_id = s.id and report_time between s.first_time and s.last_time and kind < 3
            and ${contains(sql`content`, words)}
          order by report_time limit 1)
        limit 1) t
    order by w.place limit ${MAX_FOUND_TURNS + 1}`)
  return rows
}
