import { CLONE_PROVIDER, type voiceClones as calls } from '@oms/contract/agent/voices/voice-clone.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, sql } from 'drizzle-orm'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import type { Db } from '#core/database/client.ts'
import { visibleRecords } from '#core/database/record.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { isFeatureEnabled } from '../parameters/features.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agents, agentTemplates } from '../schema/agent.ts'
import { agentModels, agentVoiceClones } from '../schema/agent-model.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'

const { id, createTime } = agentVoiceClones
const MAX_MODELS = 100

const usesIn = (table: typeof agents | typeof agentTemplates, user: User) =>
  sql`(select count(*)::int from ${table} where ${and(
    eq(table.cloneId, id),
    notDeleted(table),
    scoped(user, { tenant: table.tenantId, creator: table.createBy }),
  )})`

const select = (db: Db, user: User) =>
  db
    .select({
      id,
      tenantId: agentVoiceClones.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '平台')`.as('tenant_name'),
      modelId: agentVoiceClones.modelId,
      modelName: sql<string>`coalesce(${agentModels.name}, '')`.as('model_name'),
      name: agentVoiceClones.name,
      voiceId: agentVoiceClones.voiceId,
      recording: sql<string>`'/api/v1/file/' || ${agentVoiceClones.fileId}`.as('recording'),
      seconds: agentVoiceClones.seconds,
      state: agentVoiceClones.state,
      error: agentVoiceClones.error,
      consentSpeaker: agentVoiceClones.consentSpeaker,
      consentTime: agentVoiceClones.consentTime,
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      useCount: sql<number>`${usesIn(agents, user)} + ${usesIn(agentTemplates, user)}`.as('use_count'),
      createTime,
      updateTime: agentVoiceClones.updateTime,
      rev: agentVoiceClones.rev,
    })
    .from(agentVoiceClones)
    .leftJoin(agentModels, eq(agentModels.id, agentVoiceClones.modelId))
    .leftJoin(tenants, eq(tenants.id, agentVoiceClones.tenantId))
    .leftJoin(accounts, eq(accounts.uid, agentVoiceClones.createBy))

const visible = (user: User) => visibleRecords({ table: agentVoiceClones }, user)

export function listClones({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const { name, voiceId, state, tenantId } = input
  const query = select(db, user).where(
    and(
      visible(user),
      contains(agentVoiceClones.name, name),
      contains(agentVoiceClones.voiceId, voiceId),
      state === undefined ? undefined : eq(agentVoiceClones.state, state),
      tenantId === undefined ? undefined : eq(agentVoiceClones.tenantId, tenantId),
    ),
  )
  return paginate(db, query.$dynamic(), input, buildSort(input, { createTime }, id))
}

export async function getClone({ db, user }: Ctx, input: ParsedOf<typeof calls.get>) {
  const [found] = await select(db, user).where(and(visible(user), eq(id, input.id)))
  if (!found) throw notFound('克隆音色')
  return found
}

export const getCloneFeature = async ({ services, user }: Ctx) => ({
  isEnabled: await isFeatureEnabled(services, user.tenantId ?? PLATFORM_TENANT_ID, 'clone'),
})

/**
 * Returns the condition for models that may train clones of a tenant. Excludes shared models, because a training
 * consumes a voice that the owner of the model paid for.
 */
export const isTrainableModel = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    eq(agentModels.tenantId, tenantId),
    eq(agentModels.type, 'TTS'),
    eq(agentModels.providerCode, CLONE_PROVIDER),
    eq(agentModels.status, 1),
  )

export async function listCloneModels(ctx: Ctx, { keyword }: ParsedOf<typeof calls.models>) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const list = await ctx.db
    .select({ id: agentModels.id, name: agentModels.name, code: agentModels.code })
    .from(agentModels)
    .where(
      and(isTrainableModel(tenantId), or(contains(agentModels.name, keyword), contains(agentModels.code, keyword))),
    )
    .orderBy(asc(agentModels.sort), asc(agentModels.id))
    .limit(MAX_MODELS)
  return { list }
}
