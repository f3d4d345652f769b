import { deviceModels } from '@oms/contract/device-model/device-model.ts'
import { deviceTypes } from '@oms/contract/device-model/device-type.ts'
import { implement } from '#core/http/implement.ts'
import { exportModels, get, list, listVersionSpread, listTypes } from './device-model-rows.ts'
import { create, disable, enable, remove, update } from './device-model-save.ts'
import { listModelChoices, createModelQuickly, listTypeChoices } from './device-model.service.ts'
import * as type from './device-type.service.ts'

export const deviceModelModule = implement(deviceModels, {
  choices: listModelChoices,
  typeChoices: listTypeChoices,
  quickCreate: createModelQuickly,
  list,
  export: exportModels,
  types: listTypes,
  get,
  spread: listVersionSpread,
  create,
  update,
  remove,
  enable,
  disable,
})
export const deviceTypeModule = implement(deviceTypes, {
  list: type.list,
  export: type.exportTypes,
  get: type.get,
  create: type.create,
  update: type.update,
  remove: type.remove,
  enable: type.enable,
  disable: type.disable,
})
