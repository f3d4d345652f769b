import {
  agentHistory as contract,
  ExportedTurn,
  joinSentences,
  MAX_EXPORTED_TURNS,
} from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { within } from '#core/database/lists/list-query.ts'
import { forbidden, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { listTitledColumns } from '#core/spreadsheet/columns.ts'
import { defineStreamedExport, type StreamSource } from '#core/spreadsheet/export.ts'
import { inTransaction } from '#core/tenancy/tenancy.ts'
import { visibleSessions } from '../agents/visible-agents.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentSessions, agentTurns } from '../schema/agent-history.ts'
import { devices } from '#modules/device/schema.ts'
import { logHistoryRead } from './history.ts'

type Input = ParsedOf<typeof contract.export>

/** Sessions whose turns are read with one statement. */
const SESSIONS = 200

/**
 * Throws unless the account may read the text of conversations. The endpoint already requires the permission to export.
 */
function assertReader(user: User) {
  if (!user.can(contract.open.access)) throw forbidden()
}

const addExport = defineStreamedExport({
  kind: 'agentHistory',
  endpoint: contract.export,
  sheet: '对话记录',
  schema: ExportedTurn,
  columns: listTitledColumns(ExportedTurn),
  batches,
})

/** Exports the text of a session, or of the conversations of an agent or a device in a period. */
export async function exportHistory(ctx: Ctx, input: Input) {
  assertReader(ctx.user)
  const { agentId, deviceId, sessionId, beginTime, endTime } = input
  if ([agentId, deviceId, sessionId].every((id) => id === undefined))
    throw invalid('请选择智能体、设备或会话', 'agentId')
  const answer = await addExport(ctx, input)
  const period = beginTime || endTime ? `，${beginTime ?? ''} 至 ${endTime ?? ''}` : ''
  const what = sessionId === undefined ? (agentId === undefined ? '设备的' : '智能体的') : '一次会话的'
  // The agent is read within the data scope of the caller, so that an id of another tenant never reaches the caller's
  // log.
  const [seen] = await ctx.db
    .select({ agentId: agentSessions.agentId })
    .from(agentSessions)
    .where(conditionOf(ctx.user, input))
    .limit(1)
  const isOfDevice = deviceId !== undefined && agentId === undefined && sessionId === undefined
  await logHistoryRead(
    ctx,
    seen ? (isOfDevice ? { deviceId } : seen) : {},
    (device) => `导出${device || what}对话文字${period}，转为后台`,
  )
  return answer
}

const conditionOf = (user: User, { agentId, deviceId, sessionId, beginTime, endTime }: Input) =>
  and(
    visibleSessions(user),
    agentId === undefined ? undefined : eq(agentSessions.agentId, agentId),
    deviceId === undefined ? undefined : eq(agentSessions.deviceId, deviceId),
    sessionId === undefined ? undefined : eq(agentSessions.id, sessionId),
    ...within(agentSessions.lastTime, beginTime, endTime),
  )

/** Yields the turns of the sessions, oldest session first. Omits sessions that begin during the export. */
async function* batches({ services, input, user, signal }: StreamSource<typeof contract.export>) {
  const read = async <T>(work: (db: Db, who: User) => Promise<T>) => {
    const who = await user()
    assertReader(who)
    return inTransaction(services.database, who, (db) => work(db, who))
  }
  const sessions = await read(async (db, who) =>
    db
      .select({ id: agentSessions.id, turns: agentSessions.turns })
      .from(agentSessions)
      .where(conditionOf(who, input))
      .orderBy(asc(agentSessions.lastTime), asc(agentSessions.id))
      .limit(MAX_EXPORTED_TURNS + 1),
  )
  const total = sessions.reduce((sum, { turns }) => sum + turns, 0)
  if (total > MAX_EXPORTED_TURNS || sessions.length > MAX_EXPORTED_TURNS)
    throw refused(`一次最多导出${MAX_EXPORTED_TURNS}轮对话，请缩小时间范围`)
  for (let at = 0; at < sessions.length; at += SESSIONS) {
    signal.throwIfAborted()
    const ids = sessions.slice(at, at + SESSIONS).map(({ id }) => id)
    yield { rows: joinSentences(await read((db, who) => turnsOf(db, who, ids))), total }
  }
}

const turnsOf = (db: Db, user: User, ids: readonly number[]) =>
  db
    .select({
      sessionId: agentSessions.sessionId,
      title: agentSessions.title,
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
      deviceName: sql<string>`coalesce(nullif(${agentDevices.alias}, ''), ${devices.sn}, '')`.as('device_name'),
      reportTime: agentTurns.reportTime,
      kind: agentTurns.kind,
      speaker: agentTurns.speaker,
      content: agentTurns.content,
      characters: agentTurns.characters,
      seconds: agentTurns.seconds,
    })
    .from(agentSessions)
    .innerJoin(agentTurns, eq(agentTurns.sessionRowId, agentSessions.id))
    .leftJoin(agents, eq(agents.id, agentSessions.agentId))
    .leftJoin(devices, eq(devices.id, agentSessions.deviceId))
    .leftJoin(agentDevices, eq(agentDevices.deviceId, agentSessions.deviceId))
    .where(and(inArray(agentSessions.id, [...ids]), visibleSessions(user)))
    .orderBy(asc(agentSessions.lastTime), asc(agentSessions.id), asc(agentTurns.reportTime), asc(agentTurns.id))
