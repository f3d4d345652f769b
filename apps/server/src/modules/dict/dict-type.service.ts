import { DictTypeInput, type dictTypes as calls } from '@oms/contract/dict-type.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { dictData, dictTypes } from '#db/schema/system.ts'
import type { Ctx } from '#kernel/context.ts'
import { changes } from '#kernel/mask.ts'
import { conflict, invalid, notFound, refused } from '#kernel/problem.ts'
import { contains, orderOf, paginate, within } from '#kernel/query.ts'
import { checkRevision, touched } from '#kernel/stale.ts'
import { alive } from '#kernel/tenancy.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { demandPlatform, dictChanged } from './dict-change.ts'
import { titlesOf } from './dict-titles.ts'
import { usageOf } from './dict-usage.ts'

const TITLES = titlesOf(DictTypeInput)
const BIZ = 'dictType'
const TAKEN = ['字典类型已存在', 'dictType'] as const

/** The columns of a list row, the number of entries among them. */
export const TYPE_ROW = {
  dictId: dictTypes.dictId,
  dictName: dictTypes.dictName,
  dictType: dictTypes.dictType,
  status: dictTypes.status,
  remark: dictTypes.remark,
  isBuiltin: dictTypes.isBuiltin,
  rev: dictTypes.rev,
  createTime: dictTypes.createTime,
  updateTime: dictTypes.updateTime,
  // Written out: drizzle leaves the table's name off its columns in a select from one table.
  dataCount: sql<number>`(select count(*)::int from dict_data d
    where d.dict_type = dict_types.dict_type and d.deleted_at is null)`.as('data_count'),
}

/** The condition of the list and of its export. */
export const typeFilter = (filter: Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>): SQL | undefined =>
  and(
    alive(dictTypes),
    contains(dictTypes.dictName, filter.dictName),
    contains(dictTypes.dictType, filter.dictType),
    filter.status === undefined ? undefined : eq(dictTypes.status, filter.status),
    ...within(dictTypes.createTime, filter.beginTime, filter.endTime),
  )

export const typeOrder = (asked: Pick<ParsedOf<typeof calls.list>, 'orderByColumn' | 'isAsc'>) =>
  orderOf(asked, SORTS, dictTypes.dictId, [asc(dictTypes.dictId)])
const SORTS = { dictId: dictTypes.dictId, dictType: dictTypes.dictType }

export function list({ db }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = db.select(TYPE_ROW).from(dictTypes).where(typeFilter(input)).$dynamic()
  return paginate(db, rows, input, typeOrder(input))
}

export async function get({ db }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [row] = await db.select(TYPE_ROW).from(dictTypes).where(byId(id))
  if (!row) throw notFound('字典类型')
  return row
}

export async function usage({ db }: Ctx, { id }: ParsedOf<typeof calls.usage>) {
  const { dictType } = await find(db, id)
  return { list: await usageOf(db, dictType) }
}

/** Every type in use, for the picker above the entries of one. */
export async function optionselect({ db }: Ctx) {
  const list = await db
    .select({ dictId: dictTypes.dictId, dictName: dictTypes.dictName, dictType: dictTypes.dictType })
    .from(dictTypes)
    .where(alive(dictTypes))
    .orderBy(asc(dictTypes.dictId))
    .limit(1000)
  return { list }
}

export async function create(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  demandPlatform(ctx)
  const { db, user, kernel } = ctx
  const [made] = await db
    .insert(dictTypes)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ dictId: dictTypes.dictId })
  if (!made) throw conflict(...TAKEN)
  await kernel.events.publish(db, 'dict', { type: input.dictType })
  ctx.audit({
    bizType: BIZ,
    bizId: made.dictId,
    action: `新增字典类型「${input.dictName}」`,
    diff: changes({}, input, TITLES),
  })
  return made
}

/** A type that gets another name takes its entries along; a shipped one keeps the name the program knows it by. */
export async function update(ctx: Ctx, { dictId, rev, ...input }: ParsedOf<typeof calls.update>) {
  demandPlatform(ctx)
  const { db, user, now } = ctx
  const stored = await find(db, dictId, true)
  await checkRevision(db, stored, rev)
  const renamed = input.dictType !== stored.dictType
  if (renamed && stored.isBuiltin) throw invalid('内置字典的字典类型不能修改', 'dictType')
  const change = touched(stored, user.uid, now)
  await db
    .update(dictTypes)
    .set({ ...input, ...change })
    .where(eq(dictTypes.dictId, dictId))
    .catch((error: unknown) => {
      throw uniqueClash(error, { dict_types_type: TAKEN }) ?? error
    })
  if (renamed) await renameEntries(ctx, stored.dictType, input.dictType)
  await dictChanged(ctx, input.dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictId,
    action: `修改字典类型「${stored.dictName}」`,
    diff: changes(stored, input, TITLES),
  })
  return { rev: change.rev }
}

async function renameEntries(ctx: Ctx, from: string, to: string) {
  await ctx.db
    .update(dictData)
    .set({ dictType: to })
    .where(and(eq(dictData.dictType, from), alive(dictData)))
  await dictChanged(ctx, from)
}

export const enable = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setStatus(ctx, id, 1)
export const disable = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, dictId: number, status: 0 | 1) {
  demandPlatform(ctx)
  const { db, user, now } = ctx
  const stored = await find(db, dictId, true)
  if (stored.status === status) return null
  await db
    .update(dictTypes)
    .set({ status, ...touched(stored, user.uid, now) })
    .where(eq(dictTypes.dictId, dictId))
  await dictChanged(ctx, stored.dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictId,
    action: `${status ? '启用' : '停用'}字典类型「${stored.dictName}」`,
    diff: changes(stored, { status }, TITLES),
  })
  return null
}

export async function remove(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  demandPlatform(ctx)
  const { db, now, kernel } = ctx
  const stored = await find(db, id, true)
  if (stored.isBuiltin) throw refused('内置字典类型不能删除，可以停用')
  const entries = await db.$count(dictData, and(eq(dictData.dictType, stored.dictType), alive(dictData)))
  if (entries > 0) throw invalid(`该字典类型下有${entries}条数据，请先删除这些数据`)
  await db.update(dictTypes).set({ deletedAt: now.toISOString() }).where(eq(dictTypes.dictId, id))
  await kernel.events.publish(db, 'dict', { type: stored.dictType })
  ctx.audit({ bizType: BIZ, bizId: id, action: `删除字典类型「${stored.dictName}」` })
  return null
}

/** What consoles take as "any dictionary may have changed". */
const EVERY_TYPE = '*'

export async function refreshCache(ctx: Ctx) {
  demandPlatform(ctx)
  const { db, kernel } = ctx
  const { rowCount } = await db
    .update(dictTypes)
    .set({ version: sql`${dictTypes.version} + 1` })
    .where(alive(dictTypes))
  await kernel.events.publish(db, 'dict', { type: EVERY_TYPE })
  ctx.audit({ bizType: BIZ, action: '刷新全部字典缓存' })
  return { types: rowCount ?? 0 }
}

const byId = (dictId: number) => and(eq(dictTypes.dictId, dictId), alive(dictTypes))

async function find(db: Db, dictId: number, lock = false) {
  const rows = db.select().from(dictTypes).where(byId(dictId))
  const [row] = await (lock ? rows.for('update') : rows)
  if (!row) throw notFound('字典类型')
  return row
}
