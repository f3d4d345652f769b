import { dictData } from '@oms/contract/dict/dict.ts'
import { dictTypes } from '@oms/contract/dict/dict-type.ts'
import { implement } from '#core/http/implement.ts'
import { listEntriesByType } from './dict-by-type.service.ts'
import * as data from './dict-data.service.ts'
import { exportEntries, exportTypes } from './dict-export.service.ts'
import * as types from './dict-type.service.ts'

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
