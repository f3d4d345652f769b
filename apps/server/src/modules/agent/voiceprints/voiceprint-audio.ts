import { buffer } from 'node:stream/consumers'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { isFeatureEnabled } from '../parameters/features.ts'
import { VoiceprintError, findVoiceprintService } from '../voices/voiceprint-service.ts'
import { agentTurns } from '../schema/agent-history.ts'
import { files } from '#core/schema/system.ts'
import { USER_TURN } from './voiceprint-rows.ts'

const MAX_WAV = 10 * 1024 * 1024

/** Returns the voiceprint service of a tenant. Throws when no service is configured or the feature is switched off. */
export async function assertVoiceprintService({ services }: Pick<Ctx, 'services'>, tenantId: number) {
  if (!(await isFeatureEnabled(services, tenantId, 'voiceprint')))
    throw refused('声纹功能已停用，请在参数 features 中启用')
  const service = await findVoiceprintService(services, tenantId)
  if (!service) throw refused('还没有配置声纹服务，请填写参数 server.voice_print')
  return service
}

/** Runs calls of the voiceprint service. Converts a failure to an API error with the reason. */
export async function callVoiceprintService<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof VoiceprintError ? refused(error.message) : error
  }
}

/** Finds the audio of a user turn of the agent. */
export async function findTurnAudio(db: Db, agentId: number, audioId: string) {
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
