import { deviceModels } from '@oms/contract/device/device-model.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
import { implement } from '#core/http/implement.ts'
import {
  exportModels,
  getDeviceModel,
  listDeviceModels,
  listVersionSpread,
  listDeviceTypeChoices,
} from './device-model-rows.ts'
import {
  createDeviceModel,
  disableDeviceModel,
  enableDeviceModel,
  removeDeviceModel,
  updateDeviceModel,
} from './device-model-save.ts'
import { listModelChoices, listReportedBoards, createModelQuickly, listTypeChoices } from './device-model.ts'
import * as type from './device-type.ts'

export const deviceModelModule = implement(deviceModels, {
  choices: listModelChoices,
  typeChoices: listTypeChoices,
  quickCreate: createModelQuickly,
  list: listDeviceModels,
  export: exportModels,
  types: listDeviceTypeChoices,
  boards: listReportedBoards,
  get: getDeviceModel,
  spread: listVersionSpread,
  create: createDeviceModel,
  update: updateDeviceModel,
  remove: removeDeviceModel,
  enable: enableDeviceModel,
  disable: disableDeviceModel,
})
export const deviceTypeModule = implement(deviceTypes, {
  list: type.listDeviceTypes,
  export: type.exportTypes,
  get: type.getDeviceType,
  create: type.createDeviceType,
  update: type.updateDeviceType,
  remove: type.removeDeviceType,
  enable: type.enableDeviceType,
  disable: type.disableDeviceType,
})
