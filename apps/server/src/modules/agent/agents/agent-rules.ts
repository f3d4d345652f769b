import { type AgentBehaviour, FUNCTION_CALL_LLMS, FUNCTION_CALL_TEXT } from '@oms/contract/agent/agents/agent-input.ts'
import { and, eq, inArray, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { agentWordFiles } from '#schema/agent/agent.ts'
import { agentModels, agentVoiceClones, agentVoices } from '#schema/agent/agent-model.ts'

/** Model type by field of an agent. */
export const MODEL_TYPE_BY_FIELD = {
  llmId: ['LLM', '大语言模型'],
  vllmId: ['VLLM', '视觉模型'],
  slmId: ['LLM', '小模型'],
  ttsId: ['TTS', '语音合成'],
  asrId: ['ASR', '语音识别'],
  vadId: ['VAD', '语音检测'],
  memId: ['Memory', '记忆方式'],
  intentId: ['Intent', '意图识别'],
} as const
type ModelField = keyof typeof MODEL_TYPE_BY_FIELD
const MODEL_FIELDS = Object.keys(MODEL_TYPE_BY_FIELD) as ModelField[]

/** Returns the condition for models that the tenant may use: its own, and shared models of the platform. */
export const isUsableModel = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    or(
      eq(agentModels.tenantId, tenantId),
      and(eq(agentModels.tenantId, PLATFORM_TENANT_ID), eq(agentModels.shared, 1)),
    ),
  )

/** Refuses references that the agent of this tenant may not use. Returns the provider of each model by field. */
export async function assertReferencedRowsExist(db: Db, tenantId: number, input: AgentBehaviour) {
  const ids = [...new Set(MODEL_FIELDS.flatMap((field) => input[field] ?? []))]
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({ id: agentModels.id, type: agentModels.type, providerCode: agentModels.providerCode })
          .from(agentModels)
          .where(and(inArray(agentModels.id, ids), isUsableModel(tenantId)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const providers: Partial<Record<ModelField, string>> = {}
  for (const field of MODEL_FIELDS) {
    const id = input[field]
    if (id === undefined) continue
    const [type, title] = MODEL_TYPE_BY_FIELD[field]
    const model = byId.get(id)
    if (model?.type !== type) throw invalid(`${title}不存在或已被删除`, field)
    providers[field] = model.providerCode
  }
  if (providers.intentId === 'function_call' && !FUNCTION_CALL_LLMS.includes(providers.llmId ?? ''))
    throw invalid(FUNCTION_CALL_TEXT, 'intentId')
  await assertVoice(db, tenantId, input)
  await assertWordFiles(db, tenantId, input.wordFileIds)
  return providers
}

async function assertVoice(db: Db, tenantId: number, { ttsId, voiceId, cloneId }: AgentBehaviour) {
  if (voiceId !== undefined) {
    const isUsable = inArray(agentVoices.tenantId, [tenantId, PLATFORM_TENANT_ID])
    const isOfModel = eq(agentVoices.modelId, ttsId ?? 0)
    const found = await db.$count(
      agentVoices,
      and(eq(agentVoices.id, voiceId), notDeleted(agentVoices), isUsable, isOfModel),
    )
    if (found === 0) throw invalid('所选音色不属于该语音合成模型', 'voiceId')
  }
  if (cloneId !== undefined) {
    const isOwn = and(eq(agentVoiceClones.tenantId, tenantId), eq(agentVoiceClones.modelId, ttsId ?? 0))
    const isReady = and(eq(agentVoiceClones.id, cloneId), eq(agentVoiceClones.state, 2), notDeleted(agentVoiceClones))
    if ((await db.$count(agentVoiceClones, and(isOwn, isReady))) === 0)
      throw invalid('克隆音色不存在或尚未训练完成', 'cloneId')
  }
}

async function assertWordFiles(db: Db, tenantId: number, ids: readonly number[]) {
  if (ids.length === 0) return
  const own = and(among(agentWordFiles.id, ids), eq(agentWordFiles.tenantId, tenantId), notDeleted(agentWordFiles))
  if ((await db.$count(agentWordFiles, own)) < new Set(ids).size)
    throw invalid('替换词文件不存在或已被删除', 'wordFileIds')
}
