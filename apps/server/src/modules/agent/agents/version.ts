import {
  AgentBehaviour,
  KEPT_HEADER_MARK,
  AGENT_TOOL,
  type AgentTool,
  CHAT_HISTORY,
  CONTEXT_FACT,
  type ContextFact,
  MEMORY_SCOPE,
} from '@oms/contract/agent/agents/agent-input.ts'
import type { agentVersions as calls } from '@oms/contract/agent/agents/agent-version.ts'
import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { eraseForMemoryModel, createErasedDataFinder, disableHistoryWithoutMemory } from '../history/memory.ts'
import { MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'
import { agentModels, agentProviders, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { agentVersions, agentWordFiles } from '../schema/agent.ts'
import { assertReferencedRowsExist } from './agent-rules.ts'
import { saveBehaviour } from './agent-save.ts'
import { listChangedFields, type StoredBehaviour, type VersionSnapshot } from './agent-secrets.ts'
import { AGENT_TITLES, AGENT_BIZ_TYPE, lockAgent, readAgent, findFieldTitles } from './agent.ts'
import { readVersionSnapshot } from './device-agent.ts'

export async function listAgentVersions(ctx: Ctx, { id }: ParsedOf<typeof calls.list>) {
  const { db } = ctx
  const agent = await readAgent(ctx, id)
  const rows = await db
    .select({
      versionNo: agentVersions.versionNo,
      source: agentVersions.source,
      changed: agentVersions.changed,
      note: agentVersions.note,
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      createTime: agentVersions.createTime,
      memId: sql<number | null>`(${agentVersions.snapshot} ->> 'memId')::int`.as('mem_id'),
    })
    .from(agentVersions)
    .leftJoin(accounts, eq(accounts.uid, agentVersions.createBy))
    .where(eq(agentVersions.agentId, id))
    .orderBy(desc(agentVersions.versionNo))
  const { rows: figures } = await db.execute<{ versionNo: number; sessions: number; turns: number }>(sql`
    select version_no as "versionNo", count(*)::int as sessions, sum(turns)::int as turns
    from agent_sessions where agent_id = ${id} and last_time >= now() - interval '30 days' group by 1`)
  const byNo = new Map(figures.map((each) => [each.versionNo, each]))
  const erasedBy = await createErasedDataFinder(
    db,
    agent.memId,
    rows.map(({ memId }) => memId),
  )
  const shown = rows.map(({ memId, ...row }) => {
    const { sessions = 0, turns = 0 } = byNo.get(row.versionNo) ?? {}
    return { ...row, changed: findFieldTitles(row.changed), sessions, turns, erases: erasedBy(memId) ?? ('' as const) }
  })
  return { list: shown, versionNo: agent.versionNo }
}

async function versionOf({ db }: Ctx, agentId: number, versionNo: number): Promise<VersionSnapshot> {
  const found = await readVersionSnapshot(db, agentId, versionNo)
  if (!found) throw notFound(`版本 ${versionNo} `)
  return found
}

/** Returns the fields in which a version differs from another version, with names instead of ids. */
export async function diffVersions(ctx: Ctx, { id, versionNo, against }: ParsedOf<typeof calls.diff>) {
  const agent = await readAgent(ctx, id)
  const other = against ?? agent.versionNo
  const [from, to] = [await versionOf(ctx, id, other), await versionOf(ctx, id, versionNo)]
  const fields = listChangedFields(from, to)
  const [before, after] = await Promise.all([createFieldDescriber(ctx.db, from), createFieldDescriber(ctx.db, to)])
  const shown = fields.map((field) => ({
    field,
    title: AGENT_TITLES[field] ?? field,
    from: before(field),
    to: after(field),
  }))
  return { against: other, list: shown }
}

export async function setVersionNote(ctx: Ctx, { id, versionNo, note }: ParsedOf<typeof calls.note>) {
  await lockAgent(ctx, id)
  await versionOf(ctx, id, versionNo)
  await ctx.db
    .update(agentVersions)
    .set({ note })
    .where(and(eq(agentVersions.agentId, id), eq(agentVersions.versionNo, versionNo)))
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: id, action: `修改版本 ${versionNo} 的说明` })
  return null
}

/**
 * Converts a snapshot, or the stored behaviour of an agent, to the input of a save. Snapshots contain no secrets, and a save keeps the stored secret when the
 * input has none.
 */
export const toBehaviourInput = (snapshot: StoredBehaviour): AgentBehaviour =>
  AgentBehaviour.parse({
    ...snapshot,
    contextProviders: snapshot.contextProviders.map(({ url, headers }) => ({
      url,
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, KEPT_HEADER_MARK])),
    })),
  })

