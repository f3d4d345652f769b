import { randomInt } from 'node:crypto'
import {
  AgentBehaviour,
  DEFAULT_PLUGINS,
  AGENT_TOOL,
  AgentInput,
  CONTEXT_FACT,
} from '@oms/contract/agent/agents/agent-input.ts'
import type { agents as calls } from '@oms/contract/agent/agents/agent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { type References, withReferencedNames } from '#core/audit/referenced-names.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { FieldChange } from '#core/schema/system.ts'
import { createCodeTranslator } from '#core/spreadsheet/columns.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { eraseForMemoryModel, disableHistoryWithoutMemory } from '../history/memory.ts'
import { eraseRemindersOfDevices } from '../history/reminder.ts'
import { buildUsableModelCondition } from '../models/model.ts'
import { MODEL_TYPE_BY_FIELD } from '../models/open-models.ts'
import { countOpenPacks, countPendingOrders } from '../orders/grant.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels, agentVoiceClones, agentVoices } from '../schema/agent-model.ts'
import { agents, agentTemplates, agentWordFiles } from '../schema/agent.ts'
import { removeVoiceprintsOfAgent } from '../voiceprint-service.ts'
import { assertComplete, assertBehaviour, findUsableModelIds } from './agent-rules.ts'
import { readPluginProviders, removeAgentSecrets } from './agent-secrets.ts'
import {
  addVersion,
  AGENT_TITLES,
  AGENT_BIZ_TYPE,
  lockAgent,
  formatPluginValues,
  publishAgents,
  buildSnapshotWithEndings,
  storeSecrets,
  type StoredAgent,
} from './agent.ts'

/** Returns the template of a new agent: the chosen one, or the usable one with the lowest sort. */
async function templateOf(db: Db, tenantId: number, templateId: number | undefined) {
  const isUsable = and(
    notDeleted(agentTemplates),
    or(eq(agentTemplates.tenantId, tenantId), eq(agentTemplates.tenantId, PLATFORM_TENANT_ID)),
    eq(agentTemplates.status, 1),
  )
  const [found] = await db
    .select()
    .from(agentTemplates)
    .where(templateId === undefined ? isUsable : and(isUsable, eq(agentTemplates.id, templateId)))
    .orderBy(asc(agentTemplates.sort), asc(agentTemplates.id))
    .limit(1)
  if (!found && templateId !== undefined) throw invalid('模板不存在或已被停用', 'templateId')
  return found
}

/** Returns the default model of each type that the tenant may use; own models come before those of the platform. */
async function defaultModels(db: Db, tenantId: number) {
  const rows = await db
    .select({ id: agentModels.id, type: agentModels.type, isDefault: agentModels.isDefault })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.status, 1)))
    .orderBy(
      sql`${agentModels.isDefault} desc, (${agentModels.tenantId} = ${tenantId}) desc, ${agentModels.sort}, ${agentModels.id}`,
    )
  const of = (type: string) => rows.find((row) => row.type === type)?.id
  return {
    llmId: of('LLM'),
    vllmId: of('VLLM'),
    slmId: of('LLM'),
    ttsId: of('TTS'),
    asrId: of('ASR'),
    vadId: of('VAD'),
    memId: of('Memory'),
    intentId: of('Intent'),
  }
}

/** Models that an agent needs to talk or to summarise. A new agent without such a model gets the default model. */
const NEEDED: ReadonlySet<string> = new Set(['llmId', 'slmId', 'ttsId'])

type Template = typeof agentTemplates.$inferSelect

/**
 * Returns the models and the voice of a new agent. The default models replace models of the template that the tenant may
 * not use. The voice of a replaced speech synthesis is left out.
 */
async function chooseModels(db: Db, tenantId: number, template: Template | undefined) {
  const defaults = await defaultModels(db, tenantId)
  if (!template) return defaults
  const fields = Object.keys(defaults) as (keyof typeof defaults)[]
  const ids = fields.flatMap((field) => template[field] ?? [])
  const open = await findUsableModelIds(db, tenantId, ids)
  const models = Object.fromEntries(
    fields.map((field) => {
      const id = template[field]
      const isKept = id === null ? !NEEDED.has(field) : open.has(id)
      return [field, isKept ? id : defaults[field]]
    }),
  )
  return { ...models, voiceId: models.ttsId === template.ttsId ? template.voiceId : null }
}

