import {
  type agentHistory as calls,
  MAX_FOUND_TURNS,
  MAX_SEARCHED_SESSIONS,
  agentHistory as contract,
  ExportedTurn,
  joinSentences,
  MAX_EXPORTED_TURNS,
} from '@oms/contract/agent/history/history.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, paginate, within, among } from '#core/database/lists/list-query.ts'
import { notFound, invalid, forbidden, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { files } from '#core/schema/system.ts'
import { listTitledColumns } from '#core/spreadsheet/columns.ts'
import { defineStreamedExport, type StreamSource } from '#core/spreadsheet/export.ts'
import { sendFile } from '#core/storage/send.ts'
import { inTransaction } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { scopedByAgent, visibleSessions } from '../agents/agent.ts'
import { VOICE_DEVICE_LOG_KIND, readLoggedDeviceName } from '../devices/device.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentSessionTasks, agentSessions, agentTurns } from '../schema/agent-history.ts'
import { agents } from '../schema/agent.ts'
import { eraseRemindersOfSession } from './reminder.ts'

/** Maximum number of turns returned for one session. */
const MAX_TURNS = 500
export const HISTORY_RECORD = { bizType: 'agent' } as const
const NOT_KEPT = { 'cache-control': 'no-store' }

const visibleTurns = (user: User) =>
  scopedByAgent(user, { tenant: agentTurns.tenantId, agent: agentTurns.agentId, device: agentTurns.deviceId })

const selectSessions = (db: Db) =>
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
async function logHistoryRead(
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

/** Length of a snippet. `BEFORE`: characters of the snippet before the first match. */
const SNIPPET = 60
const BEFORE = 16

interface Match extends Record<string, unknown> {
  readonly id: number
  readonly snippet: string
}

/**
 * Finds conversations whose title or turns contain the search text. One search reads the turns of at most 1,000
 * sessions through an index, so that long histories cost no more. Search texts of two characters work too.
 */
export async function searchHistory(ctx: Ctx, { agentId, deviceId, words, page }: ParsedOf<typeof calls.search>) {
  const { db, user } = ctx
  if ((agentId === undefined) === (deviceId === undefined)) throw invalid('请选择智能体或设备', 'agentId')
  const isOf = agentId === undefined ? eq(agentSessions.deviceId, deviceId!) : eq(agentSessions.agentId, agentId)
  const order = [desc(agentSessions.lastTime), desc(agentSessions.id)]
  const read = await db
    .select({ id: agentSessions.id })
    .from(agentSessions)
    .where(and(isOf, visibleSessions(user)))
    .orderBy(...order)
    .limit(MAX_SEARCHED_SESSIONS + 1)
    .offset((page - 1) * MAX_SEARCHED_SESSIONS)
  const searched = read.slice(0, MAX_SEARCHED_SESSIONS).map(({ id }) => id)
  const matches = await matchesIn(ctx, searched, words)
  const shown = matches.slice(0, MAX_FOUND_TURNS)
  const snippets = new Map(shown.map(({ id, snippet }) => [id, snippet]))
  const rows =
    shown.length === 0
      ? []
      : await selectSessions(db)
          .where(and(among(agentSessions.id, [...snippets.keys()]), visibleSessions(user)))
          .orderBy(...order)
  const what = agentId === undefined ? '设备的' : '智能体的'
  await logHistoryRead(
    ctx,
    searched.length > 0 ? { agentId, deviceId } : {},
    (device) => `在${device || what} ${searched.length} 次对话中查找内容，找到 ${matches.length} 次`,
  )
  return {
    list: rows.map((row) => ({ ...row, snippet: snippets.get(row.id) ?? '' })),
    searched: searched.length,
    isCut: matches.length > MAX_FOUND_TURNS,
    hasOlder: read.length > MAX_SEARCHED_SESSIONS,
  }
}

/** Returns the sessions that contain the search text, latest first, each with the text around the first match. */
async function matchesIn({ db }: Ctx, ids: readonly number[], words: string) {
  if (ids.length === 0) return []
  const at = sql`strpos(lower(t.content), lower(${words}::text))`
  const { rows } = await db.execute<Match>(sql`
    select s.id::float8 as id, substr(t.content, greatest(1, ${at} - ${BEFORE}::int), ${SNIPPET}::int) as snippet
    from unnest(${sql.param([...ids])}::bigint[]) with ordinality as w (id, place)
      join agent_sessions s on s.id = w.id
      cross join lateral (
        select s.title as content where ${contains(sql`s.title`, words)}
        union all (
          select content from agent_turns
          where session_row_id = s.id and report_time between s.first_time and s.last_time and kind < 3
            and ${contains(sql`content`, words)}
          order by report_time limit 1)
        limit 1) t
    order by w.place limit ${MAX_FOUND_TURNS + 1}`)
  return rows
}

type ExportInput = ParsedOf<typeof contract.export>

/** Sessions whose turns are read with one statement. */
const SESSIONS_A_READ = 200

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
  batches: readExportedTurns,
})

/** Exports the text of a session, or of the conversations of an agent or a device in a period. */
export async function exportHistory(ctx: Ctx, input: ExportInput) {
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

const conditionOf = (user: User, { agentId, deviceId, sessionId, beginTime, endTime }: ExportInput) =>
  and(
    visibleSessions(user),
    agentId === undefined ? undefined : eq(agentSessions.agentId, agentId),
    deviceId === undefined ? undefined : eq(agentSessions.deviceId, deviceId),
    sessionId === undefined ? undefined : eq(agentSessions.id, sessionId),
    ...within(agentSessions.lastTime, beginTime, endTime),
  )

/** Yields the turns of the sessions, oldest session first. Omits sessions that begin during the export. */
async function* readExportedTurns({ services, input, user, signal }: StreamSource<typeof contract.export>) {
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
  for (let at = 0; at < sessions.length; at += SESSIONS_A_READ) {
    signal.throwIfAborted()
    const ids = sessions.slice(at, at + SESSIONS_A_READ).map(({ id }) => id)
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
