import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { DictTypeRow, dictTypes as types } from '@oms/contract/system/dict-type.ts'
import {
  dictData as calls,
  DictDataInput,
  MAX_DICT_ENTRIES,
  DICT_STATUS,
  DictDataRow,
  dictData as data,
} from '@oms/contract/system/dict.ts'
import { and, asc, eq, ne, type SQL, isNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createSerializer } from '#core/http/serialize.ts'
import { accounts } from '#core/schema/account.ts'
import { dictData, notices, dictTypes } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { otaComponents } from '#modules/upgrade/schema.ts'
import {
  assertPlatformAccount,
  lockType,
  publishDictChanged,
  readSchemaTitles,
  TYPE_LIST_COLUMNS,
  buildTypeFilter,
  buildDictTypeSort,
} from './dict-type.ts'

const TITLES = readSchemaTitles(DictDataInput)
const BIZ = 'dictData'
type Stored = typeof dictData.$inferSelect

/** Returns the condition for the list and its export. */
export const buildDataFilter = (filter: Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>): SQL | undefined =>
  and(
    notDeleted(dictData),
    filter.dictType ? eq(dictData.dictType, filter.dictType) : undefined,
    contains(dictData.dictLabel, filter.dictLabel),
    contains(dictData.dictValue, filter.dictValue),
    filter.status === undefined ? undefined : eq(dictData.status, filter.status),
  )

const SORTS = { dictSort: dictData.dictSort, dictCode: dictData.dictCode }
const STANDARD = [asc(dictData.dictType), asc(dictData.dictSort), asc(dictData.dictCode)]
export const buildDictDataSort = (asked: Pick<ParsedOf<typeof calls.list>, 'orderByColumn' | 'isAsc'>) =>
  buildSort(asked, SORTS, dictData.dictCode, STANDARD)

export function listEntries({ db }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = db.select().from(dictData).where(buildDataFilter(input)).$dynamic()
  return paginate(db, rows, input, buildDictDataSort(input))
}

export const getEntry = ({ db }: Ctx, { id }: ParsedOf<typeof calls.get>) => find(db, id)

export async function createEntry(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  assertPlatformAccount(ctx)
  await lockType(ctx.db, input.dictType)
  const dictCode = await insertEntry(ctx, input)
  await publishDictChanged(ctx, input.dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictCode,
    action: `新增字典「${input.dictType}」的数据「${input.dictLabel}」`,
    diff: listChanges({}, input, TITLES),
  })
  return { dictCode }
}

async function insertEntry({ db, user }: Ctx, input: ParsedOf<typeof calls.create>) {
  const count = await db.$count(dictData, and(eq(dictData.dictType, input.dictType), notDeleted(dictData)))
  if (count >= MAX_DICT_ENTRIES) throw invalid(`一个字典最多${MAX_DICT_ENTRIES}条数据`, 'dictType')
  await assertValueFree(db, input)
  const [made] = await db
    .insert(dictData)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .returning({ dictCode: dictData.dictCode })
  const dictCode = made!.dictCode
  if (input.isDefault === 'Y') await clearDefault(db, input.dictType, dictCode)
  return dictCode
}

export async function updateDictEntry(ctx: Ctx, { dictCode, rev, ...given }: ParsedOf<typeof calls.update>) {
  assertPlatformAccount(ctx)
  const { dictType } = await find(ctx.db, dictCode)
  await lockType(ctx.db, dictType)
  const stored = await find(ctx.db, dictCode)
  await checkRevision(ctx.db, stored, rev)
  const input = { ...toEntryInput(stored), ...sentOf(given) }
  if (input.dictType !== stored.dictType) throw invalid('字典数据不能移到其他字典类型', 'dictType')
  const saved = await saveEntry(ctx, stored, input)
  await publishDictChanged(ctx, dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictCode,
    action: `修改字典「${dictType}」的数据「${stored.dictLabel}」`,
    diff: listChanges(stored, input, TITLES),
  })
  return saved
}

/** Returns the fields of an entry as an unchanged form would send them. */
const toEntryInput = ({ dictType, dictLabel, dictValue, dictSort, listClass, cssClass, ...more }: Stored) => {
  const { isDefault, status, remark } = more
  return { dictType, dictLabel, dictValue, dictSort, listClass, cssClass, isDefault, status, remark } as Input
}
type Input = ParsedOf<typeof calls.create>
const sentOf = (given: object) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Input>