/** Creates an agent. Only the name is required; the template supplies the other fields. */
export async function createAgent(ctx: Ctx, { agentName, templateId, tenantId }: ParsedOf<typeof calls.create>) {
  const { db, user, now } = ctx
  const tenant = await resolveOwningTenant(ctx, tenantId, 'tenantId')
  const template = await templateOf(db, tenant.id, templateId)
  const behaviour = AgentBehaviour.parse({
    ...template,
    ...(await chooseModels(db, tenant.id, template)),
    plugins: template ? formatPluginValues(template.plugins) : await standardPlugins(db),
  })
  const [made] = await db
    .insert(agents)
    .values({
      tenantId: tenant.id,
      agentName,
      createBy: user.uid,
      updateBy: user.uid,
      agentCode: newCode(now),
    })
    .returning()
  const columns = await storeSecrets(ctx, made!, behaviour)
  await db.update(agents).set(columns).where(eq(agents.id, made!.id))
  const snapshot = await buildSnapshotWithEndings(db, made!.id, columns, agentName)
  await addVersion(ctx, made!, {
    snapshot,
    before: snapshot,
    source: template ? 4 : 1,
    note: template?.templateName ?? '',
  })
  if (template)
    await db
      .update(agentTemplates)
      .set({ useCount: sql`${agentTemplates.useCount} + 1` })
      .where(eq(agentTemplates.id, template.id))
  const origin = template ? `，模板「${template.templateName}」` : ''
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: made!.id, action: `新增智能体「${agentName}」${origin}` })
  await publishAgents(ctx, tenant.id)
  return { id: made!.id }
}

/** Returns a unique code: the time of creation and random digits. */
const newCode = (now: Date) => `AGT_${now.getTime()}${randomInt(10_000).toString().padStart(4, '0')}`

const standardPlugins = async (db: Db) =>
  (await readPluginProviders(db, DEFAULT_PLUGINS)).map(({ code, fields }) => ({
    providerCode: code,
    params: Object.fromEntries(fields.map(({ key, default: value = '' }) => [key, value])),
  }))

/** Saves the form. Devices use the new values at their next connection. Every save creates a version. */
export async function updateAgent(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { id, rev, note, confirmErase, agentName, tags, ...behaviour } = input
  assertComplete(behaviour)
  const stored = await lockAgent(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const { memId: provider } = await assertBehaviour(ctx.db, stored.tenantId, behaviour, stored.plugins)
  await eraseForMemoryModel(ctx, stored, behaviour.memId, confirmErase)
  const label = { agentName, tags }
  return saveBehaviour(ctx, stored, {
    behaviour: disableHistoryWithoutMemory(behaviour, provider),
    label,
    source: 2,
    note,
  })
}

interface Saved {
  readonly behaviour: AgentBehaviour
  readonly label: { agentName: string; tags?: string[] }
  readonly source: 2 | 3
  readonly note: string
  readonly action?: string
}

/** Writes a changed behaviour and name to the agent and appends their version. Changed tags make no version. */
export async function saveBehaviour(ctx: Ctx, stored: StoredAgent, { behaviour, label, source, note, action }: Saved) {
  const { db, user, now } = ctx
  const before = await buildSnapshotWithEndings(db, stored.id, stored, stored.agentName)
  const columns = await storeSecrets(ctx, stored, behaviour)
  const snapshot = await buildSnapshotWithEndings(db, stored.id, columns, label.agentName)
  const versions = { before: { ...stored, ...before }, after: { ...label, ...snapshot } }
  const changed = listChanges(versions.before, versions.after, AGENT_TITLES)
  const hasNewBehaviour = listChanges(before, snapshot, AGENT_TITLES).length > 0
  if (changed.length === 0 && source === 2) return { rev: stored.rev, versionNo: stored.versionNo }
  const { versionNo } =
    hasNewBehaviour || source !== 2 ? await addVersion(ctx, stored, { snapshot, before, source, note }) : stored
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(agents)
    .set({ ...columns, ...label, versionNo, ...next })
    .where(eq(agents.id, stored.id))
  const words = action ?? `修改智能体「${stored.agentName}」`
  const versionWords = versionNo === stored.versionNo ? '' : `，生成版本 ${versionNo}`
  const diff = await describeAgentChanges(db, changed, versions)
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: stored.id, action: `${words}${versionWords}`, diff })
  await publishAgents(ctx, stored.tenantId)
  return { rev: next.rev, versionNo }
}

