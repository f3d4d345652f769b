import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { ServerModels, StoredModel } from '../voice-servers/server-config.ts'
import { isOpenAiCompatible } from './llm-chat.ts'

type Models = Pick<ServerModels, 'of'>

/** Returns whether the tenant owns the model, or the model is a shared model of the platform. */
const isPermitted = ({ tenantId, shared }: Pick<StoredModel, 'tenantId' | 'shared'>, userTenant: number) =>
  tenantId === userTenant || (tenantId === PLATFORM_TENANT_ID && shared === 1)

/** Returns whether agents of the tenant may use the model now: the model is enabled, and its own or shared. */
export const isModelOpen = (model: Pick<StoredModel, 'tenantId' | 'shared' | 'status'>, userTenant: number) =>
  model.status === 1 && isPermitted(model, userTenant)

/** SQL of `isPermitted` for the model with this alias and the agent with the alias `a`. */
const formatPermittedModelSql = (model: string) =>
  `(${model}.tenant_id = a.tenant_id or (${model}.tenant_id = ${PLATFORM_TENANT_ID} and ${model}.shared = 1))`

/** SQL of `isModelOpen` for the model with this alias and the agent with the alias `a`. */
export const formatOpenModelSql = (model: string) => `(${model}.status = 1 and ${formatPermittedModelSql(model)})`

/**
 * Returns the fallback of a language model for agents of a tenant: another enabled model that the tenant may use. The
 * fallback of a permitted model may also be a model of the same owner that is not shared.
 */
export async function findFallback(
  models: Models,
  model: Pick<StoredModel, 'id' | 'tenantId' | 'shared' | 'fallbackModelId'>,
  userTenant: number,
): Promise<StoredModel | undefined> {
  const { id, tenantId, fallbackModelId } = model
  if (fallbackModelId === null || fallbackModelId === id) return undefined
  const found = (await models.of([fallbackModelId])).find((each) => each.id === fallbackModelId)
  if (found?.type !== 'LLM' || found.status !== 1 || !isOpenAiCompatible(found.config) || found.isKeyMissing)
    return undefined
  const isUsable = isPermitted(found, userTenant) || (isPermitted(model, userTenant) && found.tenantId === tenantId)
  return isUsable ? found : undefined
}

/** Describes why agents cannot use a model. `role` is the name of the role on the screen. */
export const describeClosedModel = (role: string, { name, status }: Pick<StoredModel, 'name' | 'status'>) =>
  `${role}「${name}」已${status === 1 ? '不再共享' : '停用'}`

/** Model type and title by field of an agent. */
export const MODEL_TYPE_BY_FIELD = {
  llmId: ['LLM', '大语言模型'],
  ttsId: ['TTS', '语音合成'],
  vllmId: ['VLLM', '视觉模型'],
  slmId: ['LLM', '小模型'],
  asrId: ['ASR', '语音识别'],
  vadId: ['VAD', '语音检测'],
  memId: ['Memory', '记忆方式'],
  intentId: ['Intent', '意图识别'],
} as const
export type ModelField = keyof typeof MODEL_TYPE_BY_FIELD
export const MODEL_FIELDS = Object.keys(MODEL_TYPE_BY_FIELD) as ModelField[]

type Wanted = { readonly tenantId: number } & { readonly [field in ModelField]: number | null }

/**
 * Describes the models without a key that the agent, its memory or its intent refers to. Returns an empty text when
 * there are none.
 */
function describeMissingKeys(stored: readonly StoredModel[], wanted: Wanted) {
  const named = MODEL_FIELDS.flatMap((field) => {
    const [, title] = MODEL_TYPE_BY_FIELD[field]
    const model = stored.find(({ id }) => id === wanted[field])
    if (model?.isKeyMissing) return [`${title}「${model.name}」`]
    const llm = model && stored.find(({ code }) => code === model.config['llm'])
    return llm?.isKeyMissing ? [`${title}使用的「${llm.name}」`] : []
  })
  return named.length === 0 ? '' : `${named.join('、')}未设置密钥`
}

/**
 * Leaves out the models that agents of the tenant may not use and models without a key, and replaces a closed language
 * model by its fallback. `problem` states the reason why the device cannot talk. `missingKeys` names the models without
 * a key.
 */
export async function keepOpenModels(models: Models, stored: readonly StoredModel[], wanted: Wanted) {
  const { tenantId, llmId, ttsId } = wanted
  const open = stored.filter((model) => isModelOpen(model, tenantId))
  const missingKeys = describeMissingKeys(open, wanted)
  const closedOf = (id: number | null) => stored.find((model) => model.id === id && !open.includes(model))
  const [llm, tts] = [closedOf(llmId), closedOf(ttsId)]
  const fallback = llm && (await findFallback(models, llm, tenantId))
  const isMute = open.some(({ id, isKeyMissing }) => isKeyMissing && (id === llmId || id === ttsId))
  const closed =
    llm && !fallback ? describeClosedModel('大语言模型', llm) : tts ? describeClosedModel('语音合成', tts) : ''
  const isNew = fallback && !open.some(({ id }) => id === fallback.id)
  return {
    models: (isNew ? [...open, fallback] : open).filter(({ isKeyMissing }) => !isKeyMissing),
    llmId: fallback?.id ?? llmId,
    problem: closed || (isMute ? missingKeys : ''),
    missingKeys,
  }
}

/**
 * Selects the cheapest model of each key. Relayed models come first, because OMS then responds to a stopped device
 * itself and calls no vendor. Excludes models without a price or a key, which may be unusable. Excludes platform models
 * without a relay for a voice server of a tenant, which gets no platform keys.
 */
const READ = `select k.key, m.id from unnest($1::varchar[], $2::int[], $3::boolean[]) as k (key, tenant_id, has_platform_keys)
  cross join lateral (
    select a.id from agent_models a where a.type = 'LLM' and a.status = 1 and a.deleted_at is null
      and (a.tenant_id = k.tenant_id or (a.tenant_id = ${PLATFORM_TENANT_ID} and a.shared = 1))
      and a.provider_code in ('openai', 'ollama', 'xinference')
      and (a.relay = 1 or (a.price_in + a.price_out > 0 and (a.tenant_id = k.tenant_id or k.has_platform_keys)
        and (a.provider_code <> 'openai' or exists (select from agent_secrets s
          where s.owner_kind = 1 and s.owner_id = a.id and s.field = 'api_key'))))
    order by a.relay desc, a.price_in + a.price_out, a.id limit 1) m`

/** Finds the cheapest language model for stopped devices. Caches nothing. Simultaneous calls share a statement. */
export class CheapestModels {
  readonly #found: BatchedRead<string, { readonly key: string; readonly id: number }, number>

  constructor(pool: Pool) {
    const read = async (keys: readonly string[]) => {
      const parts = keys.map((key) => key.split(':').map(Number))
      const values = [keys, parts.map(([id]) => id), parts.map(([, hasKeys]) => hasKeys === 1)]
      const { rows } = await pool.query<{ key: string; id: number }>({ name: 'agent-cheapest-llm', text: READ, values })
      return new Map(rows.map((row) => [row.key, row]))
    }
    this.#found = new BatchedRead({ read, valueOf: ({ id }) => id })
  }

  /** Returns the id of an enabled language model that the tenant may use and `serverTenant`'s voice server can call. */
  of(tenantId: number, serverTenant: number): Promise<number | undefined> {
    return this.#found.get(`${tenantId}:${serverTenant === PLATFORM_TENANT_ID ? 1 : 0}`)
  }
}