async function saveEntry({ db, user, now }: Ctx, stored: Stored, input: ParsedOf<typeof calls.create>) {
  const { dictCode } = stored
  if (input.dictValue !== stored.dictValue) {
    if (stored.isBuiltin) throw invalid('内置字典数据的键值不能修改', 'dictValue')
    await assertUnused(db, stored, 'dictValue')
    await assertValueFree(db, input, dictCode)
  }
  const change = updateColumns(stored, user.uid, now)
  await db
    .update(dictData)
    .set({ ...input, ...change })
    .where(eq(dictData.dictCode, dictCode))
  if (input.isDefault === 'Y') await clearDefault(db, input.dictType, dictCode)
  return { rev: change.rev }
}

export const enableEntry = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setStatus(ctx, id, 1)
export const disableEntry = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, dictCode: number, status: 0 | 1) {
  assertPlatformAccount(ctx)
  const { db, user, now } = ctx
  const { dictType } = await find(db, dictCode)
  await lockType(db, dictType)
  const stored = await find(db, dictCode)
  if (stored.status === status) return null
  await db
    .update(dictData)
    .set({ status, ...updateColumns(stored, user.uid, now) })
    .where(eq(dictData.dictCode, dictCode))
  await publishDictChanged(ctx, dictType)
  ctx.audit({
    bizType: BIZ,
    bizId: dictCode,
    action: `${status ? '启用' : '停用'}字典「${dictType}」的数据「${stored.dictLabel}」`,
    diff: listChanges(stored, { status }, TITLES),
  })
  return null
}

export async function removeDictEntry(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  assertPlatformAccount(ctx)
  const { db, now } = ctx
  const { dictType } = await find(db, id)
  await lockType(db, dictType)
  const stored = await find(db, id)
  if (stored.isBuiltin) throw refused('内置字典数据不能删除，可以停用')
  await assertUnused(db, stored)
  await db.update(dictData).set({ deletedAt: now.toISOString() }).where(eq(dictData.dictCode, id))
  await publishDictChanged(ctx, dictType)
  ctx.audit({ bizType: BIZ, bizId: id, action: `删除字典「${dictType}」的数据「${stored.dictLabel}」` })
  return null
}

async function find(db: Db, dictCode: number): Promise<Stored> {
  const [row] = await db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictCode, dictCode), notDeleted(dictData)))
  if (!row) throw notFound('字典数据')
  return row
}

/** Throws when the value exists. The type is locked, so a free value stays free until the commit. */
async function assertValueFree(db: Db, { dictType, dictValue }: { dictType: string; dictValue: string }, except = 0) {
  const [taken] = await db
    .select({ dictLabel: dictData.dictLabel })
    .from(dictData)
    .where(
      and(
        eq(dictData.dictType, dictType),
        eq(dictData.dictValue, dictValue),
        ne(dictData.dictCode, except),
        notDeleted(dictData),
      ),
    )
  if (taken) throw conflict(`字典键值已被「${taken.dictLabel}」使用`, 'dictValue')
}

async function assertUnused(db: Db, { dictType, dictValue }: Stored, field?: string) {
  const used = await findFirstUse(db, dictType, dictValue)
  if (!used) return
  throw invalid(`「${used.title}」有${used.count}条数据正在使用该键值，不能${field ? '修改' : '删除'}`, field)
}

/** Clears the default of other entries, because a type has at most one default entry. */
async function clearDefault(db: Db, dictType: string, except: number) {
  await db
    .update(dictData)
    .set({ isDefault: 'N' })
    .where(
      and(
        eq(dictData.dictType, dictType),
        eq(dictData.isDefault, 'Y'),
        ne(dictData.dictCode, except),
        notDeleted(dictData),
      ),
    )
}

/**
 * A column that stores values of a dictionary, and its title in error messages. Columns of logs are not checked, because
 * logs grow without limit.
 */
interface DictColumn {
  readonly title: string
  readonly table: PgTable
  readonly column: PgColumn
  readonly deletedAt?: PgColumn
}

const dictColumn = (title: string, table: PgTable & { deletedAt?: PgColumn }, column: PgColumn): DictColumn => ({
  title,
  table,
  column,
  ...(table.deletedAt && { deletedAt: table.deletedAt }),
})

