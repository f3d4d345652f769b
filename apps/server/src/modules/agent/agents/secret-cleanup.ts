import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { StoredBehaviour } from './agent-behaviour.ts'
import { formatHeaderField, formatPluginField } from './agent-secrets.ts'
import { SECRET_OWNER } from '../secrets.ts'
import { agentVersions } from '../schema/agent.ts'
import { agentSecrets } from '../schema/agent-model.ts'

type Parts = Pick<StoredBehaviour, 'plugins' | 'contextProviders'>

const ofAgent = (agentId: number) =>
  and(eq(agentSecrets.ownerKind, SECRET_OWNER.agent), eq(agentSecrets.ownerId, agentId))

/** Returns whether plugins or headers use the secret of a field. Snapshots of old releases may lack both. */
function usesSecret({ plugins, contextProviders }: Partial<Parts>, field: string): boolean {
  const isOfPlugin = (plugins ?? []).some(({ providerCode }) => field.startsWith(formatPluginField(providerCode, '')))
  const isHeader = (url: string, headers: object) =>
    Object.keys(headers).some((name) => field === formatHeaderField(url, name))
  return isOfPlugin || (contextProviders ?? []).some(({ url, headers }) => isHeader(url, headers))
}

async function removeFields(db: Db, agentId: number, fields: readonly string[]) {
  if (fields.length > 0)
    await db.delete(agentSecrets).where(and(ofAgent(agentId), inArray(agentSecrets.field, [...fields])))
}

/** Removes the secrets that neither `behaviour` nor any kept version uses. Call after versions were removed. */
export async function removeUnusedSecrets(db: Db, agentId: number, behaviour: Parts) {
  const rows = await db.select({ field: agentSecrets.field }).from(agentSecrets).where(ofAgent(agentId))
  const open = rows.map(({ field }) => field).filter((field) => !usesSecret(behaviour, field))
  if (open.length === 0) return
  const versions = await db
    .select({ snapshot: agentVersions.snapshot })
    .from(agentVersions)
    .where(eq(agentVersions.agentId, agentId))
  const isUnused = (field: string) => !versions.some(({ snapshot }) => usesSecret(snapshot as Partial<Parts>, field))
  await removeFields(db, agentId, open.filter(isUnused))
}

/** Removes all secrets of a deleted agent. */
export const removeAgentSecrets = (db: Db, agentId: number) => db.delete(agentSecrets).where(ofAgent(agentId))
