import { DICT_STATUS, DictDataRow, dictData as data } from '@oms/contract/system/dict.ts'
import { DictTypeRow, dictTypes as types } from '@oms/contract/system/dict-type.ts'
import { dictData, dictTypes } from '#core/schema/system.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildDataFilter, buildDictDataSort } from './dict-data.ts'
import { TYPE_LIST_COLUMNS, buildTypeFilter, buildDictTypeSort } from './dict-type.ts'

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
