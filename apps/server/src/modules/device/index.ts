import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { deviceAccess } from '@oms/contract/device/device-access.ts'
import { deviceGroups } from '@oms/contract/device/device-group.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import type { Ctx } from '#core/http/context.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { listTenantOptions } from '#core/tenancy/tenant-state.ts'
import * as access from './device-access.ts'
import { sendCommand, changeGroups, setDeviceStatus, changeTags, transferDevices } from './device-batch.ts'
import { listAttributes, listGroupsOfDevice, listPackages, listVersionHistory } from './device-facts.ts'
import { importDevices } from './device-import.ts'
import {
  exportModels,
  getDeviceModel,
  listDeviceModels,
  listVersionSpread,
  listDeviceTypeChoices,
  createDeviceModel,
  disableDeviceModel,
  enableDeviceModel,
  removeDeviceModel,
  updateDeviceModel,
} from './device-model.ts'
import {
  createDevice,
  removeDevices,
  updateDevice,
  clearDeviceToken,
  createDeviceToken,
  createDeviceTokens,
} from './device-save.ts'
import * as type from './device-type.ts'
import { exportDevices, findDevices, getDevice, listDevices, listGroupOptions } from './device.ts'
import {
  addAllToGroup,
  addDevicesToGroup,
  addSerialsToGroup,
  listGroupDevices,
  removeAllFromGroup,
  removeDevicesFromGroup,
} from './group-devices.ts'
import { countGroupDevices, getGroup, listGroups, createGroup, previewRule, removeGroup, updateGroup } from './group.ts'
import {
  listModelOptions,
  listTypeOptions,
  listModelChoices,
  listReportedBoards,
  createModelQuickly,
  listTypeChoices,
} from './model-choices.ts'

const models = async ({ db }: Ctx, input: ParsedOf<typeof recordOptions.models>) => ({
  list: await listModelOptions(db, input),
})
const types = async ({ db }: Ctx, input: ParsedOf<typeof recordOptions.types>) => ({
  list: await listTypeOptions(db, input),
})
const tenants = async ({ db, user }: Ctx, input: ParsedOf<typeof recordOptions.tenants>) => ({
  list: await listTenantOptions(db, user, input),
})

const optionsModule = implement(recordOptions, { models, types, tenants })

const deviceModule = implement(
  devices,
  {
    list: listDevices,
    find: findDevices,
    get: getDevice,
    create: createDevice,
    update: updateDevice,
    remove: removeDevices,
    setStatus: setDeviceStatus,
    tag: changeTags,
    move: changeGroups,
    transfer: transferDevices,
    token: createDeviceToken,
    clearToken: clearDeviceToken,
    tokens: createDeviceTokens,
    command: sendCommand,
    attributes: listAttributes,
    versions: listVersionHistory,
    packages: listPackages,
    groupsOf: listGroupsOfDevice,
    groupOptions: listGroupOptions,
    export: exportDevices,
    template: importDevices.template,
    import: importDevices.take,
  },
  { outsideTransaction: ['token', 'tokens', 'export', 'import'] },
)

const deviceGroupModule = implement(deviceGroups, {
  list: listGroups,
  counts: countGroupDevices,
  get: getGroup,
  preview: previewRule,
  create: createGroup,
  update: updateGroup,
  remove: removeGroup,
  devices: listGroupDevices,
  addDevices: addDevicesToGroup,
  addSns: addSerialsToGroup,
  addAll: addAllToGroup,
  removeDevices: removeDevicesFromGroup,
  removeAll: removeAllFromGroup,
})
const deviceAccessModule = implement(
  deviceAccess,
  { get: access.getDeviceAccess, update: access.updateDeviceAccess, renewToken: access.renewGatewayToken },
  { outsideTransaction: ['renewToken'] },
)

const deviceModelModule = implement(deviceModels, {
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
const deviceTypeModule = implement(deviceTypes, {
  list: type.listDeviceTypes,
  export: type.exportTypes,
  get: type.getDeviceType,
  create: type.createDeviceType,
  update: type.updateDeviceType,
  remove: type.removeDeviceType,
  enable: type.enableDeviceType,
  disable: type.disableDeviceType,
})

/** All calls of this module. */
export const deviceModules: readonly Module[] = [
  optionsModule,
  deviceModule,
  deviceGroupModule,
  deviceAccessModule,
  deviceModelModule,
  deviceTypeModule,
]
