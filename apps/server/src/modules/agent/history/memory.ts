import {
  type AgentBehaviour,
  ERASURE_WARNING,
  findDataErasedByProvider,
} from '@oms/contract/agent/agents/agent-input.ts'
import type { agentHistory as calls } from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, ne, or, sql, type SQL, inArray } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, LoggedRecord, User } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { bindingsWithVisibleTalks, visibleAgents, type StoredAgent } from '../agents/agent.ts'
import { VOICE_DEVICE_LOG_KIND, readLoggedDeviceName } from '../devices/device.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels } from '../schema/agent-model.ts'
import { agents } from '../schema/agent.ts'
import { eraseTurnsOfAgent } from './history-retention.ts'
import { HISTORY_RECORD } from './history.ts'
import { eraseRemindersOfAgent } from './reminder.ts'

/** Value of `memory_scope` when the devices of the agent share one memory. */
const SHARED_MEMORY = 2

/**
 * Returns the memory and its owner, which is the agent or the device. When the devices of an agent share one memory, a
 * device has the memory of the agent.
 */
async function memoryOf(db: Db, user: User, { agentId, deviceId }: ParsedOf<typeof calls.memory>) {
  if ((agentId === undefined) === (deviceId === undefined)) throw invalid('请选择智能体或设备', 'agentId')
  const [found] = await db
    .select({
      agentId: agents.id,
      agentName: agents.agentName,
      scope: agents.memoryScope,
      shared: agents.memory,
      own: sql<string>`coalesce(${agentDevices.memory}, '')`.as('own_memory'),
    })
    .from(agents)
    .leftJoin(agentDevices, deviceId === undefined ? sql`false` : eq(agentDevices.agentId, agents.id))
    .where(
      deviceId === undefined
        ? and(visibleAgents(user), eq(agents.id, agentId!))
        : and(
            notDeleted(agents),
            bindingsWithVisibleTalks(user),
            eq(agentDevices.deviceId, deviceId),
            or(ne(agents.memoryScope, SHARED_MEMORY), visibleAgents(user)),
          ),
    )
  if (!found) throw notFound(deviceId === undefined ? '智能体' : '设备')
  const isOfAgent = deviceId === undefined || found.scope === SHARED_MEMORY
  return { ...found, isOfAgent, isShared: found.scope === SHARED_MEMORY, memory: isOfAgent ? found.shared : found.own }
}

type FoundMemory = Awaited<ReturnType<typeof memoryOf>>

/**
 * Adds the owner of the memory to the operation log. When the memory was opened from a device, the history of this
 * device also contains the entry, with the name of the device.
 */
async function auditMemory(ctx: Ctx, verb: string, found: FoundMemory, deviceId: number | undefined) {
  const { agentId, agentName, isOfAgent, isShared } = found
  if (deviceId === undefined) {
    ctx.audit({ ...HISTORY_RECORD, bizId: agentId, action: `${verb}「${agentName}」的记忆` })
    return
  }
  const device = await readLoggedDeviceName(ctx.db, deviceId)
  const action = isShared ? `在设备「${device}」中${verb}「${agentName}」共用的记忆` : `${verb}设备「${device}」的记忆`
  const records: LoggedRecord[] = [{ ...VOICE_DEVICE_LOG_KIND, id: deviceId, action }]
  if (isOfAgent) records.unshift({ ...HISTORY_RECORD, id: agentId, action })
  ctx.audit({ records })
}

export async function getMemory(ctx: Ctx, { agentId, deviceId }: ParsedOf<typeof calls.memory>) {
  const found = await memoryOf(ctx.db, ctx.user, { agentId, deviceId })
  await auditMemory(ctx, '查看', found, deviceId)
  return { memory: found.memory, isShared: found.isShared }
}

/** Saves the memory. An empty text erases the memory, and the summaries of ended sessions that are not written yet. */
export async function saveMemory(ctx: Ctx, input: ParsedOf<typeof calls.saveMemory>) {
  const { db, user } = ctx
  const { agentId, deviceId, memory: text, before } = input
  const found = await memoryOf(db, user, { agentId, deviceId })
  // When each device has an own memory, no device receives a new memory of the agent. An empty text is accepted,
  // because it erases a memory that the devices shared earlier.
  if (found.isOfAgent && !found.isShared && text !== '')
    throw conflict('该智能体的设备各自保存记忆，请在设备上修改', 'memory')
  const isUnchanged = (memory: PgColumn) => (before === undefined ? undefined : eq(memory, before))
  const { rowCount } = found.isOfAgent
    ? await db
        .update(agents)
        .set({ memory: text, memoryEditTime: sql`now()` })
        .where(and(eq(agents.id, found.agentId), isUnchanged(agents.memory)))
    : await db
        .update(agentDevices)
        .set({ memory: text, memoryEditTime: sql`now()` })
        .where(and(eq(agentDevices.deviceId, deviceId!), isUnchanged(agentDevices.memory)))
  await auditMemory(ctx, text === '' ? '清除' : '修改', found, deviceId)
  if (!rowCount) throw conflict('记忆已被对话或他人更新，请对照最新内容后再保存', 'memory')
  if (text === '') await dropPendingSummaries(ctx, found, deviceId)
  return null
}

async function dropPendingSummaries(ctx: Ctx, { isOfAgent, agentId }: FoundMemory, deviceId: number | undefined) {
  await dropSummaries(ctx.db, isOfAgent ? sql`s.agent_id = ${agentId}` : sql`s.device_id = ${deviceId!}`)
  ctx.say('已清除，设备下次连接时生效')
}

/** `agent_after.kind` and `agent_after.state` of a running summary. */
const [SUMMARY, RUNNING] = [2, 1]

