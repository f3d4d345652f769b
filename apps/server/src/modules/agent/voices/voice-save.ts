import { type agentVoices as calls, agentVoices as contract } from '@oms/contract/agent/voices/voice.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { defineRecord } from '#core/database/record.ts'
import { invalid } from '#core/http/api-error.ts'
import { assertAll } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { buildUsableModelCondition } from '../models/model-access.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agentModels, agentVoices } from '../schema/agent-model.ts'
import { files } from '#core/schema/system.ts'

const record = defineRecord({
  table: agentVoices,
  calls: contract,
  kind: 'agentVoice',
  isSharedByPlatform: true,
  noun: '音色',
  nameOf: ({ name }) => name,
  titles: { demoFileId: '试听文件' },
  references: { modelId: agentModels },
})

export const { remove: removeVoice, enable: enableVoice, disable: disableVoice } = record

/** Refuses a model that is missing, of another type, or not for this tenant. */
async function assertSpeechModel(db: Db, tenantId: number, modelId: number) {
  const [found] = await db
    .select({ id: agentModels.id })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'TTS'), eq(agentModels.id, modelId)))
  if (!found) throw invalid('语音合成模型不存在或已被删除', 'modelId')
}

/** Returns the file id of a sample's URL; empty without a sample. */
const fileIdOf = (url: string) => url.slice(-32)

/** Marks a new sample as used, and releases the replaced sample to the clean-up of unused files. */
async function changeSample({ db, user, now }: Ctx, before: string, after: string) {
  if (after === before) return
  const isSample = (id: string) => and(eq(files.id, id), eq(files.purpose, 'agentDemo'))
  if (after !== '') {
    const [adopted] = await db
      .update(files)
      .set({ usedTime: now.toISOString() })
      .where(and(isSample(after), eq(files.uid, user.uid)))
      .returning({ id: files.id })
    if (!adopted) throw invalid('试听文件不正确，请重新上传', 'demoFile')
  }
  if (
    before !== '' &&
    (await db.$count(agentVoices, and(notDeleted(agentVoices), eq(agentVoices.demoFileId, before)))) <= 1
  )
    await db.update(files).set({ usedTime: null }).where(isSample(before))
}

export async function createVoice(ctx: Ctx, { demoFile, ...input }: ParsedOf<typeof calls.create>) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const demoFileId = fileIdOf(demoFile)
  await assertAll(
    () => assertSpeechModel(ctx.db, tenantId, input.modelId),
    () => changeSample(ctx, '', demoFileId),
  )
  return record.insert(ctx, { ...input, demoFileId, tenantId })
}

export async function updateVoice(ctx: Ctx, { id, rev, demoFile, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await record.lock(ctx, id)
  const demoFileId = fileIdOf(demoFile)
  await assertAll(
    () => input.modelId !== stored.modelId && assertSpeechModel(ctx.db, stored.tenantId, input.modelId),
    () => changeSample(ctx, stored.demoFileId, demoFileId),
  )
  return record.save(ctx, stored, rev, { ...input, demoFileId })
}
