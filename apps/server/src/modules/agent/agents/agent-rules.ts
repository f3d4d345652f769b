import {
  type AgentBehaviour,
  CLEARABLE_FIELDS,
  FUNCTION_CALL_LLMS,
  FUNCTION_CALL_TEXT,
} from '@oms/contract/agent/agents/agent-input.ts'
import { findFieldProblem, isNumberField } from '@oms/contract/agent/models/model-config.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { buildUsableModelCondition } from '../models/model.ts'
import { MODEL_FIELDS, MODEL_TYPE_BY_FIELD, type ModelField } from '../models/open-models.ts'
import { agentModels, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { agentWordFiles } from '../schema/agent.ts'
import { splitSecrets, readPluginProviders } from './agent-secrets.ts'

/** Refuses a save without a field of the agent, because the save would clear the stored value. */
export function assertComplete(input: Readonly<Record<string, unknown>>) {
  const absent = CLEARABLE_FIELDS.filter((field) => !(field in input))
  if (absent.length > 0) throw invalid(`缺少 ${absent.join('、')}：请提交全部字段，不需要的字段填 null`, absent[0])
}

/** Returns those of the models that are enabled and that agents of the tenant may use. */
export async function findUsableModelIds(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const usable = await db
    .select({ id: agentModels.id })
    .from(agentModels)
    .where(and(inArray(agentModels.id, [...ids]), buildUsableModelCondition(tenantId), eq(agentModels.status, 1)))
  return new Set(usable.map(({ id }) => id))
}

/**
 * Throws one error with all references, numbers and addresses that the agent of this tenant may not use. Returns the
 * provider of each model by field. `plugins` are the stored plugins.
 */
export async function assertBehaviour(
  db: Db,
  tenantId: number,
  behaviour: AgentBehaviour,
  plugins: Parameters<typeof assertPluginNumbers>[2],
) {
  const problems = new FieldProblems()
  const providers = await problems.collect(() => assertReferencedRowsExist(db, tenantId, behaviour))
  await problems.collect(() => assertPluginNumbers(db, behaviour.plugins, plugins))
  await problems.collect(() => splitSecrets(db, behaviour))
  problems.throwIfAny()
  return providers!
}

/** Refuses references that the agent of this tenant may not use. Returns the provider of each model by field. */
export async function assertReferencedRowsExist(db: Db, tenantId: number, input: AgentBehaviour) {
  const ids = [...new Set(MODEL_FIELDS.flatMap((field) => input[field] ?? []))]
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({ id: agentModels.id, type: agentModels.type, providerCode: agentModels.providerCode })
          .from(agentModels)
          .where(and(inArray(agentModels.id, ids), buildUsableModelCondition(tenantId)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const problems = new FieldProblems()
  const providers: Partial<Record<ModelField, string>> = {}
  for (const field of MODEL_FIELDS) {
    const id = input[field]
    if (id === undefined) continue
    const [type, title] = MODEL_TYPE_BY_FIELD[field]
    const model = byId.get(id)
    if (model?.type === type) providers[field] = model.providerCode
    else problems.add(field, `${title}不存在或已被删除`)
  }
  if (providers.intentId === 'function_call' && !FUNCTION_CALL_LLMS.includes(providers.llmId ?? ''))
    problems.add('intentId', FUNCTION_CALL_TEXT)
  await addVoiceProblems(problems, { db, tenantId, ...input })
  await problems.collect(() => assertWordFiles(db, tenantId, input.wordFileIds))
  problems.throwIfAny()
  return providers
}

type Voice = Pick<AgentBehaviour, 'ttsId' | 'voiceId' | 'cloneId'> & { readonly db: Db; readonly tenantId: number }

async function addVoiceProblems(problems: FieldProblems, { db, tenantId, ttsId, voiceId, cloneId }: Voice) {
  if (voiceId !== undefined) {
    const isUsable = inArray(agentVoices.tenantId, [tenantId, PLATFORM_TENANT_ID])
    const isOfModel = eq(agentVoices.modelId, ttsId ?? 0)
    const found = await db.$count(
      agentVoices,
      and(eq(agentVoices.id, voiceId), notDeleted(agentVoices), isUsable, isOfModel),
    )
    if (found === 0) problems.add('voiceId', '所选音色不属于该语音合成模型')
  }
  if (cloneId !== undefined) {
    const isOwn = and(eq(agentVoiceClones.tenantId, tenantId), eq(agentVoiceClones.modelId, ttsId ?? 0))
    const isReady = and(eq(agentVoiceClones.id, cloneId), eq(agentVoiceClones.state, 2), notDeleted(agentVoiceClones))
    if ((await db.$count(agentVoiceClones, and(isOwn, isReady))) === 0)
      problems.add('cloneId', '克隆音色不存在或尚未训练完成')
  }
}

async function assertWordFiles(db: Db, tenantId: number, ids: readonly number[]) {
  if (ids.length === 0) return
  const own = and(among(agentWordFiles.id, ids), eq(agentWordFiles.tenantId, tenantId), notDeleted(agentWordFiles))
  if ((await db.$count(agentWordFiles, own)) < new Set(ids).size)
    throw invalid('替换词文件不存在或已被删除', 'wordFileIds')
}

interface Plugin {
  readonly providerCode: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Refuses numbers of plugins that do not fit the form definition of their provider. A number equal to that of `stored`
 * may lie outside its range.
 */
async function assertPluginNumbers(db: Db, plugins: readonly Plugin[], stored: readonly Plugin[] = []) {
  if (plugins.length === 0) return
  const codes = plugins.map(({ providerCode }) => providerCode)
  const providers = new Map((await readPluginProviders(db, codes)).map((each) => [each.code, each]))
  const problems = new FieldProblems()
  plugins.forEach(({ providerCode, params }, at) => {
    const { name = '', fields = [] } = providers.get(providerCode) ?? {}
    const before = stored.find((each) => each.providerCode === providerCode)?.params ?? {}
    for (const field of fields.filter(isNumberField)) {
      const problem = findFieldProblem(field, params[field.key], fields, before[field.key])
      if (problem) problems.add(`plugins.${at}.params.${field.key}`, `插件「${name}」的${problem}`)
    }
  })
  problems.throwIfAny()
}
