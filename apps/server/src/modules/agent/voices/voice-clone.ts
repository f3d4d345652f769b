import {
  CLONE_PROVIDER,
  type voiceClones as calls,
  CLONE_SECONDS,
  voiceClones as contract,
} from '@oms/contract/agent/voices/voice-clone.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, sql, isNull } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { visibleRecords, defineRecord } from '#core/database/record.ts'
import { notFound, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { measureAudioSeconds } from '#core/media/wav.ts'
import { accounts } from '#core/schema/account.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { isFeatureEnabled } from '../parameter-values.ts'
import { agentModels, agentVoiceClones } from '../schema/agent-model.ts'
import { agents, agentTemplates } from '../schema/agent.ts'
import { readAudio } from '../voiceprint.ts'
import { queueCloneTraining } from './voice-clone-training.ts'

const { id, createTime } = agentVoiceClones
const MAX_MODELS = 100

const usesIn = (table: typeof agents | typeof agentTemplates, user: User) =>
  sql`(select count(*)::int from ${table} where ${and(
    eq(table.cloneId, id),
    notDeleted(table),
    scoped(user, { tenant: table.tenantId, creator: table.createBy }),
  )})`

const select = (db: Db, user: User) =>
  db
    .select({
      id,
      tenantId: agentVoiceClones.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '平台')`.as('tenant_name'),
      modelId: agentVoiceClones.modelId,
      modelName: sql<string>`coalesce(${agentModels.name}, '')`.as('model_name'),
      name: agentVoiceClones.name,
      voiceId: agentVoiceClones.voiceId,
      recording: sql<string>`'/api/v1/file/' || ${agentVoiceClones.fileId}`.as('recording'),
      seconds: agentVoiceClones.seconds,
      state: agentVoiceClones.state,
      error: agentVoiceClones.error,
      consentSpeaker: agentVoiceClones.consentSpeaker,
      consentTime: agentVoiceClones.consentTime,
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      useCount: sql<number>`${usesIn(agents, user)} + ${usesIn(agentTemplates, user)}`.as('use_count'),
      createTime,
      updateTime: agentVoiceClones.updateTime,
      rev: agentVoiceClones.rev,
    })
    .from(agentVoiceClones)
    .leftJoin(agentModels, eq(agentModels.id, agentVoiceClones.modelId))
    .leftJoin(tenants, eq(tenants.id, agentVoiceClones.tenantId))
    .leftJoin(accounts, eq(accounts.uid, agentVoiceClones.createBy))

const visible = (user: User) => visibleRecords({ table: agentVoiceClones }, user)

export function listClones({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const { name, voiceId, state, tenantId } = input
  const query = select(db, user).where(
    and(
      visible(user),
      contains(agentVoiceClones.name, name),
      contains(agentVoiceClones.voiceId, voiceId),
      state === undefined ? undefined : eq(agentVoiceClones.state, state),
      tenantId === undefined ? undefined : eq(agentVoiceClones.tenantId, tenantId),
    ),
  )
  return paginate(db, query.$dynamic(), input, buildSort(input, { createTime }, id))
}

export async function getClone({ db, user }: Ctx, input: ParsedOf<typeof calls.get>) {
  const [found] = await select(db, user).where(and(visible(user), eq(id, input.id)))
  if (!found) throw notFound('克隆音色')
  return found
}

export const getCloneFeature = async ({ services, user }: Ctx) => ({
  isEnabled: await isFeatureEnabled(services, user.tenantId ?? PLATFORM_TENANT_ID, 'clone'),
})

/**
 * Returns the condition for models that may train clones of a tenant. Excludes shared models, because a training
 * consumes a voice that the owner of the model paid for.
 */
const isTrainableModel = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    eq(agentModels.tenantId, tenantId),
    eq(agentModels.type, 'TTS'),
    eq(agentModels.providerCode, CLONE_PROVIDER),
    eq(agentModels.status, 1),
  )

export async function listCloneModels(ctx: Ctx, { keyword }: ParsedOf<typeof calls.models>) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const list = await ctx.db
    .select({ id: agentModels.id, name: agentModels.name, code: agentModels.code })
    .from(agentModels)
    .where(
      and(isTrainableModel(tenantId), or(contains(agentModels.name, keyword), contains(agentModels.code, keyword))),
    )
    .orderBy(asc(agentModels.sort), asc(agentModels.id))
    .limit(MAX_MODELS)
  return { list }
}

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
