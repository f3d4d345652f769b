import {
  type AgentBehaviour,
  ERASURE_WARNING,
  findDataErasedByProvider,
} from '@oms/contract/agent/agents/agent-input.ts'
import { inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { agentModels } from '../schema/agent-model.ts'
import type { StoredAgent } from '../agents/agent-store.ts'
import { eraseMemory } from './erase-memory.ts'

/**
 * Returns a function that gets the id of a new memory model and returns the data that saving the model erases. A model
 * of the same provider erases nothing.
 */
export async function createErasedDataFinder(db: Db, current: number | null, ids: readonly (number | null)[]) {
  const known = [...new Set([current, ...ids])].filter((id) => id !== null)
  const rows = await db
    .select({ id: agentModels.id, code: agentModels.providerCode })
    .from(agentModels)
    .where(inArray(agentModels.id, known))
  const codes = new Map(rows.map(({ id, code }) => [id, code]))
  const codeOf = (id: number | null) => (id === null ? undefined : codes.get(id))
  return (id: number | null) => (codeOf(id) === codeOf(current) ? undefined : findDataErasedByProvider(codeOf(id)))
}

/** Erases turns or memory as the new memory model requires. Throws unless the caller confirmed. */
export async function eraseForMemoryModel(
  ctx: Ctx,
  stored: StoredAgent,
  memId: number | undefined,
  confirmErase: number,
) {
  const erased = (await createErasedDataFinder(ctx.db, stored.memId, [memId ?? null]))(memId ?? null)
  if (!erased) return
  if (confirmErase !== 1) throw invalid(ERASURE_WARNING[erased], 'memId')
  await eraseMemory(ctx, stored.id, erased)
}

/** Sets the history to `0` (store nothing) for memory models without memory. */
export const disableHistoryWithoutMemory = (behaviour: AgentBehaviour, provider: string | undefined): AgentBehaviour =>
  findDataErasedByProvider(provider) === 'turns' ? { ...behaviour, chatHistoryConf: 0 } : behaviour
