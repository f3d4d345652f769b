import {
  AGENT_TOOL,
  type AgentTool,
  CHAT_HISTORY,
  CONTEXT_FACT,
  type ContextFact,
  MEMORY_SCOPE,
} from '@oms/contract/agent/agents/agent-input.ts'
import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import { inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { VersionSnapshot } from './agent-behaviour.ts'
import { agentWordFiles } from '../schema/agent.ts'
import { agentModels, agentProviders, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'

const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  chatHistoryConf: CHAT_HISTORY,
  memoryScope: MEMORY_SCOPE,
}
type Named = { readonly id: number; readonly name: string }
type NameOf = (id: number | null) => string
const nameFrom =
  (rows: readonly Named[]): NameOf =>
  (id) =>
    id === null ? '' : (rows.find((row) => row.id === id)?.name ?? `已删除（${id}）`)

/**
 * Reads the names of the records that a snapshot references. Returns a function that describes one field in Chinese.
 */
export async function createFieldDescriber(db: Db, snapshot: VersionSnapshot): Promise<(field: string) => string> {
  const modelIds = Object.keys(MODEL_TYPE_BY_FIELD).flatMap(
    (field) => snapshot[field as keyof typeof MODEL_TYPE_BY_FIELD] ?? [],
  )
  const models = await namesOf(db, agentModels, modelIds)
  const voices = await namesOf(db, agentVoices, snapshot.voiceId === null ? [] : [snapshot.voiceId])
  const clones = await namesOf(db, agentVoiceClones, snapshot.cloneId === null ? [] : [snapshot.cloneId])
  const files = await namesOf(db, agentWordFiles, snapshot.wordFileIds)
  const plugins = new Map(
    (await db.select({ code: agentProviders.code, name: agentProviders.name }).from(agentProviders)).map((each) => [
      each.code,
      each.name,
    ]),
  )
  const words = (field: string) => {
    const value = snapshot[field as keyof VersionSnapshot]
    if (field in MODEL_TYPE_BY_FIELD) return models(value as number | null)
    if (field === 'voiceId') return voices(value as number | null)
    if (field === 'cloneId') return clones(value as number | null)
    if (field === 'wordFileIds') return snapshot.wordFileIds.map(files).join('、')
    if (field === 'plugins') return snapshot.plugins.map((each) => pluginText(each, plugins)).join('\n')
    if (field === 'contextProviders') return snapshot.contextProviders.map(({ url }) => url).join('\n')
    if (field === 'contextFacts')
      return snapshot.contextFacts.map((fact) => CONTEXT_FACT[fact as ContextFact]).join('、')
    if (field === 'tools') return snapshot.tools.map((tool) => AGENT_TOOL[tool as AgentTool]).join('、')
    if (field === 'secrets')
      return Object.entries(snapshot.secrets)
        .map(([path, last]) => `${path} ****${last}`)
        .join('\n')
    return WORDS[field]?.[value as number] ?? (value === null || value === undefined ? '' : String(value))
  }
  return (field) => maskAddressSecrets(words(field))
}

function pluginText(
  { providerCode, params }: VersionSnapshot['plugins'][number],
  names: ReadonlyMap<string, string>,
): string {
  const shown = Object.entries(params).filter(([, value]) => value !== '')
  const list = shown.map(([key, value]) => `${key}=${String(value)}`).join('，')
  return `${names.get(providerCode) ?? providerCode}${list ? `（${list}）` : ''}`
}

type NamedTable = typeof agentModels | typeof agentVoices | typeof agentVoiceClones | typeof agentWordFiles

async function namesOf(db: Db, table: NamedTable, ids: readonly number[]): Promise<NameOf> {
  if (ids.length === 0) return nameFrom([])
  const of = table as typeof agentModels
  return nameFrom(
    await db
      .select({ id: of.id, name: of.name })
      .from(of)
      .where(inArray(of.id, [...ids])),
  )
}
