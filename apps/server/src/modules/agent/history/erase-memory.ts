import { eq, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { eraseTurnsOfAgent } from './erase-turns.ts'
import { dropSummaries } from './stored-memory.ts'
import { eraseRemindersOfAgent } from './reminders.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'

/**
 * Erases the memory of an agent and of its devices. With `turns`, also erases the turns, recordings and titles of the
 * conversations, and the reminders.
 */
export async function eraseMemory({ db, services }: Ctx, agentId: number, erased: 'turns' | 'memory') {
  await db.update(agents).set({ memory: '', memoryEditTime: sql`now()` }).where(eq(agents.id, agentId))
  await db.update(agentDevices).set({ memory: '', memoryEditTime: sql`now()` }).where(eq(agentDevices.agentId, agentId))
  await dropSummaries(db, sql`s.agent_id = ${agentId}`)
  if (erased !== 'turns') return
  await eraseTurnsOfAgent(db, services, agentId)
  await eraseRemindersOfAgent(db, agentId)
}
