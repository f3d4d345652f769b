import { randomBytes } from 'node:crypto'
import { type agentModels as calls, agentModels as contract, PRICE_UNITS } from '@oms/contract/agent/models/config.ts'
import {
  CALLABLE_LLMS,
  isSecretField,
  RELAYED_LLMS,
  findConfigProblems,
  toStoredConfig,
} from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agentModels, agentSecrets, agentProviders } from '../schema/agent-model.ts'
import { findKeptSecretProblem, readSecretEndings, readSecrets, SECRET_OWNER, writeSecrets } from '../secrets.ts'
import { describeModelUses, buildUsableModelCondition } from './model.ts'

const MAX_CODE = 32

const record = defineRecord({
  table: agentModels,
  calls: contract,
  kind: 'agentModel',
  isSharedByPlatform: true,
  noun: '模型',
  nameOf: ({ name }) => name,
  references: { fallbackModelId: agentModels },
  async onRemove({ db }, stored) {
    if (stored.isDefault === 1) throw conflict('默认模型不能删除，请先将其他模型设为默认')
    const uses = await describeModelUses(db, stored)
    if (uses) throw conflict(`${uses}正在使用该模型，不能删除`)
    await db
      .delete(agentSecrets)
      .where(and(eq(agentSecrets.ownerKind, SECRET_OWNER.model), eq(agentSecrets.ownerId, stored.id)))
  },
})

export const { remove: removeModel, enable: enableModel } = record

type Stored = typeof agentModels.$inferSelect
const ownerOf = ({ user }: Ctx, { id, tenantId }: Pick<Stored, 'id' | 'tenantId'>) => ({
  ownerKind: SECRET_OWNER.model,
  ownerId: id,
  tenantId,
  uid: user.uid,
})

/**
 * Resets settings that the model cannot have: only models of the platform are shared, and only language models have a
 * relay and a fallback.
 */
const limited = (
  tenantId: number,
  type: string,
  values: Pick<ParsedOf<typeof calls.update>, 'shared' | 'relay' | 'fallbackModelId'>,
) => ({
  shared: tenantId === PLATFORM_TENANT_ID ? values.shared : 0,
  relay: type === 'LLM' ? values.relay : 0,
  fallbackModelId: type === 'LLM' ? (values.fallbackModelId ?? null) : null,
})

interface CheckedModel {
  readonly db: Db
  readonly tenantId: number
  readonly type: string
  readonly providerCode: string
  /** Id and configuration of the edited model. */
  readonly id?: number
  readonly stored?: Stored['config']
}

/** Returns the configuration and the secrets of a model. Throws one error with the problems of all fields. */
async function checkModel(
  { db, tenantId, type, providerCode, id, stored }: CheckedModel,
  input: Pick<ParsedOf<typeof calls.create>, 'config' | 'relay' | 'fallbackModelId' | 'priceIn' | 'priceOut'>,
) {
  const problems = new FieldProblems()
  const fields = await problems.collect(() => readProviderFields(db, type, providerCode))
  const read = await problems.collect(() => fields && readConfig(fields, input.config, stored))
  await problems.collect(() => assertLanguageModel(db, tenantId, read?.config.llm))
  await problems.collect(() => assertRelay(type, providerCode, input.relay))
  await problems.collect(() => assertFallback(db, tenantId, input.fallbackModelId, id))
  const units = PRICE_UNITS[type] ?? {}
  if (input.priceIn > 0 && !units.in) problems.add('priceIn', '该类型的模型不按输入计费')
  if (input.priceOut > 0 && !units.out) problems.add('priceOut', '该类型的模型不按输出计费')
  problems.throwIfAny()
  return { ...read!, fields: fields! }
}

export async function createModel(ctx: Ctx, { tenantId: requested, ...input }: ParsedOf<typeof calls.create>) {
  const { db, services } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx, requested, 'tenantId')
  const { config, secrets } = await checkModel({ db, tenantId, ...input }, input)
  const made = await record.insert(ctx, {
    ...input,
    ...limited(tenantId, input.type, input),
    config,
    tenantId,
  })
  await writeSecrets(db, services.config.secretKey, ownerOf(ctx, { id: made.id, tenantId }), secrets)
  return made
}

