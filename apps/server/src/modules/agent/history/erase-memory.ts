import { eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { eraseRemindersOfAgent } from '#domain/agents/history/reminders.ts'
import { agents } from '#schema/agent/agent.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import { agentAfter, agentSessions, agentTurns } from '#schema/agent/agent-history.ts'

/**
 * Erases the memory of an agent and of its devices. With `turns`, also erases the turns and titles of the
 * conversations, and the reminders.
 */
export async function eraseMemory(db: Db, agentId: number, erased: 'turns' | 'memory') {
  await db.update(agents).set({ memory: '' }).where(eq(agents.id, agentId))
  await db.update(agentDevices).set({ memory: '' }).where(eq(agentDevices.agentId, agentId))
  if (erased !== 'turns') return
  await db.delete(agentTurns).where(eq(agentTurns.agentId, agentId))
  // A title summarises the conversation, so it is erased too. A pending task would write a new title.
  const own = db.select({ id: agentSessions.id }).from(agentSessions).where(eq(agentSessions.agentId, agentId))
  await db.delete(agentAfter).where(inArray(agentAfter.sessionRowId, own))
  await db.update(agentSessions).set({ title: '' }).where(eq(agentSessions.agentId, agentId))
  await eraseRemindersOfAgent(db, agentId)
}
