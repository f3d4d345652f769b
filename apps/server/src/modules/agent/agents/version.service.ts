import type { agentVersions as calls } from '@oms/contract/agent/agents/agent-version.ts'
import { AgentBehaviour, KEPT_HEADER_MARK } from '@oms/contract/agent/agents/agent-input.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import { assertAll } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { listChangedFields, type StoredBehaviour, type VersionSnapshot } from '#domain/agents/agents/agent-behaviour.ts'
import { readVersionSnapshot } from '#domain/agents/agents/agent-of-device.ts'
import { formatHeaderField, formatPluginField, splitSecrets } from '#domain/agents/agents/agent-secrets.ts'
import { accounts } from '#schema/account.ts'
import { agents, agentVersions } from '#schema/agent/agent.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import { assertBehaviour, assertReferencedRowsExist, assertComplete } from './agent-rules.ts'
import { saveBehaviour } from './agent-save.ts'
import {
  addVersion,
  AGENT_TITLES,
  AGENT_BIZ_TYPE,
  lockAgent,
  publishAgents,
  readAgent,
  buildSnapshotWithEndings,
  storeSecrets,
  type StoredAgent,
  findFieldTitles,
} from './agent-store.ts'
import { eraseForMemoryModel, createErasedDataFinder, disableHistoryWithoutMemory } from '../history/memory-rule.ts'
import { removeCandidateSecrets } from './secret-cleanup.ts'
import { createFieldDescriber } from './version-words.ts'

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
  return { list: shown, versionNo: agent.versionNo, candidateNo: agent.candidateNo }
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
 * Returns the behaviour and the name of a version that becomes the version in force. Erases turns or memory as its
 * memory model requires.
 */
async function putInForce(ctx: Ctx, stored: StoredAgent, versionNo: number, confirmErase: number) {
  const snapshot = await versionOf(ctx, stored.id, versionNo)
  const behaviour = toBehaviourInput(snapshot)
  const { memId: provider } = await assertReferencedRowsExist(ctx.db, stored.tenantId, behaviour)
  await eraseForMemoryModel(ctx, stored, behaviour.memId, confirmErase)
  const label = { agentName: snapshot.agentName ?? stored.agentName }
  return { behaviour: disableHistoryWithoutMemory(behaviour, provider), label }
}

/** Saves an earlier version as a new one. Secrets are not part of versions and stay as they are. */
export async function restoreVersion(ctx: Ctx, { id, versionNo, rev, confirmErase }: ParsedOf<typeof calls.restore>) {
  const stored = await lockAgent(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const restored = await putInForce(ctx, stored, versionNo, confirmErase)
  const action = `恢复智能体「${stored.agentName}」的版本 ${versionNo}`
  return saveBehaviour(ctx, stored, { ...restored, source: 3, note: `恢复版本 ${versionNo}`, action })
}

/** Refuses devices that are not bound to the agent. */
async function assertDevices({ db }: Ctx, agentId: number, deviceIds: readonly number[]) {
  if (deviceIds.length === 0) return
  const isBound = and(eq(agentDevices.agentId, agentId), among(agentDevices.deviceId, deviceIds))
  if ((await db.$count(agentDevices, isBound)) < new Set(deviceIds).size)
    throw invalid('指定的设备未绑定该智能体', 'deviceIds')
}

async function saveReach(ctx: Ctx, stored: StoredAgent, reach: Partial<StoredAgent>, action: string) {
  const next = updateColumns(stored, ctx.user.uid, ctx.now)
  await ctx.db
    .update(agents)
    .set({ ...reach, ...next })
    .where(eq(agents.id, stored.id))
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: stored.id, action })
  await publishAgents(ctx, stored.tenantId)
  return { rev: next.rev }
}

/**
 * Refuses new values for secrets that the version in force uses, because all versions of an agent share its secrets.
 */
