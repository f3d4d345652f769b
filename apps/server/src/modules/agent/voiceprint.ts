import { buffer } from 'node:stream/consumers'
import {
  MAX_OFFERED_TURNS,
  type voiceprints as calls,
  MAX_SPEAKERS,
  SAME_SPEAKER_SCORE,
  VoiceprintChange,
  type SERVICE_STATES,
  TEST_RECORDING,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { findUploadProblem } from '@oms/contract/core/upload.ts'
import { and, desc, eq, ne, sql, getTableColumns } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, conflict, invalid, forbidden, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { sendFile } from '#core/storage/send.ts'
import {
  scoped,
  transact,
  transactWithOperationLog,
  isTenantInScope,
  PLATFORM_TENANT_ID,
} from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { visibleAgents } from './agents/agent.ts'
import { deleteUnusedRecording } from './history/history-retention.ts'
import { isFeatureEnabled } from './parameter-values.ts'
import { agentTurns, agentVoiceprints } from './schema/agent-history.ts'
import { agents } from './schema/agent.ts'
import { type VoiceprintService, findVoiceprintService, VoiceprintError } from './voiceprint-service.ts'

const USER_TURN = 1
/** Response header for personal data, which must not stay in the browser cache of a shared computer. */
const NOT_KEPT = { 'cache-control': 'no-store' }

const visibleVoiceprints = (user: User) =>
  scoped(user, { tenant: agentVoiceprints.tenantId, creator: agentVoiceprints.createBy })

const hits = sql<number>`(select count(*)::int from agent_turns t where t.agent_id = ${agentVoiceprints.agentId}
  and t.speaker = ${agentVoiceprints.name} and t.speaker <> '' and t.report_time > now() - interval '30 days')`

const select = (db: Db) =>
  db
    .select({
      id: agentVoiceprints.id,
      name: agentVoiceprints.name,
      introduction: agentVoiceprints.introduction,
      agentId: agentVoiceprints.agentId,
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
      tenantId: agentVoiceprints.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      hits: hits.as('hits'),
      audioId: agentVoiceprints.audioId,
      createTime: agentVoiceprints.createTime,
      updateTime: agentVoiceprints.updateTime,
      rev: agentVoiceprints.rev,
    })
    .from(agentVoiceprints)
    .leftJoin(agents, eq(agents.id, agentVoiceprints.agentId))
    .leftJoin(tenants, eq(tenants.id, agentVoiceprints.tenantId))
    .$dynamic()

export function listVoiceprints({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const query = select(db).where(
    and(
      visibleVoiceprints(user),
      contains(agentVoiceprints.name, input.name),
      input.agentId === undefined ? undefined : eq(agentVoiceprints.agentId, input.agentId),
      input.tenantId === undefined ? undefined : eq(agentVoiceprints.tenantId, input.tenantId),
      ...within(agentVoiceprints.createTime, input.beginTime, input.endTime),
    ),
  )
  return paginate(db, query, input, buildSort(input, { createTime: agentVoiceprints.createTime }, agentVoiceprints.id))
}

export async function getVoiceprint({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db).where(and(eq(agentVoiceprints.id, id), visibleVoiceprints(user)))
  if (!found) throw notFound('声纹')
  return found
}

/** Returns an agent that the caller may see. */
async function requireVisibleAgent(db: Db, user: User, agentId: number) {
  const [found] = await db
    .select({ id: agents.id, name: agents.agentName, tenantId: agents.tenantId })
    .from(agents)
    .where(and(eq(agents.id, agentId), visibleAgents(user)))
  if (!found) throw notFound('智能体')
  return found
}

/** Returns the latest user turns with audio. Opens its own transaction, because the call is logged. */
export function listTurns(ctx: Ctx, { agentId }: ParsedOf<typeof calls.turns>) {
  return transact(ctx, async (db) => {
    const agent = await requireVisibleAgent(db, ctx.user, agentId)
    const list = await db
      .select({
        audioId: agentTurns.audioId,
        content: agentTurns.content,
        speaker: agentTurns.speaker,
        deviceName: sql<string>`coalesce(nullif(${devices.devName}, ''), ${devices.sn}, '')`,
        seconds: agentTurns.seconds,
        reportTime: agentTurns.reportTime,
      })
      .from(agentTurns)
      .leftJoin(devices, eq(devices.id, agentTurns.deviceId))
      .where(and(eq(agentTurns.agentId, agentId), eq(agentTurns.kind, USER_TURN), ne(agentTurns.audioId, '')))
      .orderBy(desc(agentTurns.reportTime))
      .limit(MAX_OFFERED_TURNS)
    ctx.audit({ bizType: 'agent', bizId: agentId, action: `查看智能体「${agent.name}」的用户语音` })
    return { list }
  })
}

/** Sends the audio of a user turn or of an enrolled speaker that the caller may see. */
export async function sendAudio(ctx: Ctx, { audioId }: ParsedOf<typeof calls.audio>): Promise<StreamResponse> {
  const found = await transact(ctx, async (db) => {
    const source = await audioSourceOf(db, ctx.user, audioId)
    const [file] = source ? await db.select().from(files).where(eq(files.id, audioId)) : []
    return source && file && { source, file }
  })
  if (!found) throw notFound('语音')
  ctx.audit({ bizType: 'agent', bizId: found.source.agentId, action: found.source.action })
  return (request, reply) => sendFile(request, reply, ctx.services.files, found.file, NOT_KEPT)
}

/** Returns the agent of a recording within the scope of the caller, and the text for the log. */
async function audioSourceOf(db: Db, user: User, audioId: string) {
  const [speaker] = await db
    .select({ agentId: agentVoiceprints.agentId, name: agentVoiceprints.name })
    .from(agentVoiceprints)
    .where(and(eq(agentVoiceprints.audioId, audioId), visibleVoiceprints(user)))
    .limit(1)
  if (speaker) return { agentId: speaker.agentId, action: `播放声纹「${speaker.name}」的录音` }
  const [turn] = await db
    .select({ agentId: agentTurns.agentId, agentName: agents.agentName, reportTime: agentTurns.reportTime })
    .from(agentTurns)
    .innerJoin(agents, eq(agents.id, agentTurns.agentId))
    .where(and(eq(agentTurns.audioId, audioId), eq(agentTurns.kind, USER_TURN), visibleAgents(user)))
    .limit(1)
  return turn && { agentId: turn.agentId, action: `播放智能体「${turn.agentName}」于 ${turn.reportTime} 的用户录音` }
}

/** The record id begins with the tenant, because the operation log outlives the row of a voiceprint. */
const recordOf = (tenantId: number, id: number) => ({ bizType: 'agentVoiceprint', bizId: `${tenantId}:${id}` }) as const
const TITLES = readFieldTitles(VoiceprintChange.shape)
const NAME_TAKEN = '该智能体已有同名的说话人'
const CLASHES = { agent_voiceprints_name: [NAME_TAKEN, 'name'] } as const

const speakersOf = (db: Db, agentId: number) =>
  db
    .select({ id: agentVoiceprints.id, name: agentVoiceprints.name })
    .from(agentVoiceprints)
    .where(eq(agentVoiceprints.agentId, agentId))
    .orderBy(agentVoiceprints.id)
type Speakers = Awaited<ReturnType<typeof speakersOf>>

/** Refuses a recording that is too similar to another speaker of the agent. */
async function assertNewSpeaker(service: VoiceprintService, others: Speakers, wav: Buffer) {
  if (others.length === 0) return
  const ids = others.map(({ id }) => id)
  const { speakerId, score } = await callVoiceprintService(() => service.identify(ids, wav))
  const same = score > SAME_SPEAKER_SCORE ? others.find(({ id }) => id === speakerId) : undefined
  if (same) throw conflict(`这段语音与已登记的「${same.name}」是同一个人（相似度 ${score.toFixed(2)}）`, 'audioId')
}

function assertRoom(others: Speakers, name: string) {
  if (others.some((each) => each.name === name)) throw conflict(NAME_TAKEN, 'name')
  if (others.length >= MAX_SPEAKERS) throw invalid(`一个智能体最多登记 ${MAX_SPEAKERS} 个说话人`)
}

/**
 * Enrols a speaker. The service stores the voiceprint before the row is inserted, so that a row without a voiceprint
 * never exists. Removes the voiceprint when the row cannot be inserted.
 */
export async function createVoiceprint(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { user } = ctx
  const { agentId, name, introduction, audioId } = input
  const { agent, audio, others, id } = await transact(ctx, async (db) => {
    const agent = await requireVisibleAgent(db, user, agentId)
    const others = await speakersOf(db, agentId)
    assertRoom(others, name)
    const { rows } = await db.execute<{ id: string }>(
      sql`select nextval(pg_get_serial_sequence('agent_voiceprints', 'id')) as id`,
    )
    return { agent, others, audio: await findTurnAudio(db, agentId, audioId), id: Number(rows[0]!.id) }
  })
  const service = await assertVoiceprintService(ctx, agent.tenantId)
  const wav = await readAudio(ctx, audio.sha256)
  await assertNewSpeaker(service, others, wav)
  await callVoiceprintService(() => service.register(id, wav))
  const { tenantId } = agent
  const row = { id, tenantId, agentId, name, introduction, audioId, turnId: audio.turnId }
  const audited = { createBy: user.uid, updateBy: user.uid }
  const action = `为智能体「${agent.name}」登记声纹「${name}」`
  await transactWithOperationLog(ctx, async (db) => {
    await db.insert(agentVoiceprints).values({ ...row, ...audited })
    ctx.audit({ ...recordOf(tenantId, id), action, diff: listChanges({}, { name, introduction }, TITLES) })
    await publish(db, ctx, tenantId)
  }).catch(async (error: unknown) => {
    await service.remove(id).catch(() => {})
    throw toUniqueViolation(error, CLASHES) ?? error
  })
  return { id }
}

const publish = (db: Db, { services }: Ctx, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'agent', tenantId })

async function storedVoiceprint(db: Db, ctx: Ctx, id: number, isLocked = false) {
  const query = db
    .select(getTableColumns(agentVoiceprints))
    .from(agentVoiceprints)
    .where(and(eq(agentVoiceprints.id, id), visibleVoiceprints(ctx.user)))
  const [stored] = await (isLocked ? query.for('update') : query)
  if (!stored) throw notFound('声纹')
  return stored
}

/** Changes name and introduction of a speaker. Enrols another recording when the input names one. */
export async function updateVoiceprint(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { id, rev, name, introduction } = input
  const recording = await replacedRecording(ctx, input)
  return transactWithOperationLog(ctx, async (db) => {
    const stored = await storedVoiceprint(db, ctx, id, true)
    await checkRevision(db, stored, rev)
    const diff = listChanges(stored, { name, introduction }, TITLES)
    if (diff.length === 0 && !recording) return { rev: stored.rev }
    const next = updateColumns(stored, ctx.user.uid, ctx.now)
    await db
      .update(agentVoiceprints)
      .set({ name, introduction, ...recording, ...next })
      .where(eq(agentVoiceprints.id, id))
      .catch((error: unknown) => {
        throw toUniqueViolation(error, CLASHES) ?? error
      })
    if (recording) await deleteUnusedRecording(db, stored.audioId)
    const action = `修改声纹「${stored.name}」${recording ? '，更换了语音' : ''}`
    ctx.audit({ ...recordOf(stored.tenantId, id), action, diff })
    await publish(db, ctx, stored.tenantId)
    return { rev: next.rev }
  })
}

/**
 * Enrols another recording under the id of the voiceprint. Returns its columns, or undefined when the input names no
 * recording.
 */
async function replacedRecording(ctx: Ctx, { id, rev, name, audioId }: ParsedOf<typeof calls.update>) {
  const facts = await transact(ctx, async (db) => {
    const stored = await storedVoiceprint(db, ctx, id)
    await checkRevision(db, stored, rev)
    const others = (await speakersOf(db, stored.agentId)).filter((each) => each.id !== id)
    if (others.some((each) => each.name === name)) throw conflict(NAME_TAKEN, 'name')
    if (audioId === undefined || audioId === stored.audioId) return undefined
    return { stored, others, audio: await findTurnAudio(db, stored.agentId, audioId) }
  })
  if (!facts) return undefined
  const service = await assertVoiceprintService(ctx, facts.stored.tenantId)
  const wav = await readAudio(ctx, facts.audio.sha256)
  await assertNewSpeaker(service, facts.others, wav)
  await callVoiceprintService(() => service.register(id, wav))
  return { audioId: audioId!, turnId: facts.audio.turnId }
}

/** Deletes a voiceprint. Without a configured service only the row is deleted. */
export async function removeVoiceprint(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const stored = await transact(ctx, (db) => storedVoiceprint(db, ctx, id))
  const service = await findVoiceprintService(ctx.services, stored.tenantId)
  if (service) await callVoiceprintService(() => service.remove(id))
  await transactWithOperationLog(ctx, async (db) => {
    await db.delete(agentVoiceprints).where(and(eq(agentVoiceprints.id, id), visibleVoiceprints(ctx.user)))
    await deleteUnusedRecording(db, stored.audioId)
    ctx.audit({ ...recordOf(stored.tenantId, id), action: `删除声纹「${stored.name}」` })
    await publish(db, ctx, stored.tenantId)
  })
  return null
}

/** Maximum number of simultaneous comparisons. The service computes each comparison on one core. */
const MAX_CONCURRENT_COMPARISONS = 4

/** Returns the state of the voiceprint service of a tenant. */
export async function getServiceState({ services, user }: Ctx, { tenantId }: ParsedOf<typeof calls.service>) {
  const tenant = tenantId ?? user.tenantId ?? PLATFORM_TENANT_ID
  if (tenant !== user.tenantId && !isTenantInScope(user, tenant)) throw forbidden()
  const answer = (state: keyof typeof SERVICE_STATES, message = '', total = 0) => ({ state, message, total })
  if (!(await isFeatureEnabled(services, tenant, 'voiceprint'))) return answer(3)
  const service = await findVoiceprintService(services, tenant)
  if (!service) return answer(0)
  try {
    return answer(1, '', await service.health())
  } catch (error) {
    if (error instanceof VoiceprintError) return answer(2, error.message)
    throw error
  }
}

/** Compares the audio of a user turn with every speaker of the agent. */
export async function testTurn(ctx: Ctx, { agentId, audioId }: ParsedOf<typeof calls.test>) {
  const audio = await transact(ctx, async (db) => {
    await requireVisibleAgent(db, ctx.user, agentId)
    return findTurnAudio(db, agentId, audioId)
  })
  return compare(ctx, agentId, await readAudio(ctx, audio.sha256))
}

/** Compares an uploaded recording with every speaker of the agent. The recording is not stored. */
export async function testFile(ctx: Ctx, { agentId }: ParsedOf<typeof calls.testFile>) {
  return compare(ctx, agentId, await uploadedWav(ctx))
}

async function uploadedWav({ incoming }: Ctx): Promise<Buffer> {
  if (!incoming) throw invalid('请选择文件', 'file')
  const rule = { ...TEST_RECORDING, maxCount: 1 }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream) {
    size += (chunk as Buffer).length
    // Reads the rest of the body without keeping it. Otherwise the client would not receive the response.
    if (size <= rule.maxBytes) chunks.push(chunk as Buffer)
  }
  const problem = findUploadProblem(rule, { name: incoming.name, size })
  if (problem) throw invalid(problem, 'file')
  const wav = Buffer.concat(chunks)
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE')
    throw invalid('文件内容不是 WAV 录音，请重新选择', 'file')
  return wav
}

