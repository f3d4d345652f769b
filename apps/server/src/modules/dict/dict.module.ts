import { dictData } from '@oms/contract/dict/dict.ts'
import { dictTypes } from '@oms/contract/dict/dict-type.ts'
import { implement } from '#core/http/implement.ts'
import { listEntriesByType } from './dict-by-type.service.ts'
import * as data from './dict-data.service.ts'
import { exportData, exportTypes } from './dict-export.service.ts'
import { dictImport } from './dict-import.service.ts'
import * as types from './dict-type.service.ts'

export const dictDataModule = implement(
  dictData,
  {
    list: data.list,
    get: data.get,
    byType: listEntriesByType,
    create: data.create,
    update: data.update,
    enable: data.enable,
    disable: data.disable,
    remove: data.remove,
    export: exportData,
    template: dictImport.template,
    import: dictImport.take,
  },
  { outsideTransaction: ['import'] },
)

export const dictTypeModule = implement(dictTypes, {
  list: types.list,
  get: types.get,
  usage: types.getDictUsage,
  optionselect: types.listEnabledTypes,
  create: types.create,
  update: types.update,
  enable: types.enable,
  disable: types.disable,
  remove: types.remove,
  refreshCache: types.refreshCache,
  export: exportTypes,
})
