import { dictData } from '@oms/contract/system/dict.ts'
import { dictTypes } from '@oms/contract/system/dict-type.ts'
import { implement } from '#core/http/implement.ts'
import { listEntriesByType } from './dict-by-type.ts'
import * as data from './dict-data.ts'
import { exportEntries, exportTypes } from './dict-export.ts'
import * as types from './dict-type.ts'

export const dictDataModule = implement(dictData, {
  list: data.listEntries,
  get: data.getEntry,
  byType: listEntriesByType,
  create: data.createEntry,
  update: data.updateDictEntry,
  enable: data.enableEntry,
  disable: data.disableEntry,
  remove: data.removeDictEntry,
  export: exportEntries,
})

export const dictTypeModule = implement(dictTypes, {
  list: types.listDictTypes,
  get: types.getType,
  optionselect: types.listTypeOptions,
  create: types.createType,
  update: types.updateType,
  enable: types.enableType,
  disable: types.disableType,
  remove: types.removeType,
  refreshCache: types.refreshCache,
  export: exportTypes,
})