export async function updateModel(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db } = ctx
  const stored = await record.lock(ctx, id)
  const { tenantId, type } = stored
  const { config, secrets, fields } = await checkModel({ db, ...stored, stored: stored.config }, input)
  await assertKeyResent(ctx, stored, { fields, after: config, sent: new Set(secrets.keys()) })
  if (input.status === 0) assertNotDefault(stored)
  const saved = await record.save(ctx, stored, rev, {
    ...input,
    ...limited(tenantId, type, input),
    config: isSameConfig(stored.config, config) ? stored.config : config,
  })
  return secrets.size === 0 ? saved : saveSecrets(ctx, stored, saved, secrets)
}

/** Refuses a new address that would receive a stored secret, unless the account may read secrets anyway. */
async function assertKeyResent(
  { db, user }: Ctx,
  { id, config }: Stored,
  change: Pick<Parameters<typeof findKeptSecretProblem>[0], 'fields' | 'after' | 'sent'>,
) {
  if (user.can(contract.reveal.access)) return
  const stored = Object.keys(await readSecretEndings(db, SECRET_OWNER.model, id))
  const problem = findKeptSecretProblem({ ...change, before: config, stored })
  if (problem) throw invalid(problem.msg, `config.${problem.field}`)
}

/**
 * Stores changed secrets. Updates the revision and writes the operation log even when the save changes only secrets.
 */
async function saveSecrets(ctx: Ctx, stored: Stored, saved: { rev: number }, secrets: ReadonlyMap<string, string>) {
  const { db, user, now, services } = ctx
  await writeSecrets(db, services.config.secretKey, ownerOf(ctx, stored), secrets)
  const action = `修改模型「${stored.name}」（含密钥 ${[...secrets.keys()].join('、')}）`
  ctx.audit({ bizType: 'agentModel', bizId: stored.id, action })
  if (saved.rev !== stored.rev) return saved
  const next = updateColumns(stored, user.uid, now)
  await db.update(agentModels).set(next).where(eq(agentModels.id, stored.id))
  await services.events.publish(db, 'changed', { resource: 'agent', tenantId: stored.tenantId })
  return { rev: next.rev }
}

function assertNotDefault({ isDefault }: Stored) {
  if (isDefault === 1) throw conflict('默认模型不能停用，请先将其他模型设为默认')
}

export async function disableModel(ctx: Ctx, input: ParsedOf<typeof calls.disable>) {
  assertNotDefault(await record.lock(ctx, input.id))
  return record.disable(ctx, input)
}

/** Makes a model the default of its type and owner. */
export async function setDefaultModel(ctx: Ctx, { id }: ParsedOf<typeof calls.setDefault>) {
  const { db, user, now, services } = ctx
  const stored = await record.lock(ctx, id)
  if (stored.status !== 1) throw conflict('停用的模型不能设为默认')
  ctx.audit({ bizType: 'agentModel', bizId: id, action: `将「${stored.name}」设为默认模型` })
  if (stored.isDefault === 1) return null
  const sameType = and(eq(agentModels.tenantId, stored.tenantId), eq(agentModels.type, stored.type))
  await db
    .update(agentModels)
    .set({ isDefault: 0 })
    .where(and(sameType, eq(agentModels.isDefault, 1)))
  await db
    .update(agentModels)
    .set({ isDefault: 1, ...updateColumns(stored, user.uid, now) })
    .where(eq(agentModels.id, id))
  await services.events.publish(db, 'changed', { resource: 'agent', tenantId: stored.tenantId })
  return null
}

/** Copies a model with its secrets. The copy is not a default model. */
export async function copyModel(ctx: Ctx, { id }: ParsedOf<typeof calls.copy>) {
  const { db, services } = ctx
  const stored = await record.lock(ctx, id)
  const { id: _id, rev: _rev, isDefault: _default, createTime: _created, updateTime: _updated, ...copied } = stored
  const made = await record.insert(ctx, {
    ...copied,
    name: `${stored.name.slice(0, 46)}（副本）`,
    code: copyCode(stored.code),
  })
  const secrets = await readSecrets(db, services.config.secretKey, SECRET_OWNER.model, [id])
  const owner = ownerOf(ctx, { id: made.id, tenantId: stored.tenantId })
  await writeSecrets(db, services.config.secretKey, owner, secrets.get(id) ?? new Map())
  return made
}

