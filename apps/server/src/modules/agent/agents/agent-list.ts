import { AgentRow, type agents as calls, agents as contract } from '@oms/contract/agent/agents/agent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, arrayContains, eq, exists, getTableColumns, sql } from 'drizzle-orm'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { listTitledColumns } from '#core/spreadsheet/columns.ts'
import { keepOpenModels, MODEL_FIELDS } from '../models/open-models.ts'
import { SECRET_OWNER, readSecretEndings } from '../secrets.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { tenants } from '#core/schema/tenant.ts'
import { visibleAgents } from './visible-agents.ts'
import { formatPluginValues, readAgent, type StoredAgent } from './agent-store.ts'

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

const hasDevice = (db: Db, mac: string) =>
  exists(
    db
      .select({ one: sql`1` })
      .from(agentDevices)
      .where(
        and(eq(agentDevices.agentId, agents.id), contains(agentDevices.mac, mac.toLowerCase().replaceAll(/[:-]/g, ''))),
      ),
  )

const conditionsOf = (db: Db, user: User, filter: Partial<Filter>) =>
  and(
    visibleAgents(user),
    contains(agents.agentName, filter.agentName),
    filter.agentCode ? eq(agents.agentCode, filter.agentCode) : undefined,
    filter.tag ? arrayContains(agents.tags, [filter.tag]) : undefined,
    filter.mac ? hasDevice(db, filter.mac) : undefined,
    filter.tenantId === undefined ? undefined : eq(agents.tenantId, filter.tenantId),
    filter.status === undefined ? undefined : eq(agents.status, filter.status),
    ...within(agents.createTime, filter.beginTime, filter.endTime),
  )

const select = (db: Db) =>
  db
    .select({ ...getTableColumns(agents), tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name') })
    .from(agents)
    .leftJoin(tenants, eq(tenants.id, agents.tenantId))

type Facts = {
  readonly llmName: string
  readonly ttsName: string
  readonly voiceName: string
  readonly deviceCount: number
  readonly turns7: number
  readonly lastTalk: string | null
}

/** Reads the names of models and voices, the device counts and the figures of one page of agents with one statement. */
async function factsOf(db: Db, ids: readonly number[]) {
  const { rows } = await db.execute<Facts & { id: number }>(sql`
    select a.id, coalesce(l.name, '') as "llmName", coalesce(t.name, '') as "ttsName",
      coalesce(v.name, c.name, '') as "voiceName", coalesce(d.n, 0)::int as "deviceCount",
      coalesce(s.turns, 0)::int as "turns7",
      to_char(s2.last_time, 'YYYY-MM-DD HH24:MI:SS') as "lastTalk"
    from agents a
      left join agent_models l on l.id = a.llm_id and l.deleted_at is null
      left join agent_models t on t.id = a.tts_id and t.deleted_at is null
      left join agent_voices v on v.id = a.voice_id
      left join agent_voice_clones c on c.id = a.clone_id
      left join lateral (select count(*) as n from agent_devices d where d.agent_id = a.id) d on true
      left join lateral (select sum(turns) as turns from agent_sessions s
        where s.agent_id = a.id and s.last_time >= now() - interval '7 days') s on true
      left join lateral (select last_time from agent_sessions s where s.agent_id = a.id
        order by last_time desc limit 1) s2 on true
    where a.id = any(${sql.param([...ids])}::int[])`)
  return new Map(rows.map(({ id, ...facts }) => [id, facts]))
}

const NOTHING: Facts = {
  llmName: '',
  ttsName: '',
  voiceName: '',
  deviceCount: 0,
  turns7: 0,
  lastTalk: null,
}

/**
 * Describes the missing parts of an agent: a model that devices need to talk, or keys of its models. Returns an empty
 * text when nothing is missing.
 */
async function problemOf({ voiceServers: { reads } }: Services, agent: StoredAgent, { llmName, ttsName }: Facts) {
  const stored = await reads.models.of(MODEL_FIELDS.flatMap((field) => agent[field] ?? []))
  const { problem, missingKeys } = await keepOpenModels(reads.models, stored, agent)
  if (!llmName) return '未选择大语言模型'
  return problem || (ttsName ? missingKeys : '未选择语音合成')
}

async function present<R extends StoredAgent & { tenantName: string }>(db: Db, services: Services, rows: readonly R[]) {
  const facts = await factsOf(
    db,
    rows.map(({ id }) => id),
  )
  const presented = rows.map(async (row) => {
    const of = facts.get(row.id) ?? NOTHING
    return { ...row, ...of, problem: await problemOf(services, row, of) }
  })
  return Promise.all(presented)
}

const order = (filter: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    filter,
    { agentName: byName(agents.agentName), createTime: agents.createTime, updateTime: agents.updateTime },
    agents.id,
  )

export async function listAgents({ db, user, services }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = select(db)
    .where(conditionsOf(db, user, input))
    .$dynamic()
  const page = await paginate(db, rows, input, order(input))
  return { ...page, list: await present(db, services, page.list) }
}

export async function getAgent(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, services } = ctx
  await readAgent(ctx, id)
  const [shown] = await present(db, services, await select(db).where(eq(agents.id, id)))
  const plugins = withMaskedAddresses(formatPluginValues(shown!.plugins))
  const contextProviders = withMaskedAddresses(shown!.contextProviders)
  return {
    ...shown!,
    plugins,
    contextProviders,
    secrets: await readSecretEndings(db, SECRET_OWNER.agent, id),
  }
}

export const exportAgents = defineExport({
  kind: 'agent',
  endpoint: contract.export,
  sheet: '智能体',
  schema: AgentRow,
  columns: listTitledColumns(AgentRow),
  key: agents.id,
  where: (user, input, { db }) => conditionsOf(db, user, input),
  order,
  load: async (db, _user, where, services) => present(db, services, await select(db).where(where)),
  keyOf: ({ id }) => id,
})
