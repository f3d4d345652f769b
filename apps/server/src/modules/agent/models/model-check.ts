import {
  CALLABLE_LLMS,
  isSecretField,
  RELAYED_LLMS,
  findConfigProblems,
  toStoredConfig,
} from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { buildUsableModelCondition } from './model-access.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'

type Config = Readonly<Record<string, unknown>>

export async function readProviderFields(db: Db, type: string, code: string): Promise<readonly ProviderField[]> {
  const [provider] = await db
    .select({ fields: agentProviders.fields })
    .from(agentProviders)
    .where(and(eq(agentProviders.type, type), eq(agentProviders.code, code)))
  if (!provider) throw invalid('接口不存在或已被删除', 'providerCode')
  return provider.fields
}

/**
 * Checks the values by the provider's fields. Returns the configuration to store and the secrets that were sent.
 * `stored` is the configuration before the save.
 */
export function readConfig(fields: readonly ProviderField[], config: Config, stored?: Config) {
  const problems = new FieldProblems()
  for (const { field, msg } of findConfigProblems(fields, config, stored)) problems.add(`config.${field}`, msg)
  problems.throwIfAny()
  const secrets = new Map(
    fields.flatMap((field) => {
      const value = config[field.key]
      return isSecretField(field) && value !== undefined && value !== null ? [[field.key, String(value)] as const] : []
    }),
  )
  return { config: toStoredConfig(fields, config, stored), secrets }
}

/**
 * Throws when the model of `llm` does not exist, may not be used by the owner, or cannot be called for a completion.
 */
export async function assertLanguageModel(db: Db, tenantId: number, llm: unknown) {
  if (llm === undefined) return
  const [found] = await db
    .select({ providerCode: agentModels.providerCode, status: agentModels.status })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'LLM'), eq(agentModels.code, String(llm))))
  if (!found || found.status !== 1) throw invalid('使用的LLM不存在或已停用', 'config.llm')
  if (!CALLABLE_LLMS.has(found.providerCode)) throw invalid('使用的LLM须为 OpenAI 兼容接口或 Ollama', 'config.llm')
}

/** Refuses the relay for a model whose provider has no OpenAI interface. Models of other types have no relay. */
export function assertRelay(type: string, providerCode: string, relay: number) {
  if (relay === 1 && type === 'LLM' && !RELAYED_LLMS.has(providerCode))
    throw invalid('只有 OpenAI 兼容接口、Ollama 和 Xinference 的模型可以经由平台调用', 'relay')
}

/** Refuses a fallback that is not another language model that the owner may use and that the relay can call. */
export async function assertFallback(db: Db, tenantId: number, fallbackModelId: number | undefined, ownId?: number) {
  if (fallbackModelId === undefined) return
  const [found] = await db
    .select({ providerCode: agentModels.providerCode })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'LLM'), eq(agentModels.id, fallbackModelId)))
  if (!found || fallbackModelId === ownId) throw invalid('备用模型不存在或已被删除', 'fallbackModelId')
  if (!RELAYED_LLMS.has(found.providerCode))
    throw invalid('备用模型须为 OpenAI 兼容接口、Ollama 或 Xinference', 'fallbackModelId')
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )

/** Returns whether two configurations are equal, whatever the order of their keys: `jsonb` does not keep the order. */
export const isSameConfig = (one: Config, other: Config) => sortedJson(one) === sortedJson(other)
