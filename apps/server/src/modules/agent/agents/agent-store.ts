import { AgentInput, type AgentBehaviour } from '@oms/contract/agent/agents/agent-input.ts'
import { and, desc, eq, lte } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { extractBehaviour, listChangedFields, type StoredBehaviour, type VersionSnapshot } from './agent-behaviour.ts'
import { visibleAgents } from './visible-agents.ts'
import { splitSecrets } from './agent-secrets.ts'
import { SECRET_OWNER, readSecretEndings, writeSecrets } from '../secrets.ts'
import { agents, agentVersions } from '../schema/agent.ts'
import { assertPluginKeys } from './plugin-keys.ts'
import { removeUnusedSecrets } from './secret-cleanup.ts'

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

export interface NewVersion {
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
