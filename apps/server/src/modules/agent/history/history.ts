import type { agentHistory as calls } from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, paginate, within } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendFile } from '#core/storage/send.ts'
import { scopedByAgent, visibleSessions } from '../agents/visible-agents.ts'
import { eraseRemindersOfSession } from './reminders.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentSessionTasks, agentSessions, agentTurns } from '../schema/agent-history.ts'
import { devices } from '#modules/device/schema.ts'
import { files } from '#core/schema/system.ts'
import { VOICE_DEVICE_LOG_KIND, readLoggedDeviceName } from './logged-device.ts'

/** Maximum number of turns returned for one session. */
const MAX_TURNS = 500
export const HISTORY_RECORD = { bizType: 'agent' } as const
const NOT_KEPT = { 'cache-control': 'no-store' }

const visibleTurns = (user: User) =>
  scopedByAgent(user, { tenant: agentTurns.tenantId, agent: agentTurns.agentId, device: agentTurns.deviceId })

export const selectSessions = (db: Db) =>
  db
    .select({
      id: agentSessions.id,
      title: agentSessions.title,
      agentId: agentSessions.agentId,
      deviceId: agentSessions.deviceId,
      deviceName:
        sql<string>`coalesce(nullif(${agentDevices.alias}, ''), nullif(${devices.devName}, ''), ${devices.sn}, '')`.as(
          'device_name',
        ),
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
      turns: agentSessions.turns,
      characters: agentSessions.characters,
      seconds: agentSessions.seconds,
      firstTime: agentSessions.firstTime,
      lastTime: agentSessions.lastTime,
      endTime: agentSessions.endTime,
    })
    .from(agentSessions)
    .leftJoin(agents, eq(agents.id, agentSessions.agentId))
    .leftJoin(devices, eq(devices.id, agentSessions.deviceId))
    .leftJoin(agentDevices, eq(agentDevices.deviceId, agentSessions.deviceId))

interface ReadHistory {
  readonly agentId?: number | undefined
  readonly deviceId?: number | undefined
}

/**
 * Adds the agent or the device to the operation log when its conversations are read. `describe` receives a text with
 * the name of the device, such as `设备「客厅 00:1a:2b:3c:4d:5e」的`, or an empty text.
 */
export async function logHistoryRead(
  ctx: Ctx,
  { agentId, deviceId }: ReadHistory,
  describe: (device: string) => string,
): Promise<void> {
  if (agentId !== undefined || deviceId === undefined)
    return ctx.audit({ ...HISTORY_RECORD, ...(agentId !== undefined && { bizId: agentId }), action: describe('') })
  const device = await readLoggedDeviceName(ctx.db, deviceId)
  ctx.audit({ ...VOICE_DEVICE_LOG_KIND, bizId: deviceId, action: describe(`设备「${device}」的`) })
}

/**
 * Lists conversations. Logs each call, because titles summarise conversations. The log names the agent or the device
 * only when a row was found. An id of another tenant therefore never appears in the caller's log.
 */
export async function listSessions(ctx: Ctx, input: ParsedOf<typeof calls.sessions>) {
  const { db, user } = ctx
  const { agentId, deviceId, title, beginTime, endTime, ...page } = input
  const conditions: (SQL | undefined)[] = [
    visibleSessions(user),
    agentId === undefined ? undefined : eq(agentSessions.agentId, agentId),
    deviceId === undefined ? undefined : eq(agentSessions.deviceId, deviceId),
    contains(agentSessions.title, title),
    ...within(agentSessions.lastTime, beginTime, endTime),
  ]
  const query = selectSessions(db)
    .where(and(...conditions))
    .$dynamic()
  const found = await paginate(db, query, page, [desc(agentSessions.lastTime), desc(agentSessions.id)])
  await logHistoryRead(ctx, found.list.length > 0 ? { agentId, deviceId } : {}, (device) => `查看${device}对话列表`)
  return found
}

async function sessionOf(db: Db, user: User, id: number) {
  const [session] = await selectSessions(db).where(and(eq(agentSessions.id, id), visibleSessions(user)))
  if (!session) throw notFound('会话')
  return session
}

export async function openSession(ctx: Ctx, { id }: ParsedOf<typeof calls.open>) {
  const { db, user } = ctx
  const session = await sessionOf(db, user, id)
  const turns = await db
    .select({
      id: agentTurns.id,
      kind: agentTurns.kind,
      content: agentTurns.content,
      characters: agentTurns.characters,
      speaker: agentTurns.speaker,
      audioId: agentTurns.audioId,
      seconds: agentTurns.seconds,
      reportTime: agentTurns.reportTime,
    })
    .from(agentTurns)
    .where(eq(agentTurns.sessionRowId, id))
    .orderBy(asc(agentTurns.reportTime), asc(agentTurns.id))
    .limit(MAX_TURNS + 1)
  const action = `查看设备「${session.deviceName}」于 ${session.firstTime} 的对话`
  ctx.audit({ ...HISTORY_RECORD, bizId: session.agentId, action })
  return { session, turns: turns.slice(0, MAX_TURNS), isCut: turns.length > MAX_TURNS }
}

export async function sendTurnAudio(ctx: Ctx, { audioId }: ParsedOf<typeof calls.audio>): Promise<StreamResponse> {
  const { db, user, services } = ctx
  const [found] = await db
    .select({
      sha256: files.sha256,
      name: files.name,
      mime: files.mime,
      size: files.size,
      agentId: agentTurns.agentId,
      reportTime: agentTurns.reportTime,
      deviceName: sql<string>`coalesce(${devices.sn}, '')`.as('device_name'),
    })
    .from(agentTurns)
    .innerJoin(files, eq(files.id, agentTurns.audioId))
    .leftJoin(devices, eq(devices.id, agentTurns.deviceId))
    .where(and(eq(agentTurns.audioId, audioId), visibleTurns(user)))
    .limit(1)
  if (!found) throw notFound('语音')
  const { agentId, reportTime, deviceName, ...file } = found
  ctx.audit({ ...HISTORY_RECORD, bizId: agentId, action: `播放设备「${deviceName}」于 ${reportTime} 的录音` })
  return (request, reply) => sendFile(request, reply, services.files, file, NOT_KEPT)
}

export async function eraseSession(ctx: Ctx, { id }: ParsedOf<typeof calls.erase>) {
  const { db, user } = ctx
  const session = await sessionOf(db, user, id)
  const erased = await db
    .delete(agentTurns)
    .where(eq(agentTurns.sessionRowId, id))
    .returning({ audioId: agentTurns.audioId })
  const audioIds = erased.map(({ audioId }) => audioId).filter((each) => each !== '')
  const isEnrolled = sql`exists (select from agent_voiceprints p where p.audio_id = ${files.id})`
  if (audioIds.length > 0) await db.delete(files).where(and(inArray(files.id, audioIds), sql`not ${isEnrolled}`))
  await eraseRemindersOfSession(db, session)
  await db.delete(agentSessionTasks).where(eq(agentSessionTasks.sessionRowId, id))
  await db.delete(agentSessions).where(eq(agentSessions.id, id))
  ctx.audit({
    ...HISTORY_RECORD,
    bizId: session.agentId,
    action: `清除设备「${session.deviceName}」于 ${session.firstTime} 的对话`,
  })
  return null
}
