import {
  DictDataInput,
  DictDataRow,
  dictData as calls,
  IMPORT_FIELDS,
  LIST_CLASS_LABELS,
  MAX_IMPORT_ROWS,
} from '@oms/contract/dict/dict.ts'
import { about } from '@oms/contract/core/fields.ts'
import { and, eq } from 'drizzle-orm'
import { dictData } from '#schema/system.ts'
import { invalid, ApiError } from '#core/http/api-error.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { type ImportCtx, pickFilledFields, type ReadLine } from '#core/spreadsheet/import/take-lines.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { type ChangeCtx, assertPlatformAccount, publishDictChanged, lockType } from './dict-change.ts'
import { insertEntry, toEntryInput, saveEntry } from './dict-data.service.ts'

interface State {
  /** Type of an import into one dictionary. The type column of the file is then ignored. */
  readonly onlyType: string | undefined
  readonly update: boolean
  /** Lines by type and value, for the error of a duplicate. */
  readonly seen: Map<string, number>
  readonly changed: Set<string>
}
type Line = ReadLine<(typeof DictDataInput)['_output']>
type Stored = typeof dictData.$inferSelect
type Outcome = 'created' | 'updated' | ApiError

/** Imports dictionary entries from a spreadsheet. */
export const importDicts = defineImport({
  kind: 'dictData',
  endpoint: calls.import,
  name: '字典数据',
  schema: DictDataInput,
  required: ['dictLabel', 'dictValue'],
  columns: IMPORT_FIELDS,
  example: {
    dictType: 'my_dict',
    dictLabel: '示例',
    dictValue: '1',
    dictSort: 10,
    listClass: '默认',
    cssClass: '',
    isDefault: '否',
    status: '启用',
    remark: '示例行，导入前请删除',
  },
  maxRows: MAX_IMPORT_ROWS,
  ignoredTitles: ['isBuiltin', 'createTime'].map((key) => String(about(DictDataRow, key).title)),
  prepare: async (ctx, { dictType, update }): Promise<State> => {
    assertPlatformAccount(ctx)
    return { onlyType: dictType, update: update === 1, seen: new Map(), changed: new Set() }
  },
  cells: (given, { onlyType }) => fromWords({ ...given, ...(onlyType && { dictType: onlyType }) }),
  async takeMany(ctx, lines, state) {
    const outcomes = new Map<number, Outcome>()
    const byType = [...Map.groupBy(lines, ({ input }) => input.dictType)]
    // Locks types in alphabetical order, so that two imports cannot deadlock.
    for (const [type, own] of byType.sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const [row, outcome] of await takeType(ctx, type, own, state)) outcomes.set(row, outcome)
    return lines.map(({ row }) => outcomes.get(row) as Outcome)
  },
  async finish(ctx, { changed }) {
    for (const type of changed) await publishDictChanged(ctx, type)
  },
})

/** Converts texts of cells to field values. Unknown texts stay and fail validation. */
function fromWords(given: Readonly<Record<string, string>>): Record<string, string> {
  const listClass = Object.entries(LIST_CLASS_LABELS).find(([, label]) => label === given['listClass'])?.[0]
  return {
    ...given,
    dictSort: given['dictSort'] || '0',
    listClass: listClass ?? (given['listClass'] || 'default'),
    isDefault: { 是: 'Y', 否: 'N', '': 'N' }[given['isDefault'] ?? ''] ?? (given['isDefault'] as string),
    status: { 启用: '1', 停用: '0', '': '1' }[given['status'] ?? ''] ?? (given['status'] as string),
  }
}

async function takeType(ctx: ImportCtx, type: string, lines: readonly Line[], state: State) {
  const known = await lockType(ctx.db, type).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
  if (!known) return lines.map(({ row }) => [row, invalid('字典类型不存在', 'dictType')] as const)
  const stored = await ctx.db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictType, type), notDeleted(dictData)))
  const byValue = new Map(stored.map((entry) => [entry.dictValue, entry]))
  const outcomes: (readonly [number, Outcome])[] = []
  for (const line of lines) {
    const before = byValue.get(line.input.dictValue)
    outcomes.push([line.row, await takeLine(ctx, line, before, state)])
  }
  return outcomes
}

async function takeLine(
  ctx: ImportCtx,
  { row, input, filled }: Line,
  before: Stored | undefined,
  { seen, update, changed }: State,
): Promise<Outcome> {
  const key = `${input.dictType} ${input.dictValue}`
  const earlier = seen.get(key)
  if (earlier !== undefined) return invalid(`与第${earlier}行重复`, 'dictValue')
  seen.set(key, row)
  if (before && !update) return invalid('字典键值已存在', 'dictValue')
  const write = (inside: ChangeCtx) =>
    before
      ? saveEntry(inside, before, { ...toEntryInput(before), ...pickFilledFields(input, filled) })
      : insertEntry(inside, input)
  try {
    await ctx.db.transaction(async (db) => void (await write({ ...ctx, db })))
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  changed.add(input.dictType)
  return before ? 'updated' : 'created'
}
