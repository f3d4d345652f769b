import type { Pool } from 'pg'
import type { ConfiguredModel } from '../agents/agent-config.ts'
import { buildVoiceServerParams } from './base-config.ts'
import { presentModelForServer, type ServerModels } from './server-models.ts'
import type { ParameterValues } from '../parameters/parameters.ts'

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
