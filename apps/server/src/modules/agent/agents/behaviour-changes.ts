import { AGENT_TOOL, AgentInput, CONTEXT_FACT } from '@oms/contract/agent/agents/agent-input.ts'
import { type References, withReferencedNames } from '#core/audit/referenced-names.ts'
import type { Db } from '#core/database/client.ts'
import { createCodeTranslator } from '#core/spreadsheet/columns.ts'
import { agentWordFiles } from '../schema/agent.ts'
import { agentModels, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import type { FieldChange } from '#core/schema/system.ts'
import { MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'

/** Fields of agents and templates that contain ids of models, voices and word files. */
export const AGENT_REFERENCES: References = {
  ...Object.fromEntries(Object.keys(MODEL_TYPE_BY_FIELD).map((field) => [field, agentModels])),
  voiceId: agentVoices,
  cloneId: agentVoiceClones,
  wordFileIds: agentWordFiles,
}

const translate = createCodeTranslator(AgentInput)
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  contextFacts: CONTEXT_FACT,
  tools: AGENT_TOOL,
}

/** Returns the value of a field with labels in place of codes. */
function inWords(field: string, value: unknown): unknown {
  const labels = LABELS[field]
  if (labels && Array.isArray(value)) return value.map((code) => labels[String(code)] ?? code)
  return typeof value === 'number' ? translate({ [field]: value })[field] : value
}

/** Returns the changes of an agent with names and labels in place of ids and codes, for the operation log. */
export const describeAgentChanges = async (
  db: Db,
  changes: readonly FieldChange[],
  versions: { readonly before: object; readonly after: object },
): Promise<FieldChange[]> =>
  (await withReferencedNames(db, changes, versions, AGENT_REFERENCES)).map((change) => ({
    ...change,
    from: inWords(change.field, change.from),
    to: inWords(change.field, change.to),
  }))
