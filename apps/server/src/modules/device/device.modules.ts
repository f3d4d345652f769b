import { devices } from '@oms/contract/device/device-info.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { sendCommand, changeGroups, setDeviceStatus, changeTags, transferDevices } from './device-batch.ts'
import { exportDevices } from './device-export.ts'
import { listAttributes, listGroupsOfDevice, listPackages, listVersionHistory } from './device-facts.ts'
import { importDevices } from './device-import.ts'
import { findDevices, getDevice, listDevices } from './device-list.ts'
import { listGroupOptions } from './device-options.ts'
import { createDevice, removeDevices, updateDevice } from './device-save.ts'
import { clearDeviceToken, createDeviceToken, createDeviceTokens } from './device-token.ts'

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

export const deviceModules: readonly Module[] = [deviceModule]
