import type { agentTemplates as calls } from '@oms/contract/agent/templates/template.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { insertAgentName } from '../agents/agent-config.ts'
import { readPluginProviders } from '../agents/agent-secrets.ts'
import { buildEditableCondition, buildUsableRowCondition } from '../models/model-access.ts'
import { agentTemplates } from '../schema/agent.ts'
import { agentModels, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { tenants } from '#core/schema/tenant.ts'
import { MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'
import { formatPluginValues } from '../agents/agent-store.ts'

const { id, sort, createTime } = agentTemplates

const modelName = (column: typeof agentTemplates.llmId | typeof agentTemplates.ttsId) =>
  sql<string>`coalesce((select m.name from agent_models m where m.id = ${column} and m.deleted_at is null), '')`

const select = (db: Db, user: User) =>
  db
    .select({
      template: agentTemplates,
      tenantName: sql<string>`coalesce(${tenants.name}, '平台')`.as('tenant_name'),
      llmName: modelName(agentTemplates.llmId).as('llm_name'),
      ttsName: modelName(agentTemplates.ttsId).as('tts_name'),
      voiceName: sql<string>`coalesce(${agentVoiceClones.name}, ${agentVoices.name}, '')`.as('voice_name'),
      isEditable: buildEditableCondition(agentTemplates, user).as('is_editable'),
    })
    .from(agentTemplates)
    .leftJoin(tenants, eq(tenants.id, agentTemplates.tenantId))
    .leftJoin(agentVoices, and(eq(agentVoices.id, agentTemplates.voiceId), notDeleted(agentVoices)))
    .leftJoin(agentVoiceClones, and(eq(agentVoiceClones.id, agentTemplates.cloneId), notDeleted(agentVoiceClones)))

type Found = Awaited<ReturnType<typeof select>>[number]
/**
 * Returns a row of the list. Hides the use count of a platform template from tenants, because it counts agents of all
 * tenants.
 */
const rowOf = ({ template, ...names }: Found) => ({
  ...template,
  ...names,
  useCount: names.isEditable ? template.useCount : 0,
})

export async function listAgentTemplates({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = select(db, user).where(
    and(
      buildUsableRowCondition(agentTemplates, user),
      contains(agentTemplates.templateName, input.templateName),
      input.status === undefined ? undefined : eq(agentTemplates.status, input.status),
      input.tenantId === undefined ? undefined : eq(agentTemplates.tenantId, input.tenantId),
    ),
  )
  const order = buildSort(input, { sort, createTime }, id, [asc(sort), asc(id)])
  const page = await paginate(db, rows.$dynamic(), input, order)
  return { ...page, list: page.list.map(rowOf) }
}

async function readTemplate({ db, user }: Ctx, templateId: number) {
  const [found] = await select(db, user).where(and(buildUsableRowCondition(agentTemplates, user), eq(id, templateId)))
  if (!found) throw notFound('模板')
  return rowOf(found)
}

export async function getTemplate(ctx: Ctx, input: ParsedOf<typeof calls.get>) {
  const template = await readTemplate(ctx, input.id)
  return { ...template, plugins: withMaskedAddresses(formatPluginValues(template.plugins)) }
}

/**
 * Returns the prompt, the models and the plugins of a template. A deleted model has an empty name. A model or voice
 * that is not shared with the tenant also has an empty name, and is marked as closed.
 */
export async function previewTemplate(ctx: Ctx, input: ParsedOf<typeof calls.preview>) {
  const { db } = ctx
  const template = await readTemplate(ctx, input.id)
  const chosen = Object.entries(MODEL_TYPE_BY_FIELD).flatMap(([field, [, title]]) => {
    const modelId = template[field as keyof typeof MODEL_TYPE_BY_FIELD]
    return modelId === null ? [] : [{ field, title, modelId }]
  })
  const modelById = await readModelNames(
    ctx,
    chosen.map(({ modelId }) => modelId),
  )
  const isVoiceClosed = template.voiceId !== null && modelById.get(template.ttsId ?? 0)?.isClosed === true
  const codes = template.plugins.map(({ providerCode }) => providerCode)
  const providers = codes.length > 0 ? await readPluginProviders(db, codes) : []
  return {
    prompt: insertAgentName(template.systemPrompt, input.agentName ?? ''),
    models: chosen.map(({ modelId, ...field }) => ({
      ...field,
      name: '',
      status: 0,
      isClosed: false,
      ...modelById.get(modelId),
    })),
    voiceName: isVoiceClosed ? '' : template.voiceName,
    isVoiceClosed,
    plugins: providers.map(({ name }) => name),
    isDefault: (await defaultTemplateId(db, template.tenantId)) === template.id,
  }
}

/** Returns the existing models by id. Hides the names of models that the account may not use. */
async function readModelNames(ctx: Ctx, ids: readonly number[]) {
  // Row-level security hides the models of the platform that are not shared with the tenant.
  const rows = await withoutRowSecurity(ctx, (db) =>
    db
      .select({
        id: agentModels.id,
        name: agentModels.name,
        status: agentModels.status,
        isOpen: sql<boolean>`${buildUsableRowCondition(agentModels, ctx.user) ?? sql`true`}`,
      })
      .from(agentModels)
      .where(and(notDeleted(agentModels), inArray(agentModels.id, [0, ...ids]))),
  )
  return new Map(
    rows.map(({ id: modelId, name, status, isOpen }) => [
      modelId,
      isOpen ? { name, status, isClosed: false } : { name: '', status: 0, isClosed: true },
    ]),
  )
}

/** Returns the template that new agents of the owner get: the usable template with the lowest sort. */
async function defaultTemplateId(db: Db, tenantId: number) {
  const owners = inArray(agentTemplates.tenantId, [tenantId, PLATFORM_TENANT_ID])
  const [lowest] = await db
    .select({ id })
    .from(agentTemplates)
    .where(and(notDeleted(agentTemplates), eq(agentTemplates.status, 1), owners))
    .orderBy(asc(sort), asc(id))
    .limit(1)
  return lowest?.id
}
