import { type agentProviders as calls, ProviderChange } from '@oms/contract/agent/models/provider.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'
import { assertModelReader } from './model.ts'

const KIND = 'agentProvider'
const TITLES = readFieldTitles(ProviderChange.shape)
const CLASHES = { agent_providers_code: ['编码已存在', 'code'] } as const

// The columns of the outer table are written in full: drizzle omits the table in a query of one table.
const useCount = (user: User) => sql<number>`(select count(*)::int from ${agentModels}
  where ${and(notDeleted(agentModels), scoped(user, { tenant: agentModels.tenantId }))}
  and ${agentModels.type} = agent_providers.type and ${agentModels.providerCode} = agent_providers.code)`

const select = (db: Db, user: User) =>
  db
    .select({
      id: agentProviders.id,
      type: agentProviders.type,
      code: agentProviders.code,
      name: agentProviders.name,
      fields: agentProviders.fields,
      sort: agentProviders.sort,
      isBuiltin: agentProviders.isBuiltin,
      useCount: useCount(user).as('use_count'),
      rev: agentProviders.rev,
    })
    .from(agentProviders)

export function listProviders({ db, user }: Ctx, { type, name, ...page }: ParsedOf<typeof calls.list>) {
  assertModelReader(user)
  const rows = select(db, user).where(
    and(type === undefined ? undefined : eq(agentProviders.type, type), contains(agentProviders.name, name)),
  )
  return paginate(db, rows.$dynamic(), page, [asc(agentProviders.sort), asc(agentProviders.id)])
}

export async function getProvider({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db, user).where(eq(agentProviders.id, id))
  if (!found) throw notFound('模型接口')
  return found
}

const publish = ({ services, db }: Ctx) => services.events.publish(db, 'changed', { resource: 'agent', tenantId: null })

export async function createProvider(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const [made] = await db
    .insert(agentProviders)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .returning({ id: agentProviders.id })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, CLASHES) ?? error
    })
  const id = made!.id
  ctx.audit({ bizType: KIND, bizId: id, action: `新增模型接口「${input.name}」`, diff: listChanges({}, input, TITLES) })
  await publish(ctx)
  return { id }
}

async function lockProvider({ db }: Ctx, id: number) {
  const [stored] = await db
    .select(getTableColumns(agentProviders))
    .from(agentProviders)
    .where(eq(agentProviders.id, id))
    .for('update')
  if (!stored) throw notFound('模型接口')
  return stored
}

export async function updateProvider(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockProvider(ctx, id)
  await checkRevision(db, stored, rev)
  const diff = listChanges(stored, input, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(agentProviders)
    .set({ ...input, ...next })
    .where(eq(agentProviders.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `修改模型接口「${stored.name}」`, diff })
  await publish(ctx)
  return { rev: next.rev }
}

export async function removeProvider(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db } = ctx
  const stored = await lockProvider(ctx, id)
  if (stored.isBuiltin === 1) throw conflict('内置接口不能删除')
  const [used] = await db
    .select({ name: agentModels.name })
    .from(agentModels)
    .where(
      and(
        eq(agentModels.type, stored.type),
        eq(agentModels.providerCode, stored.code),
        sql`${agentModels.deletedAt} is null`,
      ),
    )
    .limit(1)
  if (used) throw conflict(`模型「${used.name}」正在使用该接口，不能删除`)
  await db.delete(agentProviders).where(eq(agentProviders.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `删除模型接口「${stored.name}」` })
  await publish(ctx)
  return null
}
