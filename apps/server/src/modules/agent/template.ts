import { AgentBehaviour } from '@oms/contract/agent/agents/agent-input.ts'
import { type agentTemplates as calls, agentTemplates as contract } from '@oms/contract/agent/templates/template.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate } from '#core/database/lists/list-query.ts'
import { defineRecord } from '#core/database/record.ts'
import { notFound, conflict, forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { insertAgentName } from './agents/agent-config.ts'
import { assertBehaviour, assertComplete } from './agents/agent-rules.ts'
import { AGENT_REFERENCES } from './agents/agent-save.ts'
import { readPluginProviders, extractBehaviour, type StoredBehaviour, splitSecrets } from './agents/agent-secrets.ts'
import { formatPluginValues, readAgent } from './agents/agent.ts'
import { buildEditableCondition, buildUsableRowCondition } from './models/model.ts'
import { MODEL_TYPE_BY_FIELD } from './models/open-models.ts'
import { agentModels, agentVoiceClones, agentVoices } from './schema/agent-model.ts'
import { agentTemplates } from './schema/agent.ts'

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

const record = defineRecord({
  table: agentTemplates,
  calls: contract,
  kind: 'agentTemplate',
  isSharedByPlatform: true,
  noun: '模板',
  nameOf: ({ templateName }) => templateName,
  references: AGENT_REFERENCES,
})

type Behaviour = Omit<ParsedOf<typeof calls.create>, 'templateName' | 'sort' | 'status'>

/**
 * Returns the columns of a behaviour. Refuses models that the tenant may not use. Refuses secrets, because tenants read
 * platform templates.
 */
async function columnsOf(db: Db, tenantId: number, input: Behaviour, before?: StoredBehaviour['plugins']) {
  const behaviour: AgentBehaviour = { ...input, contextProviders: [], contextFacts: [], tools: [], wordFileIds: [] }
  await assertBehaviour(db, tenantId, behaviour, before)
  const { stored, secrets } = await splitSecrets(db, behaviour)
  if ([...secrets.values()].some((value) => value !== ''))
    throw invalid('模板不保存密钥，请在智能体中填写插件的密钥', 'plugins')
  const {
    contextFacts: _facts,
    tools: _tools,
    wordFileIds: _words,
    ...columns
  } = extractBehaviour({
    ...behaviour,
    ...stored,
  } as unknown as Parameters<typeof extractBehaviour>[0])
  return columns
}

export async function createTemplate(
  ctx: Ctx,
  { templateName, sort, status, ...input }: ParsedOf<typeof calls.create>,
) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const columns = await columnsOf(ctx.db, tenantId, input)
  return record.insert(ctx, { ...columns, templateName, sort, status, tenantId })
}

/** Creates a template with the behaviour of an agent, without its secrets, context sources and word files. */
export async function makeTemplate(ctx: Ctx, { agentId, templateName, sort }: ParsedOf<typeof calls.make>) {
  if (!ctx.user.can('agent:agent:query')) throw forbidden()
  const agent = await readAgent(ctx, agentId)
  const { id: tenantId } = await resolveOwningTenant(ctx, agent.tenantId, 'agentId')
  const {
    contextProviders: _contexts,
    contextFacts: _facts,
    tools: _tools,
    wordFileIds: _words,
    ...behaviour
  } = extractBehaviour(agent)
  const plugins = formatPluginValues(behaviour.plugins)
  return record.insert(ctx, { ...behaviour, plugins, templateName, sort, tenantId })
}

export async function updateTemplate(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { id, rev, templateName, sort, status, ...behaviour } = input
  assertComplete(behaviour)
  if (status === 0) await assertNotLast(ctx.db, id)
  const stored = await record.lock(ctx, id)
  const columns = await columnsOf(ctx.db, stored.tenantId, behaviour, stored.plugins)
  return record.save(ctx, stored, rev, { ...columns, templateName, sort, status })
}

/** Refuses to disable or delete the last enabled template of the platform, which supplies the models of new agents. */
async function assertNotLast(db: Db, id: number) {
  const isOfPlatform = and(eq(agentTemplates.tenantId, PLATFORM_TENANT_ID), eq(agentTemplates.status, 1))
  const enabled = await db
    .select({ id: agentTemplates.id })
    .from(agentTemplates)
    .where(and(notDeleted(agentTemplates), isOfPlatform))
    .orderBy(asc(agentTemplates.id))
    .for('update')
  if (enabled.length === 1 && enabled[0]?.id === id) throw conflict('至少保留一个启用的模板，不能删除或停用')
}

export async function removeTemplate(ctx: Ctx, input: ParsedOf<typeof calls.remove>) {
  await assertNotLast(ctx.db, input.id)
  return record.remove(ctx, input)
}

export async function disableTemplate(ctx: Ctx, input: ParsedOf<typeof calls.disable>) {
  await assertNotLast(ctx.db, input.id)
  return record.disable(ctx, input)
}

export const enableTemplate = record.enable
