import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import type { agentVoices as calls } from '@oms/contract/agent/voices/voice.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { assertMayChangeSharedRow, PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { buildUsableVoiceCondition } from '../models/model-access.ts'
import { type DecryptedModel, readModelConfigs } from '../models/model-config.ts'
import { describeClosedModel, isModelOpen } from '../models/open-models.ts'
import { recordUsage } from '../usage/usage-view.ts'
import { type SynthesisedSpeech, SynthesisError, synthesise } from './speech-synthesis.ts'
import type { SynthesisInput } from './synthesis-requests.ts'
import { agentVoices } from '../schema/agent-model.ts'

/** Characters that a tenant may test on one day. The platform has no limit. */
const CHARACTERS_PER_DAY = 5000
/** Number of characters to which the price of a model applies. */
const PRICED_CHARACTERS = 10_000

/**
 * Requests the speech of a sentence from the vendor of a voice, and sends the audio file. Counts the characters as a
 * try-out of the tenant of the voice, or of the caller's tenant for a voice of the platform.
 */
export async function testVoice(ctx: Ctx, { id, text }: ParsedOf<typeof calls.test>): Promise<StreamResponse> {
  const { services, user } = ctx
  const voice = await transact(ctx, async (db) => {
    const [found] = await db
      .select()
      .from(agentVoices)
      .where(and(buildUsableVoiceCondition(user), eq(agentVoices.id, id)))
    return found
  })
  if (!voice) throw notFound('音色')
  // Staff of the platform use the key and the budget of the platform, without a daily limit.
  if (user.isPlatform) assertMayChangeSharedRow(user, voice.tenantId)
  ctx.audit({ bizType: 'agentVoice', bizId: id, action: `测试音色「${voice.name}」` })
  const payer = voice.tenantId === PLATFORM_TENANT_ID ? (user.tenantId ?? PLATFORM_TENANT_ID) : voice.tenantId
  const model = await openModelOf(ctx, voice.modelId, payer)
  await assertCharactersLeft(ctx, payer)
  const { audio, mime } = await say(services, model, {
    text,
    voice: voice.code,
    referenceAudio: voice.referenceAudio,
    referenceText: voice.referenceText,
  })
  await countCharacters(ctx, payer, model, [...text].length)
  return (_request, reply) => reply.header('content-type', mime).header('cache-control', 'no-store').send(audio)
}

/** Calls the vendor. A failure of the vendor becomes a refusal that shows its words. */
async function say(
  { config }: Ctx['services'],
  model: DecryptedModel,
  speech: SynthesisInput,
): Promise<SynthesisedSpeech> {
  const policy = selectAddressPolicy(config, model.tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  try {
    return await synthesise(model, speech, policy)
  } catch (error) {
    if (error instanceof SynthesisError || error instanceof OutboundError) throw refused(error.message)
    throw error
  }
}

/** Returns the model with its keys. Refuses a model that the tenant may not use now. */
async function openModelOf({ services }: Ctx, modelId: number, tenantId: number): Promise<DecryptedModel> {
  const { database, config } = services
  const model = (await readModelConfigs(database.db, config.secretKey, [modelId])).get(modelId)
  if (!model) throw invalid('语音合成模型不存在或已被删除', 'id')
  if (!isModelOpen(model, tenantId)) throw refused(describeClosedModel('语音合成模型', model))
  return model
}

/** Throws when the tenant has used all characters of today. Tests that run at the same time may exceed the limit. */
async function assertCharactersLeft({ services }: Ctx, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return
  const { rows } = await services.database.db.execute<{ used: number }>(sql`
    select coalesce(sum(n), 0)::float8 as used from agent_usage where tenant_id = ${tenantId} and day = current_date
      and unit = ${USAGE_UNIT.characters} and source = ${USAGE_SOURCE.tryOut}`)
  if (rows[0]!.used >= CHARACTERS_PER_DAY) throw refused('今日的音色测试额度已用完，请明天再试')
}

const countCharacters = ({ services }: Ctx, tenantId: number, { id, priceOut }: DecryptedModel, n: number) =>
  recordUsage(services.database.db, [
    {
      tenantId,
      agentId: 0,
      deviceId: 0,
      source: USAGE_SOURCE.tryOut,
      modelId: id,
      unit: USAGE_UNIT.characters,
      n,
      cost: (n * priceOut) / PRICED_CHARACTERS,
      isEstimate: false,
    },
  ])
