import type { agentHistory as calls } from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, LoggedRecord, User } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { bindingsWithVisibleTalks, visibleAgents } from '../agents/visible-agents.ts'
import { dropSummaries } from './stored-memory.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { HISTORY_RECORD } from './history.ts'
import { VOICE_DEVICE_LOG_KIND, readLoggedDeviceName } from './logged-device.ts'

/** Value of `memory_scope` when the devices of the agent share one memory. */
const SHARED_MEMORY = 2

interface MemoryOwner {
  readonly agentId: number | undefined
  readonly deviceId: number | undefined
}

/**
 * Returns the memory and its owner, which is the agent or the device. When the devices of an agent share one memory, a
 * device has the memory of the agent.
 */
async function memoryOf(db: Db, user: User, { agentId, deviceId }: MemoryOwner) {
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
