import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { DictTypeInput, type dictTypes as calls } from '@oms/contract/system/dict-type.ts'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound, refused, forbidden } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { dictData, dictTypes } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Returns the Chinese field names of a schema for the differences in the operation log. */
export const readSchemaTitles = (schema: z.ZodObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(schema.shape).map((field) => [field, about(schema, field).title as string]))

const TITLES = readSchemaTitles(DictTypeInput)
const BIZ = 'dictType'
const TAKEN = ['字典类型已存在', 'dictType'] as const

/** Columns of a list row, with the number of entries. */
export const TYPE_LIST_COLUMNS = {
  dictId: dictTypes.dictId,
  dictName: dictTypes.dictName,
  dictType: dictTypes.dictType,
  status: dictTypes.status,
  remark: dictTypes.remark,
  isBuiltin: dictTypes.isBuiltin,
  rev: dictTypes.rev,
  createTime: dictTypes.createTime,
  updateTime: dictTypes.updateTime,
  // Raw SQL, because drizzle omits the table name in a query on one table.
  dataCount: sql<number>`(select count(*)::int from dict_data d
    where d.dict_type = dict_types.dict_type and d.deleted_at is null)`.as('data_count'),
}

/** Returns the condition for the list and its export. */
export const buildTypeFilter = (filter: Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>): SQL | undefined =>
  and(
    notDeleted(dictTypes),
    contains(dictTypes.dictName, filter.dictName),
    contains(dictTypes.dictType, filter.dictType),
    filter.status === undefined ? undefined : eq(dictTypes.status, filter.status),
    ...within(dictTypes.createTime, filter.beginTime, filter.endTime),
  )

export const buildDictTypeSort = (asked: Pick<ParsedOf<typeof calls.list>, 'orderByColumn' | 'isAsc'>) =>
  buildSort(asked, SORTS, dictTypes.dictId, [asc(dictTypes.dictId)])
const SORTS = { dictId: dictTypes.dictId, dictType: dictTypes.dictType }

export function listDictTypes({ db }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = db.select(TYPE_LIST_COLUMNS).from(dictTypes).where(buildTypeFilter(input)).$dynamic()
  return paginate(db, rows, input, buildDictTypeSort(input))
}

export async function getType({ db }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [row] = await db.select(TYPE_LIST_COLUMNS).from(dictTypes).where(byId(id))
  if (!row) throw notFound('字典类型')
  return row
}

/** Lists at most 1,000 dictionary types, enabled and disabled, for the select above the entries. */
export async function listTypeOptions({ db }: Ctx) {
  const list = await db
    .select({ dictId: dictTypes.dictId, dictName: dictTypes.dictName, dictType: dictTypes.dictType })
    .from(dictTypes)
    .where(notDeleted(dictTypes))
    .orderBy(asc(dictTypes.dictId))
    .limit(1000)
  return { list }
}

export async function createType(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  assertPlatformAccount(ctx)
  const { db, user, services } = ctx
  const [made] = await db
    .insert(dictTypes)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ dictId: dictTypes.dictId })
  if (!made) throw conflict(...TAKEN)
  await services.events.publish(db, 'dict', { type: input.dictType })
  ctx.audit({
    bizType: BIZ,
    bizId: made.dictId,
    action: `新增字典类型「${input.dictName}」`,
    diff: listChanges({}, input, TITLES),
  })
  return made
}

/**
 * Updates a type. Renaming also renames the type of its entries. A shipped type keeps its name, which the program
 * uses.
 */
export async function updateType(ctx: Ctx, { dictId, rev, ...input }: ParsedOf<typeof calls.update>) {
  assertPlatformAccount(ctx)
  const { db, user, now } = ctx
  const stored = await find(db, dictId, true)
  await checkRevision(db, stored, rev)
  const renamed = input.dictType !== stored.dictType
  if (renamed && stored.isBuiltin) throw invalid('内置字典的字典类型不能修改', 'dictType')
  const change = updateColumns(stored, user.uid, now)
  await db
    .update(dictTypes)
    .set({ ...input, ...change })
    .where(eq(dictTypes.dictId, dictId))
    .catch((error: unknown) => {
      throw toUniqueViolation(error, { dict_types_type: TAKEN }) ?? error
    })
  if (renamed) await renameEntries(ctx, stored.dictType, input.dictType)
  await publishDictChanged(ctx, input.dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictId,
    action: `修改字典类型「${stored.dictName}」`,
    diff: listChanges(stored, input, TITLES),
  })
  return { rev: change.rev }
}

