import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  MAX_SPEAKERS,
  SAME_SPEAKER_SCORE,
  VoiceprintChange,
  type voiceprints as calls,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { deleteUnusedRecording } from '../history/recordings.ts'
import { type VoiceprintService, findVoiceprintService } from '../voices/voiceprint-service.ts'
import { agentVoiceprints } from '../schema/agent-history.ts'
import { assertVoiceprintService, readAudio, findTurnAudio, callVoiceprintService } from './voiceprint-audio.ts'
import { requireVisibleAgent, visibleVoiceprints } from './voiceprint-rows.ts'

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
