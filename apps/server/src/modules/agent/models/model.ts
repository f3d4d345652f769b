import type { agentModels as calls } from '@oms/contract/agent/models/config.ts'
import { toFormConfig } from '@oms/contract/agent/models/model-config.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, or, sql, ne, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate, byName } from '#core/database/lists/list-query.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { agentModels, agentProviders, agentVoices } from '../schema/agent-model.ts'
import { agents, agentTemplates, MODEL_COLUMNS } from '../schema/agent.ts'
import { readSecretEndings, SECRET_OWNER } from '../secrets.ts'

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

type Behaviour = typeof agents | typeof agentTemplates

/** Returns the number of agents and templates that use each of the models. */
async function countModelUses(db: Db, user: User, ids: readonly number[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  if (ids.length === 0) return counts
  for (const table of [agents, agentTemplates] as const) {
    const models = sql.join(
      MODEL_COLUMNS.map((column) => sql`${table[column]}`),
      sql`, `,
    )
    const visible = and(notDeleted(table), scoped(user, { tenant: table.tenantId, creator: table.createBy }))
    const { rows } = await db.execute<{ id: number; n: number }>(sql`
      select used.model_id as id, count(distinct ${table.id})::int as n
      from ${table} cross join lateral unnest(array[${models}]) as used(model_id)
      where ${visible} and used.model_id = any(${sql.param(ids)}::int[]) group by used.model_id`)
    for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + n)
  }
  return counts
}

const MAX_NAMED = 3
const usesModel = (table: Behaviour, id: number) => or(...MODEL_COLUMNS.map((column) => eq(table[column], id)))
const quoted = (names: readonly string[]) =>
  names
    .slice(0, MAX_NAMED)
    .map((name) => `「${name}」`)
    .join('')

/**
 * Returns the names of the agents, templates and models that use a model: `智能体「客服」「前台」等5个`. Empty for an unused model.
 */
export async function describeModelUses(db: Db, model: { id: number; code: string }): Promise<string> {
  const agentNames = await db
    .select({ name: agents.agentName })
    .from(agents)
    .where(and(notDeleted(agents), usesModel(agents, model.id)))
    .orderBy(asc(agents.id))
    .limit(100)
  const templateNames = await db
    .select({ name: agentTemplates.templateName })
    .from(agentTemplates)
    .where(and(notDeleted(agentTemplates), usesModel(agentTemplates, model.id)))
    .orderBy(asc(agentTemplates.id))
    .limit(100)
  const modelNames = await db
    .select({ name: agentModels.name })
    .from(agentModels)
    .where(
      and(
        notDeleted(agentModels),
        or(sql`${agentModels.config} ->> 'llm' = ${model.code}`, eq(agentModels.fallbackModelId, model.id)),
      ),
    )
    .orderBy(asc(agentModels.id))
    .limit(100)
  return [namedText('智能体', agentNames), namedText('模板', templateNames), namedText('模型', modelNames)]
    .filter(Boolean)
    .join('、')
}

function namedText(noun: string, rows: readonly { name: string }[]) {
  if (rows.length === 0) return ''
  const more = rows.length > MAX_NAMED ? `等${rows.length}个` : ''
  return `${noun}${quoted(rows.map(({ name }) => name))}${more}`
}

/** A table with rows of the platform that tenants may use besides their own rows. */
interface SharedTable {
  readonly tenantId: PgColumn
  readonly createBy: PgColumn
  readonly deletedAt: PgColumn
  /**
   * Column with the value 1 for rows that tenants may use. Without the column, tenants may use every row of the
   * platform.
   */
  readonly shared?: PgColumn
}

/** Returns the condition of rows that the account may use: those of its data scope, and shared rows of the platform. */
export function buildUsableRowCondition(table: SharedTable, user: User): SQL | undefined {
  const own = scoped(user, { tenant: table.tenantId, creator: table.createBy })
  const shared = and(eq(table.tenantId, PLATFORM_TENANT_ID), table.shared ? eq(table.shared, 1) : undefined)
  return and(notDeleted(table), own ? or(own, shared) : undefined)
}

/**
 * Returns whether the account may change the row. Only accounts whose data scope contains all tenants change rows of the
 * platform, because all tenants use them.
 */
export const buildEditableCondition = (table: Pick<SharedTable, 'tenantId' | 'createBy'>, user: User) => {
  const isShared = user.scope.tenants === 'all' ? undefined : ne(table.tenantId, PLATFORM_TENANT_ID)
  const condition = and(scoped(user, { tenant: table.tenantId, creator: table.createBy }), isShared)
  return sql<boolean>`${condition ?? sql`true`}`
}

/** Returns the condition of models that rows of the tenant may name: its own, and shared models of the platform. */
export const buildUsableModelCondition = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    or(
      eq(agentModels.tenantId, tenantId),
      and(eq(agentModels.tenantId, PLATFORM_TENANT_ID), eq(agentModels.shared, 1)),
    ),
  )

/**
 * Returns the condition of voices that the account may use. Tenants may not use a voice of the platform whose model is
 * not shared.
 */
export const buildUsableVoiceCondition = (user: User): SQL | undefined =>
  and(
    buildUsableRowCondition(agentVoices, user),
    user.isPlatform ? undefined : or(ne(agentVoices.tenantId, PLATFORM_TENANT_ID), hasSharedModel),
  )

/** Condition of voices whose model is a shared model of the platform. */
export const hasSharedModel = sql`exists (select 1 from ${agentModels} m where m.id = ${agentVoices.modelId}
  and m.deleted_at is null and m.tenant_id = ${PLATFORM_TENANT_ID} and m.shared = 1)`
