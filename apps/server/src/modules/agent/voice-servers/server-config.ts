import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { PARAMS, type Param } from '@oms/contract/agent/parameters/param-list.ts'
import type { Pool } from 'pg'
import { decrypt } from '#core/crypto/keys.ts'
import { BatchedRead } from '#core/database/statements/batched-read.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { ConfiguredModel } from '../agents/agent-config.ts'
import { decryptConfig, isKeyMissing } from '../models/model-config.ts'
import type { ParameterValues } from '../parameter-values.ts'

interface Parts {
  readonly pool: Pool
  readonly models: ServerModels
  readonly params: ParameterValues
  /** Tenant of the voice server. Its own templates take precedence over those of the platform. */
  readonly tenantId: number
}

/** Selects the template that supplies the VAD and ASR models of a tenant's voice servers. */
const SPEECH_MODELS = `select vad_id as "vadId", asr_id as "asrId"
  from agent_templates where deleted_at is null and status = 1 and tenant_id in (1, $1)
  order by (tenant_id = $1) desc, sort, id limit 1`

const block = (model: ConfiguredModel | undefined) => (model ? { [model.code]: model.config } : {})

/** Returns the configuration with which a voice server starts. Undefined while there is no template. */
export async function readServerBaseConfig({ pool, models, params, tenantId }: Parts) {
  const { rows } = await pool.query<{ vadId: number | null; asrId: number | null }>({
    name: 'agent-default-template',
    text: SPEECH_MODELS,
    values: [tenantId],
  })
  const [template] = rows
  if (!template) return undefined
  const stored = await models.of([template.vadId ?? 0, template.asrId ?? 0])
  const found = stored.map((model) => presentModelForServer(model, tenantId))
  const vad = found.find(({ id }) => id === template.vadId)
  const asr = found.find(({ id }) => id === template.asrId)
  return {
    ...buildVoiceServerParams(params.text),
    VAD: block(vad),
    ASR: block(asr),
    selected_module: { ...(vad && { VAD: vad.code }), ...(asr && { ASR: asr.code }) },
    prompt: null,
    summaryMemory: null,
  }
}

/** Returns the value of a parameter with its JSON type. Unreadable JSON becomes an empty object. */
function parseTypedValue({ type }: Pick<Param, 'type'>, text: string): unknown {
  if (type === 'number' || type === 'switch') return Number(text)
  if (type === 'boolean') return text === 'true'
  if (type === 'array')
    return text
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  if (type !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return {}
  }
}

type Tree = { [name: string]: unknown }

/** Returns the parameters that voice servers receive. Each dot of a code opens a nested object. */
function buildVoiceServerParams(valueOf: (code: string) => string): Tree {
  const root: Tree = {}
  for (const param of PARAMS) {
    if (!param.isHandedOut) continue
    const names = param.code.split('.')
    const last = names.pop()!
    let place = root
    for (const name of names) place = (place[name] ??= {}) as Tree
    place[last] = parseTypedValue(param, valueOf(param.code))
  }
  return root
}

/** A model with its id, as agents name it. */
export interface StoredModel extends ConfiguredModel {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly tenantId: number
  readonly status: number
  /** 1: tenants may use this model of the platform. */
  readonly shared: number
  /** 1: voice servers call the model through OMS. */
  readonly relay: number
  readonly fallbackModelId: number | null
  /** Fen per million tokens. */
  readonly priceIn: number
  readonly priceOut: number
  /** The configuration without secrets. */
  readonly publicConfig: Readonly<Record<string, unknown>>
  readonly isKeyMissing: boolean
}

interface Row extends Omit<StoredModel, 'config' | 'publicConfig' | 'isKeyMissing'> {
  readonly config: Record<string, unknown>
  readonly secrets: Record<string, string> | null
  readonly fields: readonly ProviderField[] | null
}

/** A model, and the language model that its `llm` names. */
interface Group {
  readonly model: Row
  readonly named: Row | undefined
}