async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const stored = await lockAgent(ctx, id)
  const verb = status === 1 ? '启用' : '停用'
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: id, action: `${verb}智能体「${stored.agentName}」` })
  if (stored.status === status) return null
  await ctx.db
    .update(agents)
    .set({ status, ...updateColumns(stored, ctx.user.uid, ctx.now) })
    .where(eq(agents.id, id))
  await publishAgents(ctx, stored.tenantId)
  return null
}
export const enableAgent = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setStatus(ctx, id, 1)
export const disableAgent = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setStatus(ctx, id, 0)

/** Refuses the deletion of an agent that customers paid for, or will pay for with a pending order. */
async function assertNoPackages(db: Db, id: number) {
  const [packs, orders] = [await countOpenPacks(db, 2, [id]), await countPendingOrders(db, 2, [id])]
  const held = [...packs.map(({ n }) => `${n}份未用完的套餐`), ...orders.map(({ n }) => `${n}个待确认的订单`)]
  if (held.length > 0) throw conflict(`智能体还有${held.join('、')}，不能删除`)
}

/**
 * Deletes an agent when the typed name equals its name. Unbinds its devices and deletes its voiceprints. Retention
 * deletes the sessions and turns later.
 */
export async function removeAgent(ctx: Ctx, { id, agentName }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const stored = await lockAgent(ctx, id)
  if (stored.agentName !== agentName) throw conflict('输入的名称与智能体名称不一致', 'agentName')
  await assertNoPackages(db, id)
  const unbound = await db
    .delete(agentDevices)
    .where(and(eq(agentDevices.agentId, id), eq(agentDevices.tenantId, stored.tenantId)))
    .returning({ id: agentDevices.deviceId })
  await eraseRemindersOfDevices(
    db,
    unbound.map(({ id: deviceId }) => deviceId),
  )
  await db
    .update(agents)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(agents.id, id))
  await removeAgentSecrets(db, id)
  const voiceprints = await removeVoiceprintsOfAgent(db, ctx.services, id)
  const suffix = [
    unbound.length > 0 ? `，解绑${unbound.length}台设备` : '',
    voiceprints > 0 ? `，删除${voiceprints}个声纹` : '',
  ].join('')
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: id, action: `删除智能体「${agentName}」${suffix}` })
  await publishAgents(ctx, stored.tenantId)
  return null
}

/** Fields of agents and templates that contain ids of models, voices and word files. */
export const AGENT_REFERENCES: References = {
  ...Object.fromEntries(Object.keys(MODEL_TYPE_BY_FIELD).map((field) => [field, agentModels])),
  voiceId: agentVoices,
  cloneId: agentVoiceClones,
  wordFileIds: agentWordFiles,
}

const translate = createCodeTranslator(AgentInput)
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  contextFacts: CONTEXT_FACT,
  tools: AGENT_TOOL,
}

/** Returns the value of a field with labels in place of codes. */
function inWords(field: string, value: unknown): unknown {
  const labels = LABELS[field]
  if (labels && Array.isArray(value)) return value.map((code) => labels[String(code)] ?? code)
  return typeof value === 'number' ? translate({ [field]: value })[field] : value
}

/** Returns the changes of an agent with names and labels in place of ids and codes, for the operation log. */
const describeAgentChanges = async (
  db: Db,
  changes: readonly FieldChange[],
  versions: { readonly before: object; readonly after: object },
): Promise<FieldChange[]> =>
  (await withReferencedNames(db, changes, versions, AGENT_REFERENCES)).map((change) => ({
    ...change,
    from: inWords(change.field, change.from),
    to: inWords(change.field, change.to),
  }))
