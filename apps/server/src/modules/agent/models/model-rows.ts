import type { agentModels as calls } from '@oms/contract/agent/models/config.ts'
import { toFormConfig } from '@oms/contract/agent/models/model-config.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, or, sql } from 'drizzle-orm'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate, byName } from '#core/database/lists/list-query.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildEditableCondition, buildUsableModelCondition, buildUsableRowCondition } from './model-access.ts'
import { readSecretEndings, SECRET_OWNER } from '../secrets.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'
import { tenants } from '#core/schema/tenant.ts'
import { countModelUses } from './model-uses.ts'

const MAX_OPTIONS = 100
/** Accounts with one of these permissions may read the options of models, providers and voices. */
const READERS = ['agent:agent:list', 'agent:template:list', 'agent:config:list', 'agent:voice:list'] as const

/** Refuses accounts without a permission for a screen that uses models. */
export function assertModelReader(user: User) {
  if (!READERS.some((permission) => user.can(permission))) throw forbidden()
}

const select = (db: Db, user: User) =>
  db
    .select({
      id: agentModels.id,
      tenantId: agentModels.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '平台')`.as('tenant_name'),
      type: agentModels.type,
      code: agentModels.code,
      name: agentModels.name,
      providerCode: agentModels.providerCode,
      providerName: sql<string>`coalesce(${agentProviders.name}, ${agentModels.providerCode})`.as('provider_name'),
      isDefault: agentModels.isDefault,
      status: agentModels.status,
      sort: agentModels.sort,
      docLink: agentModels.docLink,
      remark: agentModels.remark,
      priceIn: agentModels.priceIn,
      priceOut: agentModels.priceOut,
      relay: agentModels.relay,
      shared: agentModels.shared,
      isEditable: buildEditableCondition(agentModels, user).as('is_editable'),
      createTime: agentModels.createTime,
      updateTime: agentModels.updateTime,
      rev: agentModels.rev,
      config: agentModels.config,
      fallbackModelId: agentModels.fallbackModelId,
      fields: agentProviders.fields,
    })
    .from(agentModels)
    .leftJoin(tenants, eq(tenants.id, agentModels.tenantId))
    .leftJoin(
      agentProviders,
      and(eq(agentProviders.type, agentModels.type), eq(agentProviders.code, agentModels.providerCode)),
    )

type Shown = Awaited<ReturnType<typeof select>>[number]

async function counted(db: Db, user: User, rows: readonly Shown[]) {
  const ids = rows.map(({ id }) => id)
  const counts = await countModelUses(db, user, ids)
  return rows.map(({ config: _config, fallbackModelId: _fallback, fields: _fields, ...row }) => ({
    ...row,
    useCount: counts.get(row.id) ?? 0,
  }))
}

export async function listModels({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = select(db, user).where(
    and(
      buildUsableRowCondition(agentModels, user),
      input.type === undefined ? undefined : eq(agentModels.type, input.type),
      contains(agentModels.name, input.name),
      contains(agentModels.code, input.code),
      input.status === undefined ? undefined : eq(agentModels.status, input.status),
      input.tenantId === undefined ? undefined : eq(agentModels.tenantId, input.tenantId),
    ),
  )
  const { sort, name, code, createTime, updateTime, id } = agentModels
  const order = buildSort(input, { sort, name: byName(name), code, createTime, updateTime }, id, [asc(sort), asc(id)])
  const page = await paginate(db, rows.$dynamic(), input, order)
  return { ...page, list: await counted(db, user, page.list) }
}

/** Returns a model with the values of its form. A caller that only uses the model gets no values. */
export async function getModel({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const found = await select(db, user).where(and(buildUsableRowCondition(agentModels, user), eq(agentModels.id, id)))
  const [row] = await counted(db, user, found)
  if (!row) throw notFound('模型')
  const [{ config, fields, fallbackModelId }] = found as [Shown]
  if (!row.isEditable) return { ...row, config: {}, secrets: {}, fallbackModelId: null }
  return {
    ...row,
    config: withMaskedAddresses(toFormConfig(fields ?? [], config)) as Record<string, string | number | boolean>,
    secrets: await readSecretEndings(db, SECRET_OWNER.model, id),
    fallbackModelId,
  }
}

/**
 * Lists models for selects: the models that the given tenant may use, otherwise all models that the account may use.
 */
export async function listModelOptions({ db, user }: Ctx, { type, keyword, tenantId }: ParsedOf<typeof calls.options>) {
  assertModelReader(user)
  const rows = await db
    .select({
      id: agentModels.id,
      name: agentModels.name,
      code: agentModels.code,
      type: agentModels.type,
      providerCode: agentModels.providerCode,
      isDefault: agentModels.isDefault,
      status: agentModels.status,
    })
    .from(agentModels)
    .where(
      and(
        buildUsableRowCondition(agentModels, user),
        tenantId === undefined ? undefined : buildUsableModelCondition(tenantId),
        type === undefined ? undefined : eq(agentModels.type, type),
        or(contains(agentModels.name, keyword), contains(agentModels.code, keyword)),
      ),
    )
    .orderBy(desc(agentModels.status), desc(agentModels.isDefault), asc(agentModels.sort), asc(agentModels.id))
    .limit(MAX_OPTIONS)
  return { list: rows }
}
