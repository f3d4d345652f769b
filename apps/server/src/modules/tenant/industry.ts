import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type IndustryNode, industry, MAX_INDUSTRIES } from '@oms/contract/tenant/industry.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { assertPlatform } from '#core/auth/grants.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { industries, tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

const BIZ = 'industry'
const record = defineRecord({
  table: industries,
  calls: industry,
  kind: BIZ,
  noun: '行业',
  nameOf: ({ name }) => name,
  references: { parentId: industries },
  duplicateTexts: { industries_name: '同一级下已有这个行业名称' },
  heldText: (held) => `还有${held}，请先删除下级行业，并把客户合并到其他行业`,
})
const publishChange = ({ services, db }: Ctx) =>
  services.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })

export async function listIndustries({ db, user }: Ctx) {
  const counted = db.$with('counted').as(
    db
      .select({ industryId: tenants.industryId, n: sql<number>`count(*)::int`.as('n') })
      .from(tenants)
      .where(and(notDeleted(tenants), scoped(user, { tenant: tenants.id })))
      .groupBy(tenants.industryId),
  )
  const rows = await db
    .with(counted)
    .select({
      id: industries.id,
      parentId: industries.parentId,
      name: industries.name,
      code: industries.code,
      sort: industries.sort,
      icon: industries.icon,
      status: industries.status,
      tenantCount: sql<number>`coalesce(${counted.n}, 0)`,
      remark: industries.remark,
      rev: industries.rev,
    })
    .from(industries)
    .leftJoin(counted, eq(counted.industryId, industries.id))
    .where(notDeleted(industries))
    .orderBy(asc(industries.sort), asc(industries.id))
    .limit(MAX_INDUSTRIES)
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const branch = (parentId: number): IndustryNode[] =>
    (below.get(parentId) ?? []).map((row) => ({ ...row, children: parentId === 0 ? branch(row.id) : [] }))
  return { list: branch(0) }
}

export async function listIndustryOptions({ db }: Ctx) {
  const rows = await db
    .select({ id: industries.id, parentId: industries.parentId, name: industries.name, status: industries.status })
    .from(industries)
    .where(notDeleted(industries))
    .orderBy(asc(industries.sort), asc(industries.id))
    .limit(MAX_INDUSTRIES)
  return { list: rows }
}

/** Returns the name of an industry; empty for the parent of the first level. */
/** Refuses a missing parent and a third level. */
async function assertParent(db: Db, parentId: number) {
  if (parentId === 0) return
  const [parent] = await db
    .select({ parentId: industries.parentId })
    .from(industries)
    .where(and(eq(industries.id, parentId), notDeleted(industries)))
    .for('share')
  if (!parent) throw invalid('上级行业不存在或已被删除', 'parentId')
  if (parent.parentId !== 0) throw invalid('行业最多两级', 'parentId')
}

const childrenOf = (db: Db, id: number) =>
  db.$count(industries, and(eq(industries.parentId, id), notDeleted(industries)))

export async function createIndustry(ctx: Ctx, input: ParsedOf<typeof industry.create>) {
  const { db, user } = ctx
  assertPlatform(user)
  if ((await db.$count(industries, notDeleted(industries))) >= MAX_INDUSTRIES)
    throw refused(`行业不能超过${MAX_INDUSTRIES}个`)
  await assertParent(db, input.parentId)
  return record.insert(ctx, input)
}

/** Sections of GB/T 4754-2017. */
const PRESET = [
  ['A', '农、林、牧、渔业'],
  ['B', '采矿业'],
  ['C', '制造业'],
  ['D', '电力、热力、燃气及水生产和供应业'],
  ['E', '建筑业'],
  ['F', '批发和零售业'],
  ['G', '交通运输、仓储和邮政业'],
  ['H', '住宿和餐饮业'],
  ['I', '信息传输、软件和信息技术服务业'],
  ['J', '金融业'],
  ['K', '房地产业'],
  ['L', '租赁和商务服务业'],
  ['M', '科学研究和技术服务业'],
  ['N', '水利、环境和公共设施管理业'],
  ['O', '居民服务、修理和其他服务业'],
  ['P', '教育'],
  ['Q', '卫生和社会工作'],
  ['R', '文化、体育和娱乐业'],
  ['S', '公共管理、社会保障和社会组织'],
  ['T', '国际组织'],
] as const

