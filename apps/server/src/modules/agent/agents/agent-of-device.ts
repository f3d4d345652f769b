import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { agents, agentVersions } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import type { StoredBehaviour, VersionSnapshot } from './agent-behaviour.ts'
import { mergeSecrets } from './agent-secrets.ts'
import { readSecrets, SECRET_OWNER } from '../secrets.ts'

export type AgentOfDevice = Omit<typeof agents.$inferSelect, keyof StoredBehaviour> & StoredBehaviour

/**
 * Returns the agent of a bound device. Returns undefined when the agent is deleted. Caches nothing, so an edit applies
 * at the next connection. Needs a session without row-level security for the secrets.
 */
export async function resolveAgentOfDevice(
  db: Db,
  secretKey: Buffer,
  deviceId: number,
): Promise<AgentOfDevice | undefined> {
  const [found] = await db
    .select({ agent: agents })
    .from(agentDevices)
    .innerJoin(agents, eq(agents.id, agentDevices.agentId))
    .where(and(eq(agentDevices.deviceId, deviceId), notDeleted(agents)))
  if (!found) return undefined
  const { agent } = found
  const opened = await readSecrets(db, secretKey, SECRET_OWNER.agent, [agent.id])
  return { ...agent, ...mergeSecrets(agent, opened.get(agent.id) ?? new Map<string, string>()) }
}

/** Returns the snapshot of a version, or undefined when the version was removed. */
export async function readVersionSnapshot(
  db: Db,
  agentId: number,
  versionNo: number,
): Promise<VersionSnapshot | undefined> {
  const [found] = await db
    .select({ snapshot: agentVersions.snapshot })
    .from(agentVersions)
    .where(and(eq(agentVersions.agentId, agentId), eq(agentVersions.versionNo, versionNo)))
  return found?.snapshot as VersionSnapshot | undefined
}
