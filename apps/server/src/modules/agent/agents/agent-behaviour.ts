import { type AgentBehaviour, behaviourFields } from '@oms/contract/agent/agents/agent-input.ts'
import { agents } from '../schema/agent.ts'

/**
 * Behaviour of an agent as stored: absent values are null, and the secrets of plugins and headers are in
 * `agent_secrets`.
 */
export type StoredBehaviour = Pick<typeof agents.$inferSelect, keyof AgentBehaviour>

const FIELDS = Object.keys(behaviourFields) as (keyof AgentBehaviour)[]

/** Returns the columns of an agent that a version contains, with sorted keys so that equal values have equal JSON. */
export function extractBehaviour(row: StoredBehaviour): StoredBehaviour {
  const columns = Object.fromEntries(FIELDS.map((field) => [field, row[field] ?? null])) as unknown as StoredBehaviour
  return {
    ...columns,
    plugins: columns.plugins.map(({ providerCode, params }) => ({ providerCode, params: sorted(params) })),
    contextProviders: columns.contextProviders.map(({ url, headers }) => ({ url, headers: sorted(headers) })),
  }
}

const sorted = <V>(record: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Snapshot of a version: behaviour, name and the last four characters of each secret instead of the secret. The name
 * belongs to the version because the prompt contains the name.
 */
export interface VersionSnapshot extends StoredBehaviour {
  /** Absent in versions of earlier releases. */
  readonly agentName?: string
  readonly secrets: Readonly<Record<string, string>>
}

/** Returns the names of the fields that differ. A version without a name has no difference in the name. */
export function listChangedFields(before: Partial<VersionSnapshot>, after: Partial<VersionSnapshot>): string[] {
  const text = (value: unknown) => JSON.stringify(value ?? null)
  const hasNames = before.agentName !== undefined && after.agentName !== undefined
  const compared = [...(hasNames ? (['agentName'] as const) : []), ...FIELDS, 'secrets' as const]
  return compared.filter((field) => text(before[field]) !== text(after[field]))
}