const COLUMNS_BY_TYPE: Readonly<Record<string, readonly DictColumn[]>> = {
  sys_user_sex: [dictColumn('账号 · 性别', accounts, accounts.gender)],
  sys_notice_type: [dictColumn('通知公告 · 类型', notices, notices.type)],
  sys_notice_status: [dictColumn('通知公告 · 状态', notices, notices.status)],
  company_size: [dictColumn('客户 · 企业规模', tenants, tenants.companySize)],
  tenant_level: [dictColumn('客户 · 级别', tenants, tenants.level)],
  ota_component_type: [dictColumn('设备固件 · 组件类型', otaComponents, otaComponents.type)],
}

/** Returns the first column that contains this value and the number of rows; undefined when no row does. */
async function findFirstUse(db: Db, dictType: string, value: string) {
  for (const { title, table, column, deletedAt } of COLUMNS_BY_TYPE[dictType] ?? []) {
    const count = await db.$count(table, and(eq(sql`${column}::text`, value), deletedAt && isNull(deletedAt)))
    if (count > 0) return { title, count }
  }
  return undefined
}

const serialize = createSerializer(calls.byType)

/**
 * Returns the entries of a dictionary, or 304 to a client with the current version. An unknown or disabled type is
 * empty.
 */
export async function listEntriesByType(
  ctx: Ctx,
  { type, all }: ParsedOf<typeof calls.byType>,
): Promise<StreamResponse> {
  const { db, services, request } = ctx
  const [found] = await db
    .select({ dictId: dictTypes.dictId, version: dictTypes.version, status: dictTypes.status })
    .from(dictTypes)
    .where(and(eq(dictTypes.dictType, type), notDeleted(dictTypes)))
  const tag = `"${found?.dictId ?? 0}.${found?.version ?? 0}.${all}"`
  const known = matches(request.header('if-none-match'), tag)
  const shown = found && (all || found.status === 1)
  const data = !known && shown ? await entriesOf(ctx, type, all) : []
  return (_request, reply) => {
    reply.header('etag', tag).header('cache-control', 'private, no-cache')
    reply.header('x-perm-version', services.permissionVersion.current)
    if (known) return reply.code(304).send()
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(serialize({ code: RESPONSE_CODE.ok, msg: 'ok', data }))
  }
}

const entriesOf = ({ db }: Ctx, type: string, all: number) =>
  db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictType, type), notDeleted(dictData), all ? undefined : eq(dictData.status, 1)))
    .orderBy(asc(dictData.dictSort), asc(dictData.dictCode))

/** True when the ETags match. A compressing proxy may have changed the tag into a weak tag. */
const matches = (header: string | undefined, tag: string) =>
  header?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag) ?? false

const time = { type: 'dateTime', width: 20 } as const
const number = { type: 'number' } as const
const TYPE_COLUMNS = [
  ['dictId', number],
  ['dictName', { width: 20 }],
  ['dictType', { width: 24 }],
  'status',
  ['dataCount', number],
  'isBuiltin',
  ['remark', { width: 30 }],
  ['createTime', time],
] as const
const DATA_COLUMNS = [
  ['dictType', { width: 24 }],
  ['dictLabel', { width: 20 }],
  'dictValue',
  ['dictSort', number],
  'listClass',
  'cssClass',
  'isDefault',
  'status',
  'isBuiltin',
  ['remark', { width: 30 }],
  ['createTime', time],
] as const

/** Exports the filtered list of types. */
export const exportTypes = defineExport({
  kind: 'dictType',
  endpoint: types.export,
  sheet: '字典类型',
  schema: DictTypeRow,
  columns: TYPE_COLUMNS,
  key: dictTypes.dictId,
  where: (_user, input) => buildTypeFilter(input),
  order: buildDictTypeSort,
  load: (db, _user, where) => db.select(TYPE_LIST_COLUMNS).from(dictTypes).where(where),
  keyOf: ({ dictId }) => dictId,
  line: (row) => words(row),
})

/** Exports the filtered list of entries. */
export const exportEntries = defineExport({
  kind: 'dictData',
  endpoint: data.export,
  sheet: '字典数据',
  schema: DictDataRow,
  columns: DATA_COLUMNS,
  key: dictData.dictCode,
  where: (_user, input) => buildDataFilter(input),
  order: buildDictDataSort,
  load: (db, _user, where) => db.select().from(dictData).where(where),
  keyOf: ({ dictCode }) => dictCode,
  line: (row) => words(row),
})

function words({ status, isBuiltin }: { status: number; isBuiltin: number }) {
  return { status: DICT_STATUS[status as keyof typeof DICT_STATUS] ?? status, isBuiltin: isBuiltin ? '是' : '否' }
}