/** The owner of a memory: the device, or the agent when its devices share one. */
export interface MemoryOwner {
  readonly memoryScope: number
  readonly deviceId: number
  readonly agentId: number
}

const rowOf = ({ memoryScope, deviceId, agentId }: MemoryOwner) =>
  memoryScope === SHARED_MEMORY
    ? { table: sql.raw('agents'), isRow: sql`id = ${agentId}` }
    : { table: sql.raw('agent_devices'), isRow: sql`device_id = ${deviceId} and agent_id = ${agentId}` }

/** Stores a memory with the device, or with the agent when its devices share one memory. */
function storeMemory(db: Db, owner: MemoryOwner, memory: string) {
  const { table, isRow } = rowOf(owner)
  return db.execute(sql`update ${table} set memory = ${memory} where ${isRow}`)
}

/**
 * Stores a memory that a voice server derived from the memory of the time `since`. When a person changed the memory
 * after `since`, stores nothing and returns the memory of the person. Otherwise returns undefined. Null for `since` is
 * earlier than every change.
 */
export async function saveServerMemory(
  db: Db,
  owner: MemoryOwner,
  { memory, since }: { readonly memory: string; readonly since: string | null },
): Promise<string | undefined> {
  const { table, isRow } = rowOf(owner)
  const { rows } = await db.execute<{ kept: string | null }>(sql`
    with held as (select memory, memory_edit_time >= coalesce(${since}::timestamptz, '-infinity') as is_edited
        from ${table} where ${isRow} for update),
      saved as (update ${table} set memory = ${memory} where ${isRow} and exists (select from held where is_edited is not true))
    select case when is_edited then memory end as kept from held`)
  return rows[0]?.kept ?? undefined
}

/** Locks a running row of `agent_after`. Returns false when an erasure removed the task. */
export async function lockRunningTask(tx: Db, taskId: number): Promise<boolean> {
  const { rows } = await tx.execute(
    sql`select id from agent_after where id = ${taskId} and state = ${RUNNING} for update`,
  )
  return rows.length > 0
}

interface Replacement {
  /** Row of `agent_after` that writes the memory. */
  readonly taskId: number
  /** Memory from which `after` was written. */
  readonly before: string
  readonly after: string
}

/**
 * Stores a summary only when the memory is still `before` and the task was not removed by an erasure. Returns the
 * memory that someone else stored meanwhile, or undefined when nothing is left to do. Locks the memory before the task,
 * as erasures do.
 */
export const replaceMemory = (db: Db, owner: MemoryOwner, { taskId, before, after }: Replacement) =>
  db.transaction(async (tx): Promise<string | undefined> => {
    const { table, isRow } = rowOf(owner)
    const { rows } = await tx.execute<{ memory: string }>(sql`select memory from ${table} where ${isRow} for update`)
    if (!rows[0] || !(await lockRunningTask(tx, taskId))) return undefined
    if (rows[0].memory !== before) return rows[0].memory
    await storeMemory(tx, owner, after)
    return undefined
  })

/**
 * Removes the waiting and running summaries of the sessions that match `isOf`, so that they do not restore an erased
 * memory. Call this after the memory was erased. `s` is the row of `agent_sessions`.
 */
export const dropSummaries = (db: Db, isOf: SQL) =>
  db.execute(sql`delete from agent_after w using agent_sessions s
    where s.id = w.session_row_id and w.kind = ${SUMMARY} and w.state < 2 and ${isOf}`)

/**
 * Returns a function that gets the id of a new memory model and returns the data that saving the model erases. A model
 * of the same provider erases nothing.
 */
export async function createErasedDataFinder(db: Db, current: number | null, ids: readonly (number | null)[]) {
  const known = [...new Set([current, ...ids])].filter((id) => id !== null)
  const rows = await db
    .select({ id: agentModels.id, code: agentModels.providerCode })
    .from(agentModels)
    .where(inArray(agentModels.id, known))
  const codes = new Map(rows.map(({ id, code }) => [id, code]))
  const codeOf = (id: number | null) => (id === null ? undefined : codes.get(id))
  return (id: number | null) => (codeOf(id) === codeOf(current) ? undefined : findDataErasedByProvider(codeOf(id)))
}

/** Erases turns or memory as the new memory model requires. Throws unless the caller confirmed. */
export async function eraseForMemoryModel(
  ctx: Ctx,
  stored: StoredAgent,
  memId: number | undefined,
  confirmErase: number,
) {
  const erased = (await createErasedDataFinder(ctx.db, stored.memId, [memId ?? null]))(memId ?? null)
  if (!erased) return
  if (confirmErase !== 1) throw invalid(ERASURE_WARNING[erased], 'memId')
  await eraseMemory(ctx, stored.id, erased)
}

/** Sets the history to `0` (store nothing) for memory models without memory. */
export const disableHistoryWithoutMemory = (behaviour: AgentBehaviour, provider: string | undefined): AgentBehaviour =>
  findDataErasedByProvider(provider) === 'turns' ? { ...behaviour, chatHistoryConf: 0 } : behaviour

/**
 * Erases the memory of an agent and of its devices. With `turns`, also erases the turns, recordings and titles of the
 * conversations, and the reminders.
 */
async function eraseMemory({ db, services }: Ctx, agentId: number, erased: 'turns' | 'memory') {
  await db.update(agents).set({ memory: '', memoryEditTime: sql`now()` }).where(eq(agents.id, agentId))
  await db.update(agentDevices).set({ memory: '', memoryEditTime: sql`now()` }).where(eq(agentDevices.agentId, agentId))
  await dropSummaries(db, sql`s.agent_id = ${agentId}`)
  if (erased !== 'turns') return
  await eraseTurnsOfAgent(db, services, agentId)
  await eraseRemindersOfAgent(db, agentId)
}
