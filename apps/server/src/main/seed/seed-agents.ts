import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { LANGUAGE_MODELS, LANGUAGE_PROVIDERS } from '#modules/agent/shipped/language.ts'
import { RECOGNITION_MODELS, RECOGNITION_PROVIDERS } from '#modules/agent/shipped/recognition.ts'
import { SPEECH_MODELS } from '#modules/agent/shipped/speech-models.ts'
import { PLUGIN_PROVIDERS } from '#modules/agent/shipped/plugins.ts'
import { SPEECH_PROVIDERS } from '#modules/agent/shipped/speech-providers.ts'
import { DEFAULT_MODELS } from '#modules/agent/shipped/shipped.ts'
import { SHIPPED_TEMPLATES, SHIPPED_VOICES } from '#modules/agent/shipped/templates.ts'
import { agentTemplates } from '#modules/agent/schema/agent.ts'
import { agentModels, agentProviders, agentVoices } from '#modules/agent/schema/agent-model.ts'

const PROVIDERS = [...RECOGNITION_PROVIDERS, ...LANGUAGE_PROVIDERS, ...SPEECH_PROVIDERS, ...PLUGIN_PROVIDERS]
const MODELS = [...RECOGNITION_MODELS, ...LANGUAGE_MODELS, ...SPEECH_MODELS]

/** Shipped rows of agents. Changes of these lists are synchronised at the next start. */
export const SHIPPED_AGENT_ROWS = [PROVIDERS, MODELS, SHIPPED_VOICES, SHIPPED_TEMPLATES]

/** Creates the missing shipped providers, models, voices and templates. Changed and deleted rows stay as they are. */
export async function syncAgentRows(db: Db) {
  const providers = PROVIDERS.map((provider, sort) => ({
    ...provider,
    fields: [...provider.fields],
    sort,
    isBuiltin: 1,
  }))
  await db.insert(agentProviders).values(providers).onConflictDoNothing()
  const idByCode = await syncModels(db)
  await syncVoices(db, idByCode)
  await syncTemplates(db, idByCode)
}

async function syncModels(db: Db) {
  const codes = MODELS.map(({ code }) => code)
  const stored = await db
    .select({ id: agentModels.id, code: agentModels.code })
    .from(agentModels)
    .where(inArray(agentModels.code, codes))
  const known = new Set(stored.map(({ code }) => code))
  const missing = MODELS.flatMap((model, sort) =>
    known.has(model.code)
      ? []
      : [{ ...model, config: { ...model.config }, sort, shared: 1, tenantId: PLATFORM_TENANT_ID }],
  )
  const defaults = await db
    .select({ type: agentModels.type })
    .from(agentModels)
    .where(and(eq(agentModels.tenantId, PLATFORM_TENANT_ID), eq(agentModels.isDefault, 1)))
  const taken = new Set(defaults.map(({ type }) => type))
  const rows = missing.map((model) => ({
    ...model,
    isDefault: DEFAULT_MODELS.has(model.code) && !taken.has(model.type) ? 1 : 0,
  }))
  const made = rows.length
    ? await db.insert(agentModels).values(rows).returning({ id: agentModels.id, code: agentModels.code })
    : []
  return new Map([...stored, ...made].map(({ id, code }) => [code, id]))
}

async function syncVoices(db: Db, idByCode: ReadonlyMap<string, number>) {
  const stored = await db
    .select({ modelId: agentVoices.modelId, code: agentVoices.code })
    .from(agentVoices)
    .where(eq(agentVoices.tenantId, PLATFORM_TENANT_ID))
  const known = new Set(stored.map(({ modelId, code }) => `${modelId} ${code}`))
  const missing = SHIPPED_VOICES.flatMap(([model, name, code, languages], sort) => {
    const modelId = idByCode.get(model)
    if (modelId === undefined || known.has(`${modelId} ${code}`)) return []
    return [{ tenantId: PLATFORM_TENANT_ID, modelId, name, code, languages, sort }]
  })
  if (missing.length) await db.insert(agentVoices).values(missing)
}

/** Creates the templates once: an installation that deleted them does not get them again. */
async function syncTemplates(db: Db, idByCode: ReadonlyMap<string, number>) {
  const [any] = await db.select({ id: agentTemplates.id }).from(agentTemplates).limit(1)
  if (any) return
  const voices = await db
    .select({ id: agentVoices.id, code: agentVoices.code })
    .from(agentVoices)
    .where(
      and(eq(agentVoices.tenantId, PLATFORM_TENANT_ID), sql`${agentVoices.modelId} = ${idByCode.get('TTS_EdgeTTS')}`),
    )
  const voiceByCode = new Map(voices.map(({ id, code }) => [code, id]))
  const model = (code: string) => idByCode.get(code) ?? null
  const rows = SHIPPED_TEMPLATES.map(({ name, voice, prompt }, sort) => ({
    tenantId: PLATFORM_TENANT_ID,
    templateName: name,
    sort,
    vadId: model('VAD_SileroVAD'),
    asrId: model('ASR_FunASR'),
    llmId: model('LLM_ChatGLMLLM'),
    slmId: model('LLM_ChatGLMLLM'),
    vllmId: model('VLLM_ChatGLMVLLM'),
    ttsId: model('TTS_EdgeTTS'),
    memId: model('Memory_nomem'),
    intentId: model('Intent_function_call'),
    voiceId: voiceByCode.get(voice) ?? null,
    chatHistoryConf: 0,
    systemPrompt: prompt,
    plugins: ['play_music', 'get_weather', 'get_news_from_newsnow'].map((providerCode) => ({
      providerCode,
      params: {},
    })),
  }))
  await db.insert(agentTemplates).values(rows)
}