/** Finds models by id and by code through indexes, because there may be many tenants with many models. */
const READ = `select m.id, m.code, m.type, m.name, m.tenant_id as "tenantId", m.status, m.shared, m.relay,
    m.fallback_model_id as "fallbackModelId", m.price_in as "priceIn", m.price_out as "priceOut", m.config || jsonb_build_object('type', m.provider_code) as config,
    (select jsonb_object_agg(s.field, s.encrypted) from agent_secrets s where s.owner_kind = 1 and s.owner_id = m.id) as secrets,
    (select p.fields from agent_providers p where p.type = m.type and p.code = m.provider_code) as fields
  from (select id from agent_models where id = any($1::int[])
      union select l.id from agent_models n join agent_models l on l.code = n.config ->> 'llm' and l.deleted_at is null
        where n.id = any($1::int[]) and n.deleted_at is null) i
    join agent_models m on m.id = i.id and m.deleted_at is null`

/**
 * Reads models with decrypted secrets. Caches nothing. Simultaneous calls share a statement and the returned models.
 * Needs a session without row-level security for the secrets.
 */
export class ServerModels {
  readonly #groups: BatchedRead<number, Group, readonly StoredModel[]>

  constructor(pool: Pool, secretKey: Buffer) {
    const read = async (ids: readonly number[]) => {
      const { rows } = await pool.query<Row>({ name: 'agent-server-models', text: READ, values: [ids] })
      return groupsOf(rows)
    }
    const valueOf = ({ model, named }: Group): readonly StoredModel[] =>
      (named ? [model, named] : [model]).map((row) => opened(row, secretKey))
    this.#groups = new BatchedRead({ read, valueOf })
  }

  /** Returns the models with these ids, and the language models that their `llm` names. */
  async of(ids: readonly number[]): Promise<StoredModel[]> {
    const groups = await this.#groups.getAll(ids)
    return [...new Map([...groups.values()].flat().map((model) => [model.id, model])).values()]
  }
}

function groupsOf(rows: readonly Row[]): Map<number, Group> {
  const byCode = new Map(rows.map((row) => [row.code, row]))
  return new Map(rows.map((model) => [model.id, { model, named: byCode.get(String(model.config['llm'] ?? '')) }]))
}

/** Returns the model with decrypted secrets. The model is frozen, because callers share it. */
function opened({ secrets, config, fields, ...row }: Row, secretKey: Buffer): StoredModel {
  const decrypted = Object.entries(secrets ?? {}).map(([field, text]) => [field, decrypt(secretKey, text)] as const)
  const valuesOf = (values: Readonly<Record<string, unknown>>) => Object.freeze(decryptConfig(fields ?? [], values))
  const all = valuesOf({ ...config, ...Object.fromEntries(decrypted) })
  const publicConfig = decrypted.length === 0 ? all : valuesOf(config)
  return Object.freeze({ ...row, config: all, publicConfig, isKeyMissing: isKeyMissing(fields ?? [], all) })
}

/**
 * Returns whether the voice server gets the model without its secrets. Keys of the platform are sent only to the
 * platform's own voice server.
 */
export const isKeyWithheld = ({ tenantId, config, publicConfig }: StoredModel, serverTenant: number) =>
  tenantId === PLATFORM_TENANT_ID && serverTenant !== PLATFORM_TENANT_ID && config !== publicConfig

/**
 * Returns a model as the voice server of a tenant receives it. An OpenAI client before 1.99, as in voice server 0.5, sends
 * no request with an empty key. A model server without keys accepts any key.
 */
export function presentModelForServer(model: StoredModel, serverTenant: number): StoredModel {
  const config = isKeyWithheld(model, serverTenant) ? model.publicConfig : model.config
  const isClientKeyEmpty = model.type.endsWith('LLM') && config['type'] === 'openai' && config['api_key'] === ''
  return { ...model, config: isClientKeyEmpty ? { ...config, api_key: 'none' } : config }
}