/** Sends one request for each speaker, because the service returns only the most similar of several speakers. */
async function compare(ctx: Ctx, agentId: number, wav: Buffer) {
  const { agent, speakers } = await transact(ctx, async (db) => {
    const agent = await requireVisibleAgent(db, ctx.user, agentId)
    const { id, name, introduction } = agentVoiceprints
    const query = db.select({ id, name, introduction }).from(agentVoiceprints)
    return { agent, speakers: await query.where(eq(agentVoiceprints.agentId, agentId)).orderBy(id) }
  })
  if (speakers.length === 0) throw invalid('该智能体还没有登记说话人', 'agentId')
  const service = await assertVoiceprintService(ctx, agent.tenantId)
  const limited = limitConcurrency(MAX_CONCURRENT_COMPARISONS, speakers.length, () => invalid('说话人过多'))
  const list = await callVoiceprintService(() =>
    Promise.all(
      speakers.map((speaker) =>
        limited(async () => ({ ...speaker, score: (await service.identify([speaker.id], wav)).score })),
      ),
    ),
  )
  ctx.audit({ bizType: 'agent', bizId: agentId, action: `测试智能体「${agent.name}」的声纹` })
  const params = await ctx.services.agentParameters.of(agent.tenantId)
  const threshold = params.number('server.voiceprint_similarity_threshold')
  return { list: list.sort((a, b) => b.score - a.score || a.id - b.id), threshold }
}

