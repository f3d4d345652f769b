import { MAX_WORD_FILES } from '@oms/contract/agent/agents/agent-input.ts'
import { type wordFiles as calls, splitWordLines } from '@oms/contract/agent/agents/word-file.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, arrayContains, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agents, agentWordFiles } from '../schema/agent.ts'
import { saveBehaviour } from './agent-save.ts'
import { extractBehaviour } from './agent-secrets.ts'
import { lockAgent, publishAgents } from './agent.ts'
import { toBehaviourInput } from './version.ts'

const KIND = 'agentWordFile'

const visible = (user: User) =>
  and(notDeleted(agentWordFiles), scoped(user, { tenant: agentWordFiles.tenantId, creator: agentWordFiles.createBy }))

const select = (db: Db) =>
  db
    .select({
      id: agentWordFiles.id,
      name: agentWordFiles.name,
      count: sql<number>`cardinality(${agentWordFiles.lines})`.as('count'),
      usedBy: sql<number>`(select count(*)::int from ${agents} a
        where a.tenant_id = ${agentWordFiles.tenantId} and a.deleted_at is null
          and ${agentWordFiles.id} = any(a.word_file_ids))`.as('used_by'),
      createTime: agentWordFiles.createTime,
      updateTime: agentWordFiles.updateTime,
      rev: agentWordFiles.rev,
    })
    .from(agentWordFiles)

export function listWords({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const isOfTenant = input.tenantId === undefined ? undefined : eq(agentWordFiles.tenantId, input.tenantId)
  const rows = select(db).where(and(visible(user), isOfTenant, contains(agentWordFiles.name, input.name)))
  const order = buildSort(input, { createTime: agentWordFiles.createTime }, agentWordFiles.id, [
    desc(agentWordFiles.id),
  ])
  return paginate(db, rows.$dynamic(), input, order)
}

export async function getWords({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const isIt = and(eq(agentWordFiles.id, id), visible(user))
  const [found] = await select(db).where(isIt)
  const [stored] = await db.select({ lines: agentWordFiles.lines }).from(agentWordFiles).where(isIt)
  if (!found || !stored) throw notFound('替换词文件')
  return { ...found, words: stored.lines.join('\n') }
}

async function lock({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select()
    .from(agentWordFiles)
    .where(and(eq(agentWordFiles.id, id), visible(user)))
    .for('update')
  if (!found) throw notFound('替换词文件')
  return found
}

/** Adds a word file to the files of an agent. The agent gets a new version. */
async function useInAgent(ctx: Ctx, agentId: number, file: { id: number; tenantId: number; name: string }) {
  const stored = await lockAgent(ctx, agentId)
  if (stored.tenantId !== file.tenantId) throw invalid('智能体不属于该客户', 'agentId')
  if (stored.wordFileIds.length >= MAX_WORD_FILES)
    throw invalid(`智能体已使用${MAX_WORD_FILES}个替换词文件，不能再增加`, 'agentId')
  const behaviour = { ...toBehaviourInput(extractBehaviour(stored)), wordFileIds: [...stored.wordFileIds, file.id] }
  const { agentName } = stored
  const action = `新增替换词文件「${file.name}」，用于智能体「${agentName}」`
  await saveBehaviour(ctx, stored, { behaviour, label: { agentName }, source: 2, note: '', action })
}

export async function createWords(ctx: Ctx, { name, words, tenantId, agentId }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const tenant = await resolveOwningTenant(ctx, tenantId, 'tenantId')
  const [made] = await db
    .insert(agentWordFiles)
    .values({ tenantId: tenant.id, name, lines: splitWordLines(words), createBy: user.uid, updateBy: user.uid })
    .returning({ id: agentWordFiles.id })
  if (agentId === undefined) ctx.audit({ bizType: KIND, bizId: made!.id, action: `新增替换词文件「${name}」` })
  else await useInAgent(ctx, agentId, { id: made!.id, tenantId: tenant.id, name })
  await publishAgents(ctx, tenant.id)
  return { id: made!.id }
}

export async function updateWords(ctx: Ctx, { id, rev, name, words }: ParsedOf<typeof calls.update>) {
  const stored = await lock(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  const next = updateColumns(stored, ctx.user.uid, ctx.now)
  await ctx.db
    .update(agentWordFiles)
    .set({ name, lines: splitWordLines(words), ...next })
    .where(eq(agentWordFiles.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `修改替换词文件「${name}」` })
  await publishAgents(ctx, stored.tenantId)
  return { rev: next.rev }
}

export async function removeWords(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const stored = await lock(ctx, id)
  const isUsing = and(notDeleted(agents), eq(agents.tenantId, stored.tenantId), arrayContains(agents.wordFileIds, [id]))
  const used = await db.$count(agents, isUsing)
  if (used > 0) throw conflict(`还有${used}个智能体使用该替换词文件，不能删除`)
  await db
    .update(agentWordFiles)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(agentWordFiles.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `删除替换词文件「${stored.name}」` })
  await publishAgents(ctx, stored.tenantId)
  return null
}
