import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { agents, agentVersions } from '#schema/agent/agent.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import type { StoredBehaviour, VersionSnapshot } from './agent-behaviour.ts'
import { mergeSecrets } from './agent-secrets.ts'
import { readSecrets, SECRET_OWNER } from '../secrets.ts'

export type AgentOfDevice = Omit<typeof agents.$inferSelect, keyof StoredBehaviour> & StoredBehaviour

interface Reach {
  readonly id: number
  readonly candidateNo: number | null
  readonly candidateShare: number
  readonly candidateDeviceIds: readonly number[]
}

/**
 * Returns whether a device gets the candidate: the candidate names the device, or the bucket of the device is below the
 * share.
 */
export function isInCandidate({ id, candidateNo, candidateShare, candidateDeviceIds }: Reach, deviceId: number) {
  if (candidateNo === null) return false
  return candidateDeviceIds.includes(deviceId) || positionOf(id, deviceId) < candidateShare
}

/** Returns the bucket of a device, from 0 to 99. The bucket is the same for every candidate of the agent. */
const positionOf = (agentId: number, deviceId: number) =>
  createHash('sha256').update(`${agentId}:${deviceId}`).digest().readUInt32BE(0) % 100

/**
 * Returns the agent of a bound device with the behaviour of the version that the device gets. `versionNo` names that
 * version. Returns undefined when the agent is deleted. Caches nothing, so an edit applies at the next connection.
 * Needs a session without row-level security for the secrets.
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
  const [opened, snapshot] = await Promise.all([
    readSecrets(db, secretKey, SECRET_OWNER.agent, [agent.id]),
    isInCandidate(agent, deviceId) ? readVersionSnapshot(db, agent.id, agent.candidateNo!) : undefined,
  ])
  const secrets = opened.get(agent.id) ?? new Map<string, string>()
  const { secrets: _, ...behaviour } = snapshot ?? { secrets: {} }
  const merged = { ...agent, ...behaviour, ...(snapshot && { versionNo: agent.candidateNo! }) }
  return { ...merged, ...mergeSecrets(merged, secrets) }
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
