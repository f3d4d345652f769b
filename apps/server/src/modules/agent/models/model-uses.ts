import { and, asc, eq, or, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { agents, agentTemplates, MODEL_COLUMNS } from '../schema/agent.ts'
import { agentModels } from '../schema/agent-model.ts'

type Behaviour = typeof agents | typeof agentTemplates

/** Returns the number of agents and templates that use each of the models. */
export async function countModelUses(db: Db, user: User, ids: readonly number[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  if (ids.length === 0) return counts
  for (const table of [agents, agentTemplates] as const) {
    const models = sql.join(
      MODEL_COLUMNS.map((column) => sql`${table[column]}`),
      sql`, `,
    )
    const visible = and(notDeleted(table), scoped(user, { tenant: table.tenantId, creator: table.createBy }))
    const { rows } = await db.execute<{ id: number; n: number }>(sql`
      select used.model_id as id, count(distinct ${table.id})::int as n
      from ${table} cross join lateral unnest(array[${models}]) as used(model_id)
      where ${visible} and used.model_id = any(${sql.param(ids)}::int[]) group by used.model_id`)
    for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + n)
  }
  return counts
}

const MAX_NAMED = 3
const usesModel = (table: Behaviour, id: number) => or(...MODEL_COLUMNS.map((column) => eq(table[column], id)))
const quoted = (names: readonly string[]) =>
  names
    .slice(0, MAX_NAMED)
    .map((name) => `「${name}」`)
    .join('')

/**
 * Returns the names of the agents, templates and models that use a model: `智能体「客服」「前台」等5个`. Empty for an unused model.
 */
export async function describeModelUses(db: Db, model: { id: number; code: string }): Promise<string> {
  const agentNames = await db
    .select({ name: agents.agentName })
    .from(agents)
    .where(and(notDeleted(agents), usesModel(agents, model.id)))
    .orderBy(asc(agents.id))
    .limit(100)
  const templateNames = await db
    .select({ name: agentTemplates.templateName })
    .from(agentTemplates)
    .where(and(notDeleted(agentTemplates), usesModel(agentTemplates, model.id)))
    .orderBy(asc(agentTemplates.id))
    .limit(100)
  const modelNames = await db
    .select({ name: agentModels.name })
    .from(agentModels)
    .where(
      and(
        notDeleted(agentModels),
        or(sql`${agentModels.config} ->> 'llm' = ${model.code}`, eq(agentModels.fallbackModelId, model.id)),
      ),
    )
    .orderBy(asc(agentModels.id))
    .limit(100)
  return [namedText('智能体', agentNames), namedText('模板', templateNames), namedText('模型', modelNames)]
    .filter(Boolean)
    .join('、')
}

function namedText(noun: string, rows: readonly { name: string }[]) {
  if (rows.length === 0) return ''
  const more = rows.length > MAX_NAMED ? `等${rows.length}个` : ''
  return `${noun}${quoted(rows.map(({ name }) => name))}${more}`
}