export async function createPresetIndustries(ctx: Ctx) {
  const { db, user } = ctx
  assertPlatform(user)
  const made = await db
    .insert(industries)
    .values(
      PRESET.map(([code, name], at) => ({
        code: `GB_${code}`,
        name,
        sort: (at + 1) * 10,
        createBy: user.uid,
        updateBy: user.uid,
      })),
    )
    .onConflictDoNothing()
    .returning({ id: industries.id })
  ctx.audit({ bizType: BIZ, action: `导入常用行业${made.length}个` })
  await publishChange(ctx)
  ctx.say(made.length > 0 ? `已导入${made.length}个常用行业` : '常用行业都已存在')
  return { created: made.length }
}

export async function updateIndustry(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof industry.update>) {
  const { db, user } = ctx
  assertPlatform(user)
  const stored = await record.lock(ctx, id)
  await checkRevision(db, stored, rev)
  if (input.parentId === id) throw invalid('上级行业不能是自己', 'parentId')
  if (input.parentId !== 0 && (await childrenOf(db, id)) > 0) throw invalid('有下级的行业不能移到第二级', 'parentId')
  await assertParent(db, input.parentId)
  return record.save(ctx, stored, rev, input)
}

const byPlatform = (work: typeof record.remove) => (ctx: Ctx, input: { id: number }) => {
  assertPlatform(ctx.user)
  return work(ctx, input)
}
export const removeIndustry = byPlatform(record.remove)
export const enableIndustry = byPlatform(record.enable)
export const disableIndustry = byPlatform(record.disable)

/**
 * Moves the tenants of an industry to the target industry, then deletes the empty industry. Locks by id, so that two
 * merges cannot deadlock.
 */
export async function mergeIndustries(ctx: Ctx, { fromId, toId }: ParsedOf<typeof industry.merge>) {
  const { db, user, now } = ctx
  assertPlatform(user)
  if (fromId === toId) throw invalid('不能合并到自己', 'toId')
  const first = await record.lock(ctx, Math.min(fromId, toId))
  const second = await record.lock(ctx, Math.max(fromId, toId))
  const [from, to] = first.id === fromId ? [first, second] : [second, first]
  const children = await childrenOf(db, fromId)
  if (children > 0) throw conflict(`「${from.name}」还有${children}个下级行业，请先合并或删除下级`)
  const isMoved = and(eq(tenants.industryId, fromId), notDeleted(tenants))
  // Every transaction that locks several tenants locks them in the order of their ids.
  await db.select({ id: tenants.id }).from(tenants).where(isMoved).orderBy(tenants.id).for('update')
  const moved = await db
    .update(tenants)
    .set({ industryId: toId, updateBy: user.uid, updateTime: now.toISOString(), rev: sql`${tenants.rev} + 1` })
    .where(isMoved)
    .returning({ id: tenants.id })
  await db
    .update(industries)
    .set({ deletedAt: now.toISOString(), ...updateColumns(from, user.uid, now) })
    .where(eq(industries.id, fromId))
  ctx.audit({
    bizType: BIZ,
    bizId: toId,
    action: `行业「${from.name}」合并到「${to.name}」，移动${moved.length}个客户`,
  })
  await publishChange(ctx)
  return { moved: moved.length }
}

export async function sortIndustries(ctx: Ctx, { list: wanted }: ParsedOf<typeof industry.sort>) {
  const { db, user } = ctx
  assertPlatform(user)
  const changed = await db.execute<{ id: number }>(sql`
    update industries i set sort = v.sort, update_by = ${user.uid}, update_time = now(), rev = i.rev + 1
    from unnest(${sql.param(wanted.map(({ id }) => id))}::int[], ${sql.param(wanted.map((each) => each.sort))}::int[]) as v(id, sort)
    where i.id = v.id and i.deleted_at is null and i.sort <> v.sort returning i.id`)
  ctx.audit({ bizType: BIZ, action: `调整${changed.rows.length}个行业的排序` })
  await publishChange(ctx)
  return null
}