/**
 * Saves an earlier version as a new one. Erases turns or memory as its memory model requires. Secrets are not part of
 * versions and stay as they are.
 */
export async function restoreVersion(ctx: Ctx, { id, versionNo, rev, confirmErase }: ParsedOf<typeof calls.restore>) {
  const stored = await lockAgent(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const snapshot = await versionOf(ctx, id, versionNo)
  const version = toBehaviourInput(snapshot)
  const { memId: provider } = await assertReferencedRowsExist(ctx.db, stored.tenantId, version)
  await eraseForMemoryModel(ctx, stored, version.memId, confirmErase)
  const behaviour = disableHistoryWithoutMemory(version, provider)
  const label = { agentName: snapshot.agentName }
  const action = `恢复智能体「${stored.agentName}」的版本 ${versionNo}`
  return saveBehaviour(ctx, stored, { behaviour, label, source: 3, note: `恢复版本 ${versionNo}`, action })
}

const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  chatHistoryConf: CHAT_HISTORY,
  memoryScope: MEMORY_SCOPE,
}
type Named = { readonly id: number; readonly name: string }
type NameOf = (id: number | null) => string
const nameFrom =
  (rows: readonly Named[]): NameOf =>
  (id) =>
    id === null ? '' : (rows.find((row) => row.id === id)?.name ?? `已删除（${id}）`)

/**
 * Reads the names of the records that a snapshot references. Returns a function that describes one field in Chinese.
 */
async function createFieldDescriber(db: Db, snapshot: VersionSnapshot): Promise<(field: string) => string> {
  const modelIds = Object.keys(MODEL_TYPE_BY_FIELD).flatMap(
    (field) => snapshot[field as keyof typeof MODEL_TYPE_BY_FIELD] ?? [],
  )
  const models = await namesOf(db, agentModels, modelIds)
  const voices = await namesOf(db, agentVoices, snapshot.voiceId === null ? [] : [snapshot.voiceId])
  const clones = await namesOf(db, agentVoiceClones, snapshot.cloneId === null ? [] : [snapshot.cloneId])
  const files = await namesOf(db, agentWordFiles, snapshot.wordFileIds)
  const plugins = new Map(
    (await db.select({ code: agentProviders.code, name: agentProviders.name }).from(agentProviders)).map((each) => [
      each.code,
      each.name,
    ]),
  )
  const words = (field: string) => {
    const value = snapshot[field as keyof VersionSnapshot]
    if (field in MODEL_TYPE_BY_FIELD) return models(value as number | null)
    if (field === 'voiceId') return voices(value as number | null)
    if (field === 'cloneId') return clones(value as number | null)
    if (field === 'wordFileIds') return snapshot.wordFileIds.map(files).join('、')
    if (field === 'plugins') return snapshot.plugins.map((each) => pluginText(each, plugins)).join('\n')
    if (field === 'contextProviders') return snapshot.contextProviders.map(({ url }) => url).join('\n')
    if (field === 'contextFacts')
      return snapshot.contextFacts.map((fact) => CONTEXT_FACT[fact as ContextFact]).join('、')
    if (field === 'tools') return snapshot.tools.map((tool) => AGENT_TOOL[tool as AgentTool]).join('、')
    if (field === 'secrets')
      return Object.entries(snapshot.secrets)
        .map(([path, last]) => `${path} ****${last}`)
        .join('\n')
    return WORDS[field]?.[value as number] ?? (value === null || value === undefined ? '' : String(value))
  }
  return (field) => maskAddressSecrets(words(field))
}

function pluginText(
  { providerCode, params }: VersionSnapshot['plugins'][number],
  names: ReadonlyMap<string, string>,
): string {
  const shown = Object.entries(params).filter(([, value]) => value !== '')
  const list = shown.map(([key, value]) => `${key}=${String(value)}`).join('，')
  return `${names.get(providerCode) ?? providerCode}${list ? `（${list}）` : ''}`
}

type NamedTable = typeof agentModels | typeof agentVoices | typeof agentVoiceClones | typeof agentWordFiles

async function namesOf(db: Db, table: NamedTable, ids: readonly number[]): Promise<NameOf> {
  if (ids.length === 0) return nameFrom([])
  const of = table as typeof agentModels
  return nameFrom(
    await db
      .select({ id: of.id, name: of.name })
      .from(of)
      .where(inArray(of.id, [...ids])),
  )
}
