import {
  CLONE_SECONDS,
  type voiceClones as calls,
  voiceClones as contract,
} from '@oms/contract/agent/voices/voice-clone.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { measureAudioSeconds } from '#core/media/wav.ts'
import { isFeatureEnabled } from '../parameters/features.ts'
import { queueCloneTraining } from './voice-clone-training.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agentModels, agentVoiceClones } from '../schema/agent-model.ts'
import { files } from '#core/schema/system.ts'
import { readAudio } from '../voiceprints/voiceprint-audio.ts'
import { isTrainableModel } from './voice-clone-rows.ts'

const FAILED = 3

const record = defineRecord({
  table: agentVoiceClones,
  calls: contract,
  kind: 'agentVoiceClone',
  noun: '克隆音色',
  nameOf: ({ name }) => name,
  references: { modelId: agentModels },
  // The recording is personal data. The clean-up of unused files deletes it.
  onRemove: async ({ db }, { fileId }) =>
    void (await db
      .update(files)
      .set({ usedTime: null })
      .where(and(eq(files.id, fileId), eq(files.purpose, 'agentAudio')))),
})
export const { remove: removeClone } = record

async function assertFeature({ services }: Ctx, tenantId: number) {
  if (!(await isFeatureEnabled(services, tenantId, 'clone'))) throw refused('克隆功能已停用，请在参数 features 中启用')
}

async function assertPast(db: Db, time: string) {
  const { rows } = await db.execute<{ isLater: boolean }>(sql`select ${time}::timestamptz > now() as "isLater"`)
  if (rows[0]!.isLater) throw invalid('同意时间不能晚于现在', 'consentTime')
}

/**
 * Marks the uploaded recording of this account as used. Returns its name and its length. Refuses an unreadable, short
 * or long recording.
 */
async function takeRecording(ctx: Ctx, fileId: string) {
  const { db, user, now } = ctx
  const [file] = await db
    .update(files)
    .set({ usedTime: now.toISOString() })
    .where(and(eq(files.id, fileId), eq(files.uid, user.uid), eq(files.purpose, 'agentAudio'), isNull(files.usedTime)))
    .returning({ name: files.name, sha256: files.sha256 })
  if (!file) throw invalid('录音不正确，请重新上传', 'recording')
  const seconds = measureAudioSeconds(await readAudio(ctx, file.sha256))
  if (seconds === undefined) throw invalid('录音内容无法识别，请上传 mp3 或 wav 录音', 'recording')
  const { min, max } = CLONE_SECONDS
  if (seconds < min || seconds > max)
    throw invalid(`录音应为 ${min}～${max} 秒，当前为 ${seconds.toFixed(1)} 秒`, 'recording')
  return { fileName: file.name, seconds: Math.round(seconds) }
}

/** Stores a clone with the consent of its speaker, and queues its training. */
export async function createClone(ctx: Ctx, { recording, ...input }: ParsedOf<typeof calls.create>) {
  const { db } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx)
  await assertFeature(ctx, tenantId)
  const fileId = recording.slice(-32)
  const problems = new FieldProblems()
  await problems.collect(() => assertPast(db, input.consentTime))
  const model = and(isTrainableModel(tenantId), eq(agentModels.id, input.modelId))
  if ((await db.$count(agentModels, model)) === 0) problems.add('modelId', '请选择本客户自己的火山双向流式语音合成模型')
  const taken = await problems.collect(() => takeRecording(ctx, fileId))
  problems.throwIfAny()
  const saved = await record.insert(ctx, { ...input, ...taken!, fileId, tenantId })
  await queueCloneTraining(ctx.services, db, saved.id)
  return saved
}

export async function renameClone(ctx: Ctx, { id, rev, name }: ParsedOf<typeof calls.update>) {
  return record.save(ctx, await record.lock(ctx, id), rev, { name })
}

/** Trains a failed clone again with its recording. */
export async function retryClone(ctx: Ctx, { id }: ParsedOf<typeof calls.retry>) {
  const stored = await record.lock(ctx, id)
  await assertFeature(ctx, stored.tenantId)
  if (stored.state !== FAILED) throw refused('只有训练失败的克隆音色可以重新训练')
  await ctx.db
    .update(agentVoiceClones)
    .set({ state: 0, error: '', ...updateColumns(stored, ctx.user.uid, ctx.now) })
    .where(eq(agentVoiceClones.id, id))
  ctx.audit({ bizType: 'agentVoiceClone', bizId: id, action: `重新训练克隆音色「${stored.name}」` })
  await queueCloneTraining(ctx.services, ctx.db, id)
  await ctx.services.events.publish(ctx.db, 'changed', { resource: 'agent', tenantId: stored.tenantId })
  return null
}
