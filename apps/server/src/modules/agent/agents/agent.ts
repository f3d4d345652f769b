import { AgentInput, type AgentBehaviour } from '@oms/contract/agent/agents/agent-input.ts'
import { AgentRow, type agents as calls, agents as contract } from '@oms/contract/agent/agents/agent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, arrayContains, eq, exists, getTableColumns, sql, desc, lte, type Column, or, type SQL } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { listTitledColumns } from '#core/spreadsheet/columns.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { keepOpenModels, MODEL_FIELDS } from '../models/open-models.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentSessions } from '../schema/agent-history.ts'
import { agents, agentVersions } from '../schema/agent.ts'
import { SECRET_OWNER, readSecretEndings, writeSecrets } from '../secrets.ts'
import { listAttachedTools, readMcpProviderAddress } from '../voice-servers/mcp.ts'
import {
  extractBehaviour,
  listChangedFields,
  type StoredBehaviour,
  type VersionSnapshot,
  splitSecrets,
  assertPluginKeys,
  removeUnusedSecrets,
} from './agent-secrets.ts'

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

/** Returns the address of the agent at the external access point for tools, and its attached tools. */
export async function readAccessPoint(ctx: Ctx, { id }: ParsedOf<typeof calls.accessPoint>) {
  const { services } = ctx
  const { agentName, tenantId } = await readAgent(ctx, id)
  const agent = { agentId: id, tenantId }
  ctx.audit({ bizType: 'agent', bizId: id, action: `查看智能体「${agentName}」的 MCP 接入点地址` })
  const address = (await readMcpProviderAddress(services, agent)) ?? ''
  try {
    return { address, tools: await listAttachedTools(services, agent), problem: '' }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { address, tools: [], problem: error.message }
  }
}

export type StoredAgent = typeof agents.$inferSelect
export const AGENT_TITLES: Record<string, string> = { ...readFieldTitles(AgentInput.shape), secrets: '密钥' }
export const AGENT_BIZ_TYPE = 'agent'
/** Versions kept for each agent. */
const KEPT_VERSIONS = 100

/** Returns the agent, locked until the transaction ends. */
export async function lockAgent({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<StoredAgent> {
  const [found] = await db
    .select()
    .from(agents)
    .where(and(eq(agents.id, id), visibleAgents(user)))
    .for('update')
  if (!found) throw notFound('智能体')
  return found
}

export async function readAgent({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<StoredAgent> {
  const [found] = await db
    .select()
    .from(agents)
    .where(and(eq(agents.id, id), visibleAgents(user)))
  if (!found) throw notFound('智能体')
  return found
}

export const publishAgents = ({ services, db }: Ctx, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'agent', tenantId })

const MODELS = ['llmId', 'vllmId', 'slmId', 'ttsId', 'asrId', 'vadId', 'memId', 'intentId'] as const
const NULLABLE = [...MODELS, 'voiceId', 'cloneId', 'ttsVolume', 'ttsRate', 'ttsPitch'] as const

/** Stores the secrets of plugins and headers. Returns the columns of the input without these secrets. */
export async function storeSecrets(
  ctx: Ctx,
  agent: Pick<StoredAgent, 'id' | 'tenantId' | 'plugins'>,
  input: AgentBehaviour,
) {
  const { db, user, services } = ctx
  const { stored, secrets } = await splitSecrets(db, input)
  await assertPluginKeys(ctx, agent, stored, secrets)
  const owner = { ownerKind: SECRET_OWNER.agent, ownerId: agent.id, tenantId: agent.tenantId, uid: user.uid }
  await writeSecrets(db, services.config.secretKey, owner, secrets)
  const absent = Object.fromEntries(NULLABLE.map((field) => [field, input[field] ?? null]))
  const columns = { ...input, ...absent, ...stored } as unknown as StoredBehaviour
  return extractBehaviour(columns)
}

export const buildSnapshotWithEndings = async (
  db: Db,
  id: number,
  behaviour: StoredBehaviour,
  agentName: string,
): Promise<VersionSnapshot> => ({
  agentName,
  ...extractBehaviour(behaviour),
  secrets: await readSecretEndings(db, SECRET_OWNER.agent, id),
})

interface NewVersion {
  readonly snapshot: VersionSnapshot
  readonly before: Partial<VersionSnapshot>
  readonly source: 1 | 2 | 3 | 4
  readonly note: string
}

/**
 * Appends a version. Removes versions beyond the newest 100, with the secrets that only they use. Returns the number of
 * the version and the changed fields.
 */
export async function addVersion(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  agent: Pick<StoredAgent, 'id' | 'tenantId'>,
  { snapshot, before, source, note }: NewVersion,
) {
  const [newest] = await db
    .select({ versionNo: agentVersions.versionNo })
    .from(agentVersions)
    .where(eq(agentVersions.agentId, agent.id))
    .orderBy(desc(agentVersions.versionNo))
    .limit(1)
  const versionNo = (newest?.versionNo ?? 0) + 1
  const changed = listChangedFields(before, snapshot)
  await db.insert(agentVersions).values({
    agentId: agent.id,
    tenantId: agent.tenantId,
    versionNo,
    source,
    note,
    changed,
    snapshot: snapshot as unknown as Record<string, unknown>,
    createBy: user.uid,
  })
  const { rowCount } = await db
    .delete(agentVersions)
    .where(and(eq(agentVersions.agentId, agent.id), lte(agentVersions.versionNo, versionNo - KEPT_VERSIONS)))
  if (rowCount) await removeUnusedSecrets(db, agent.id, snapshot)
  return { versionNo, changed }
}

/** Returns the Chinese titles of fields. */
export const findFieldTitles = (fields: readonly string[]) => fields.map((field) => AGENT_TITLES[field] ?? field)

/** Converts the parameters of plugins to texts, as the form expects. Templates may contain other types. */
export const formatPluginValues = (plugins: StoredBehaviour['plugins']) =>
  plugins.map(({ providerCode, params }) => ({
    providerCode,
    params: Object.fromEntries(
      Object.entries(params).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  }))

/** Returns the condition for the agents in the data scope of an account. */
export const visibleAgents = (user: User) =>
  and(notDeleted(agents), scoped(user, { tenant: agents.tenantId, creator: agents.createBy }))

/**
 * Returns the condition for rows without a creator that belong to an agent and a device, such as conversations and use.
 * An account with `ownOnly` sees those of the agents that it created and of the devices that it bound.
 */
export function scopedByAgent(
  user: User,
  columns: { readonly tenant: Column; readonly agent: Column; readonly device: Column },
): SQL | undefined {
  const isOwn = user.scope.ownOnly
    ? or(
        sql`${columns.agent} in (select id from ${agents} where ${eq(agents.createBy, user.uid)})`,
        sql`${columns.device} in (select device_id from ${agentDevices} where ${eq(agentDevices.createBy, user.uid)})`,
      )
    : undefined
  return and(scoped(user, { tenant: columns.tenant }), isOwn)
}

/** Returns the condition for the conversations that the account may see. */
export const visibleSessions = (user: User) =>
  scopedByAgent(user, { tenant: agentSessions.tenantId, agent: agentSessions.agentId, device: agentSessions.deviceId })

/** Returns the condition for the bound devices whose conversations and memory the account may see. */
export const bindingsWithVisibleTalks = (user: User) =>
  scopedByAgent(user, { tenant: agentDevices.tenantId, agent: agentDevices.agentId, device: agentDevices.deviceId })