/**
 * Returns a code for a copy: `LLM_AliLLM_3f9a1c`. The suffix is random, because codes of other tenants are not visible.
 */
const copyCode = (code: string) => `${code.slice(0, MAX_CODE - 7)}_${randomBytes(3).toString('hex')}`

/** Returns a secret in plain text. The operation log records the account, the field and the reason. */
export async function revealModelSecret(ctx: Ctx, { id, field, reason }: ParsedOf<typeof calls.reveal>) {
  const stored = await record.lock(ctx, id)
  const secrets = await readSecrets(ctx.db, ctx.services.config.secretKey, SECRET_OWNER.model, [id])
  const value = secrets.get(id)?.get(field)
  if (value === undefined) throw invalid('该密钥未设置', 'field')
  ctx.audit({ bizType: 'agentModel', bizId: id, action: `查看模型「${stored.name}」的密钥 ${field}：${reason}` })
  return { value }
}

type Config = Readonly<Record<string, unknown>>

async function readProviderFields(db: Db, type: string, code: string): Promise<readonly ProviderField[]> {
  const [provider] = await db
    .select({ fields: agentProviders.fields })
    .from(agentProviders)
    .where(and(eq(agentProviders.type, type), eq(agentProviders.code, code)))
  if (!provider) throw invalid('接口不存在或已被删除', 'providerCode')
  return provider.fields
}

/**
 * Checks the values by the provider's fields. Returns the configuration to store and the secrets that were sent.
 * `stored` is the configuration before the save.
 */
function readConfig(fields: readonly ProviderField[], config: Config, stored?: Config) {
  const problems = new FieldProblems()
  for (const { field, msg } of findConfigProblems(fields, config, stored)) problems.add(`config.${field}`, msg)
  problems.throwIfAny()
  const secrets = new Map(
    fields.flatMap((field) => {
      const value = config[field.key]
      return isSecretField(field) && value !== undefined && value !== null ? [[field.key, String(value)] as const] : []
    }),
  )
  return { config: toStoredConfig(fields, config, stored), secrets }
}

/**
 * Throws when the model of `llm` does not exist, may not be used by the owner, or cannot be called for a completion.
 */
async function assertLanguageModel(db: Db, tenantId: number, llm: unknown) {
  if (llm === undefined) return
  const [found] = await db
    .select({ providerCode: agentModels.providerCode, status: agentModels.status })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'LLM'), eq(agentModels.code, String(llm))))
  if (!found || found.status !== 1) throw invalid('使用的LLM不存在或已停用', 'config.llm')
  if (!CALLABLE_LLMS.has(found.providerCode)) throw invalid('使用的LLM须为 OpenAI 兼容接口或 Ollama', 'config.llm')
}

/** Refuses the relay for a model whose provider has no OpenAI interface. Models of other types have no relay. */
function assertRelay(type: string, providerCode: string, relay: number) {
  if (relay === 1 && type === 'LLM' && !RELAYED_LLMS.has(providerCode))
    throw invalid('只有 OpenAI 兼容接口、Ollama 和 Xinference 的模型可以经由平台调用', 'relay')
}

/** Refuses a fallback that is not another language model that the owner may use and that the relay can call. */
async function assertFallback(db: Db, tenantId: number, fallbackModelId: number | undefined, ownId?: number) {
  if (fallbackModelId === undefined) return
  const [found] = await db
    .select({ providerCode: agentModels.providerCode })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'LLM'), eq(agentModels.id, fallbackModelId)))
  if (!found || fallbackModelId === ownId) throw invalid('备用模型不存在或已被删除', 'fallbackModelId')
  if (!RELAYED_LLMS.has(found.providerCode))
    throw invalid('备用模型须为 OpenAI 兼容接口、Ollama 或 Xinference', 'fallbackModelId')
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )

/** Returns whether two configurations are equal, whatever the order of their keys: `jsonb` does not keep the order. */
const isSameConfig = (one: Config, other: Config) => sortedJson(one) === sortedJson(other)