async function assertOwnSecrets({ db }: Ctx, { plugins, contextProviders }: StoredAgent, behaviour: AgentBehaviour) {
  const { secrets } = await splitSecrets(db, behaviour)
  const prefixes = plugins.map(({ providerCode }) => formatPluginField(providerCode, ''))
  const headers = contextProviders.flatMap((each) =>
    Object.keys(each.headers).map((name) => formatHeaderField(each.url, name)),
  )
  const isInForce = (field: string) => headers.includes(field) || prefixes.some((prefix) => field.startsWith(prefix))
  if ([...secrets.keys()].some(isInForce))
    throw invalid('候选版本与当前版本共用密钥，新的密钥请先保存到当前版本', 'plugins')
}

const NO_CANDIDATE = { candidateNo: null, candidateShare: 0, candidateDeviceIds: [] }

/** Saves the form as the candidate. Named devices and a share of the other devices get the candidate. */
export async function saveCandidate(ctx: Ctx, input: ParsedOf<typeof calls.saveCandidate>) {
  const { id, rev, note, share, deviceIds, agentName, tags: _, ...behaviour } = input
  assertComplete(behaviour)
  const stored = await lockAgent(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const { memId: provider } = await assertBehaviour(ctx.db, stored.tenantId, behaviour, stored.plugins)
  await assertAll(
    () => assertOwnSecrets(ctx, stored, behaviour),
    () => assertDevices(ctx, id, deviceIds),
  )
  const before = await buildSnapshotWithEndings(ctx.db, id, stored, stored.agentName)
  const columns = await storeSecrets(ctx, stored, disableHistoryWithoutMemory(behaviour, provider))
  await removeCandidateSecrets(ctx.db, stored, columns)
  const snapshot = await buildSnapshotWithEndings(ctx.db, id, columns, agentName)
  const { versionNo } = await addVersion(ctx, stored, { snapshot, before, source: 5, note })
  const reach = { candidateNo: versionNo, candidateShare: share, candidateDeviceIds: deviceIds }
  const saved = await saveReach(ctx, stored, reach, `保存智能体「${stored.agentName}」的候选版本 ${versionNo}`)
  return { ...saved, versionNo }
}

/** Returns the locked agent. Throws when the agent has no candidate. */
async function withCandidate(ctx: Ctx, id: number, rev: number) {
  const stored = await lockAgent(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const { candidateNo } = stored
  if (candidateNo === null) throw invalid('该智能体没有候选版本')
  return { ...stored, candidateNo }
}

export async function setCandidateScope(ctx: Ctx, { id, rev, share, deviceIds }: ParsedOf<typeof calls.reach>) {
  const stored = await withCandidate(ctx, id, rev)
  await assertDevices(ctx, id, deviceIds)
  const action = `调整候选版本 ${stored.candidateNo} 的范围：${share}%，指定${deviceIds.length}台`
  return saveReach(ctx, stored, { candidateShare: share, candidateDeviceIds: deviceIds }, action)
}

/** Saves the candidate as the new version in force. */
export async function adoptCandidate(ctx: Ctx, { id, rev, confirmErase }: ParsedOf<typeof calls.take>) {
  const stored = await withCandidate(ctx, id, rev)
  const adopted = await putInForce(ctx, stored, stored.candidateNo, confirmErase)
  await ctx.db.update(agents).set(NO_CANDIDATE).where(eq(agents.id, id))
  const action = `采用智能体「${stored.agentName}」的候选版本 ${stored.candidateNo}`
  const note = `采用候选版本 ${stored.candidateNo}`
  return saveBehaviour(ctx, { ...stored, ...NO_CANDIDATE }, { ...adopted, source: 5, note, action })
}

/** Ends the candidate. Removes its keys, so that they must be entered again when its version is restored. */
export async function dropCandidate(ctx: Ctx, { id, rev }: ParsedOf<typeof calls.drop>) {
  const stored = await withCandidate(ctx, id, rev)
  await removeCandidateSecrets(ctx.db, stored)
  return saveReach(ctx, stored, NO_CANDIDATE, `放弃智能体「${stored.agentName}」的候选版本 ${stored.candidateNo}`)
}
