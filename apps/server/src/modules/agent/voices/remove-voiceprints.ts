import { eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { agentVoiceprints } from '../schema/agent-history.ts'
import { deleteUnusedRecording } from '../history/recordings.ts'
import { findVoiceprintService } from './voiceprint-service.ts'

/** Queue of the jobs that delete voiceprints in the voiceprint service. */
const QUEUE = 'agent-voiceprint-remove'

interface Removal {
  readonly tenantId: number
  readonly ids: readonly number[]
}

/**
 * Deletes all voiceprints of an agent. A job deletes them in the voiceprint service, because the service may be down
 * now. Returns their number.
 */
export async function removeVoiceprintsOfAgent(db: Db, { jobs }: Pick<Services, 'jobs'>, agentId: number) {
  const { id, tenantId, audioId } = agentVoiceprints
  const gone = await db
    .delete(agentVoiceprints)
    .where(eq(agentVoiceprints.agentId, agentId))
    .returning({ id, tenantId, audioId })
  for (const each of gone) await deleteUnusedRecording(db, each.audioId)
  const [first] = gone
  if (first) await jobs.sendMessage(db, QUEUE, { tenantId: first.tenantId, ids: gone.map((each) => each.id) })
  return gone.length
}

/** Registers the job that deletes voiceprints in the service. Without a configured service nothing is left to do. */
export function registerVoiceprintRemoval(services: Services) {
  const options = { title: '删除声纹', timeLimitSeconds: 30 * 60, retries: 20, retryDelaySeconds: 60 }
  services.jobs.registerMessages(
    QUEUE,
    async ({ payload }, _progress, signal) => {
      const { tenantId, ids } = payload as Removal
      const service = await findVoiceprintService(services, tenantId)
      for (const id of service ? ids : []) {
        signal.throwIfAborted()
        await service?.remove(id)
      }
    },
    options,
  )
}