const MAX_WAV = 10 * 1024 * 1024

/** Returns the voiceprint service of a tenant. Throws when no service is configured or the feature is switched off. */
async function assertVoiceprintService({ services }: Pick<Ctx, 'services'>, tenantId: number) {
  if (!(await isFeatureEnabled(services, tenantId, 'voiceprint')))
    throw refused('声纹功能已停用，请在参数 features 中启用')
  const service = await findVoiceprintService(services, tenantId)
  if (!service) throw refused('还没有配置声纹服务，请填写参数 server.voice_print')
  return service
}

/** Runs calls of the voiceprint service. Converts a failure to an API error with the reason. */
async function callVoiceprintService<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof VoiceprintError ? refused(error.message) : error
  }
}

/** Finds the audio of a user turn of the agent. */
async function findTurnAudio(db: Db, agentId: number, audioId: string) {
  const [found] = await db
    .select({ turnId: agentTurns.id, sha256: files.sha256, size: files.size })
    .from(agentTurns)
    .innerJoin(files, eq(files.id, agentTurns.audioId))
    .where(and(eq(agentTurns.audioId, audioId), eq(agentTurns.agentId, agentId), eq(agentTurns.kind, USER_TURN)))
    .limit(1)
  if (!found) throw invalid('这段语音不属于该智能体或已过保留期，请重新选择', 'audioId')
  if (found.size > MAX_WAV) throw invalid('这段语音过长，请选择较短的语音', 'audioId')
  return found
}

/** Reads a stored recording into memory; its size is limited by `findTurnAudio`. */
export async function readAudio({ services }: Pick<Ctx, 'services'>, sha256: string): Promise<Buffer> {
  return buffer(await services.files.openRead(sha256))
}
