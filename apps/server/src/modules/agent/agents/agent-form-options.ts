import type { agents as calls } from '@oms/contract/agent/agents/agent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { and, asc, eq, inArray, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, isTenantInScope, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { hasSharedModel, buildUsableModelCondition } from '../models/model.ts'
import { MODEL_FIELDS, MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'
import { isFeatureEnabled, isFeaturePermitted, type ParameterValues } from '../parameter-values.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { agentTemplates, agentWordFiles } from '../schema/agent.ts'
import { findUsableModelIds } from './agent-rules.ts'
import { isSecretPluginField, readPluginProviders } from './agent-secrets.ts'
import { readAgent } from './agent.ts'

const MAX_ROWS = 500

/**
 * Returns the tenant whose choices are listed. Returns 0 for a tenant outside the data scope; no tenant has this id, so
 * the lists are empty.
 */
function ownerOf({ user }: Ctx, tenantId: number | undefined) {
  const owner = tenantId ?? user.tenantId ?? 0
  return owner === user.tenantId || isTenantInScope(user, owner) ? owner : 0
}

export async function listAgentFormOptions(ctx: Ctx, { tenantId }: ParsedOf<typeof calls.choices>) {
  const { db } = ctx
  const owner = ownerOf(ctx, tenantId)
  const models = await db
    .select({
      id: agentModels.id,
      name: agentModels.name,
      type: agentModels.type,
      status: agentModels.status,
      providerCode: agentModels.providerCode,
    })
    .from(agentModels)
    .where(buildUsableModelCondition(owner))
    .orderBy(asc(agentModels.sort), asc(agentModels.id))
    .limit(MAX_ROWS)
  const wordFiles = await db
    .select({ id: agentWordFiles.id, name: agentWordFiles.name })
    .from(agentWordFiles)
    .where(and(notDeleted(agentWordFiles), eq(agentWordFiles.tenantId, owner)))
    .orderBy(asc(agentWordFiles.id))
    .limit(MAX_ROWS)
  const features = featuresOf(await ctx.services.agentParameters.of(owner))
  return { models, templates: await listTemplates(db, owner), wordFiles, plugins: await pluginForms(db), features }
}

/** Returns the templates for new agents of a tenant, each with the titles of the models that the tenant may not use. */
async function listTemplates(db: Db, owner: number) {
  const templates = await db
    .select()
    .from(agentTemplates)
    .where(
      and(
        notDeleted(agentTemplates),
        eq(agentTemplates.status, 1),
        inArray(agentTemplates.tenantId, [owner, PLATFORM_TENANT_ID]),
      ),
    )
    .orderBy(asc(agentTemplates.sort), asc(agentTemplates.id))
    .limit(MAX_ROWS)
  const modelsOf = (template: (typeof templates)[number]) =>
    MODEL_FIELDS.flatMap((field) => (template[field] === null ? [] : [{ field, modelId: template[field] }]))
  const ids = new Set(templates.flatMap((template) => modelsOf(template).map(({ modelId }) => modelId)))
  const open = await findUsableModelIds(db, owner, [...ids])
  return templates.map((template) => {
    const lost = modelsOf(template).filter(({ modelId }) => !open.has(modelId))
    const losesVoice = template.voiceId !== null && lost.some(({ field }) => field === 'ttsId')
    const replaced = lost.map(({ field }) => MODEL_TYPE_BY_FIELD[field][1])
    const { id, templateName: name, systemPrompt } = template
    return { id, name, systemPrompt, replaced: losesVoice ? [...replaced, '音色'] : replaced }
  })
}

const featuresOf = (params: ParameterValues) => ({
  knowledge: isFeaturePermitted(params, 'knowledge'),
  mcp: isFeaturePermitted(params, 'mcp'),
})

export async function listVoiceChoices(ctx: Ctx, { modelId, tenantId }: ParsedOf<typeof calls.voices>) {
  const { db } = ctx
  const owner = ownerOf(ctx, tenantId)
  const isShared = and(eq(agentVoices.tenantId, PLATFORM_TENANT_ID), hasSharedModel)
  const isUsable = or(eq(agentVoices.tenantId, owner), isShared)
  const list = await db
    .select({
      id: agentVoices.id,
      name: agentVoices.name,
      languages: agentVoices.languages,
      status: agentVoices.status,
    })
    .from(agentVoices)
    .where(and(notDeleted(agentVoices), eq(agentVoices.modelId, modelId), isUsable))
    .orderBy(asc(agentVoices.sort), asc(agentVoices.id))
    .limit(MAX_ROWS)
  if (!(await isFeatureEnabled(ctx.services, owner, 'clone'))) return { voices: list, clones: [] }
  const isOwn = and(eq(agentVoiceClones.tenantId, owner), eq(agentVoiceClones.modelId, modelId))
  const clones = await db
    .select({ id: agentVoiceClones.id, name: agentVoiceClones.name })
    .from(agentVoiceClones)
    .where(and(notDeleted(agentVoiceClones), eq(agentVoiceClones.state, 2), isOwn))
    .orderBy(asc(agentVoiceClones.id))
    .limit(MAX_ROWS)
  return { voices: list, clones }
}

const MAX_DEVICES = 50

export async function listDevices(ctx: Ctx, { id, keyword }: ParsedOf<typeof calls.devices>) {
  await readAgent(ctx, id)
  const mac = keyword?.toLowerCase().replaceAll(/[:-]/g, '')
  const list = await ctx.db
    .select({ id: agentDevices.deviceId, alias: agentDevices.alias, mac: agentDevices.mac })
    .from(agentDevices)
    .where(
      and(eq(agentDevices.agentId, id), or(contains(agentDevices.alias, keyword), contains(agentDevices.mac, mac))),
    )
    .orderBy(asc(agentDevices.deviceId))
    .limit(MAX_DEVICES)
  return {
    list: list.map((device) => ({
      id: device.id,
      name: [device.alias, formatMac(device.mac)].filter(Boolean).join(' '),
    })),
  }
}

/** Returns the plugins with the fields of their forms. */
async function pluginForms(db: Db) {
  return (await readPluginProviders(db)).map(({ code, name, fields }) => ({
    code,
    name,
    fields: fields.map((field) => ({
      key: field.key,
      label: field.label,
      type: field.type,
      default: field.default ?? '',
      secret: isSecretPluginField(field),
    })),
  }))
}
