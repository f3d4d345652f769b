import {
  type SERVICE_STATES,
  TEST_RECORDING,
  type voiceprints as calls,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { findUploadProblem } from '@oms/contract/core/upload.ts'
import { eq } from 'drizzle-orm'
import { forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import { isTenantInScope, PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { isFeatureEnabled } from '../parameters/features.ts'
import { VoiceprintError, findVoiceprintService } from '../voices/voiceprint-service.ts'
import { agentVoiceprints } from '../schema/agent-history.ts'
import { assertVoiceprintService, readAudio, findTurnAudio, callVoiceprintService } from './voiceprint-audio.ts'
import { requireVisibleAgent } from './voiceprint-rows.ts'

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
