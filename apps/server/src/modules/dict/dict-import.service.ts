import {
  dictData as calls,
  DictDataInput,
  DictDataRow,
  IMPORT_FIELDS,
  TAG_COLOUR_LABELS,
} from '@oms/contract/dict/dict.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { ApiError, invalid } from '#core/http/api-error.ts'
import { EXAMPLE_MARK } from '#core/spreadsheet/import/example-line.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import {
  type ImportCtx,
  type LineOutcome,
  omitEmptyFields,
  type ReadLine,
} from '#core/spreadsheet/import/definition.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { dictData } from '#schema/system.ts'
import { assertPlatformAccount, type ChangeCtx, publishDictChanged, selectDictType } from './dict-change.ts'
import { findEntryLimitError, insertEntry, saveEntry, toEntryInput } from './dict-data.service.ts'

interface State {
  /** Type of an import into one dictionary. The type column of the file is then ignored. */
  readonly onlyType: string | undefined
  readonly update: boolean
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  /** Stored entries by type and value, loaded without a lock on first use; undefined for an unknown type. */
  readonly stored: Map<string, ReadonlyMap<string, Stored> | undefined>
  /** Numbers of entries that earlier lines create, by type. */
  readonly created: Map<string, number>
  /** Line number by type and value. The error message of a duplicate names the earlier line. */
  readonly seen: Map<string, number>
  readonly changed: Set<string>
}
type Line = ReadLine<(typeof DictDataInput)['_output']>
type Stored = typeof dictData.$inferSelect

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
    remark: EXAMPLE_MARK,
  },
  exportedRow: DictDataRow,
  prepare: async (ctx, { dictType, update, dryRun }): Promise<State> => {
    assertPlatformAccount(ctx)
    const lines = { stored: new Map(), created: new Map(), seen: new Map(), changed: new Set<string>() }
    return { onlyType: dictType, update: update === 1, isDryRun: Number(dryRun) === 1, ...lines }
  },
  findProblems,
  cells: (given, { onlyType }) => fromWords({ ...given, ...(onlyType && { dictType: onlyType }) }),
  async takeMany(ctx, lines, state) {
    const outcomes = new Map<number, LineOutcome>()
    const byType = [...Map.groupBy(lines, ({ input }) => input.dictType)]
    // Locks types in alphabetical order, so that two imports cannot deadlock.
    for (const [type, own] of byType.sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const [row, outcome] of await takeType(ctx, type, own, state)) outcomes.set(row, outcome)
    return lines.map(({ row }) => outcomes.get(row) as LineOutcome)
  },
  async finish(ctx, { changed, isDryRun }) {
    if (isDryRun) return
    for (const type of changed) await publishDictChanged(ctx, type)
  },
})

/** Converts texts of cells to field values. Unknown texts stay and fail validation. */
function fromWords(given: Readonly<Record<string, string>>): Record<string, string> {
  const listClass = Object.entries(TAG_COLOUR_LABELS).find(([, label]) => label === given['listClass'])?.[0]
  return {
    ...given,
    dictSort: given['dictSort'] || '0',
    listClass: listClass ?? (given['listClass'] || 'default'),
    isDefault: { 是: 'Y', 否: 'N', '': 'N' }[given['isDefault'] ?? ''] ?? (given['isDefault'] as string),
    status: { 启用: '1', 停用: '0', '': '1' }[given['status'] ?? ''] ?? (given['status'] as string),
  }
}

/** Returns the problems of a line with stored entries: an unknown type, or an existing value. */
async function findProblems(ctx: ImportCtx, { dictType, dictValue }: Partial<Line['input']>, state: State) {
  if (dictType === undefined) return []
  if (!state.stored.has(dictType)) state.stored.set(dictType, await loadEntries(ctx.db, dictType))
  const entries = state.stored.get(dictType)
  if (!entries) return [unknownType()]
  return dictValue !== undefined && !state.update && entries.has(dictValue) ? [existingValue()] : []
}

const unknownType = () => invalid('字典类型不存在', 'dictType')
const existingValue = () => invalid('字典键值已存在', 'dictValue')

/** Returns the entries of a type by value, or undefined for an unknown type. */
async function loadEntries(db: Db, type: string): Promise<ReadonlyMap<string, Stored> | undefined> {
  const [known] = await selectDictType(db, type)
  if (!known) return undefined
  const entries = await db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictType, type), notDeleted(dictData)))
  return new Map(entries.map((entry) => [entry.dictValue, entry]))
}

async function takeType(ctx: ImportCtx, type: string, lines: readonly Line[], state: State) {
  if (!state.isDryRun) await selectDictType(ctx.db, type).for('update')
  const entries = await loadEntries(ctx.db, type)
  const outcomes: (readonly [number, LineOutcome])[] = []
  for (const line of lines) outcomes.push([line.row, await takeLine(ctx, line, entries, state)])
  return outcomes
}

async function takeLine(
  ctx: ImportCtx,
  line: Line,
  entries: ReadonlyMap<string, Stored> | undefined,
  state: State,
): Promise<LineOutcome> {
  const { row, input } = line
  const { seen, update, changed, created } = state
  const { dictType, dictValue } = input
  if (!entries) return unknownType()
  const key = `${dictType} ${dictValue}`
  const earlier = seen.get(key)
  if (earlier !== undefined) return invalid(`与第${earlier}行重复`, 'dictValue')
  seen.set(key, row)
  const before = entries.get(dictValue)
  if (before && !update) return existingValue()
  const problem = state.isDryRun
    ? before
      ? undefined
      : findEntryLimitError(entries.size + (created.get(dictType) ?? 0))
    : await writeLine(ctx, line, before)
  if (problem) return problem
  if (!before) created.set(dictType, (created.get(dictType) ?? 0) + 1)
  changed.add(dictType)
  return before ? 'updated' : 'created'
}

/** Writes a line in a savepoint. Returns the problem of a line that cannot be written. */
async function writeLine(ctx: ImportCtx, { input, filled }: Line, before: Stored | undefined) {
  const write = (inside: ChangeCtx) =>
    before
      ? saveEntry(inside, before, { ...toEntryInput(before), ...omitEmptyFields(input, filled) })
      : insertEntry(inside, input)
  try {
    await ctx.db.transaction(async (db) => void (await write({ ...ctx, db })))
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
