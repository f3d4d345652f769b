import { randomBytes } from 'node:crypto'
import { type agentModels as calls, agentModels as contract, PRICE_UNITS } from '@oms/contract/agent/models/config.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { findKeptSecretProblem } from '../kept-secrets.ts'
import { readSecretEndings, readSecrets, SECRET_OWNER, writeSecrets } from '../secrets.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agentModels, agentSecrets } from '../schema/agent-model.ts'
import {
  assertFallback,
  assertLanguageModel,
  assertRelay,
  isSameConfig,
  readConfig,
  readProviderFields,
} from './model-check.ts'
import { describeModelUses } from './model-uses.ts'

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