async function renameEntries(ctx: Ctx, from: string, to: string) {
  await ctx.db
    .update(dictData)
    .set({ dictType: to })
    .where(and(eq(dictData.dictType, from), notDeleted(dictData)))
  await publishDictChanged(ctx, from)
}

export const enableType = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setStatus(ctx, id, 1)
export const disableType = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, dictId: number, status: 0 | 1) {
  assertPlatformAccount(ctx)
  const { db, user, now } = ctx
  const stored = await find(db, dictId, true)
  if (stored.status === status) return null
  await db
    .update(dictTypes)
    .set({ status, ...updateColumns(stored, user.uid, now) })
    .where(eq(dictTypes.dictId, dictId))
  await publishDictChanged(ctx, stored.dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictId,
    action: `${status ? '启用' : '停用'}字典类型「${stored.dictName}」`,
    diff: listChanges(stored, { status }, TITLES),
  })
  return null
}

export async function removeType(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  assertPlatformAccount(ctx)
  const { db, now, services } = ctx
  const stored = await find(db, id, true)
  if (stored.isBuiltin) throw refused('内置字典类型不能删除，可以停用')
  const entries = await db.$count(dictData, and(eq(dictData.dictType, stored.dictType), notDeleted(dictData)))
  if (entries > 0) throw invalid(`该字典类型下有${entries}条数据，请先删除这些数据`)
  await db.update(dictTypes).set({ deletedAt: now.toISOString() }).where(eq(dictTypes.dictId, id))
  await services.events.publish(db, 'dict', { type: stored.dictType })
  ctx.audit({ bizType: BIZ, bizId: id, action: `删除字典类型「${stored.dictName}」` })
  return null
}

/** Value in `changed` events that means every dictionary. */
const EVERY_TYPE = '*'

export async function refreshCache(ctx: Ctx) {
  assertPlatformAccount(ctx)
  const { db, services } = ctx
  // Without this lock two refreshes would lock rows in different orders, and PostgreSQL detects a deadlock only
  // after a second.
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('dictionary refresh'))`)
  const { rowCount } = await db
    .update(dictTypes)
    .set({ version: sql`${dictTypes.version} + 1` })
    .where(notDeleted(dictTypes))
  await services.events.publish(db, 'dict', { type: EVERY_TYPE })
  ctx.audit({ bizType: BIZ, action: '刷新全部字典缓存' })
  return { types: rowCount ?? 0 }
}

const byId = (dictId: number) => and(eq(dictTypes.dictId, dictId), notDeleted(dictTypes))

async function find(db: Db, dictId: number, lock = false) {
  const rows = db.select().from(dictTypes).where(byId(dictId))
  const [row] = await (lock ? rows.for('update') : rows)
  if (!row) throw notFound('字典类型')
  return row
}

/** Throws for accounts of tenants: dictionaries are shared, and only the platform changes them. */
export function assertPlatformAccount({ user }: Pick<Ctx, 'user'>) {
  if (!user.isPlatform) throw forbidden()
}

/** Returns the type by name, locked until the transaction ends. Changes of one dictionary run one after another. */
export async function lockType(db: Db, dictType: string) {
  const [type] = await db
    .select()
    .from(dictTypes)
    .where(and(eq(dictTypes.dictType, dictType), notDeleted(dictTypes)))
    .for('update')
  if (!type) throw notFound('字典类型')
  return type
}

/**
 * Increments the dictionary's version, which invalidates ETags, and notifies open consoles. Every change must call
 * this function.
 */
export async function publishDictChanged({ db, services }: Pick<Ctx, 'db' | 'services'>, dictType: string) {
  await db
    .update(dictTypes)
    .set({ version: sql`${dictTypes.version} + 1` })
    .where(and(eq(dictTypes.dictType, dictType), notDeleted(dictTypes)))
  await services.events.publish(db, 'dict', { type: dictType })
}
