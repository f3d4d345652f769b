import { devices } from '@oms/contract/device/device-info.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { sendCommand, changeGroups, setStatus, changeTags, transfer } from './device-batch.service.ts'
import { exportDevices } from './device-export.ts'
import { listAttributes, listGroupsOfDevice, listPackages, listVersionHistory } from './device-facts.service.ts'
import { deviceImport } from './device-import.ts'
import { findDevices, get, list } from './device-list.service.ts'
import { groupOptions, listModelChoices, listTenantChoices, listTypeOptions } from './device-options.service.ts'
import { create, remove, update } from './device-save.service.ts'
import { clearToken, createDeviceToken, createDeviceTokens } from './device-token.service.ts'

const deviceModule = implement(
  devices,
  {
    list,
    find: findDevices,
    get,
    create,
    update,
    remove,
    setStatus,
    tag: changeTags,
    move: changeGroups,
    transfer,
    token: createDeviceToken,
    clearToken,
    tokens: createDeviceTokens,
    command: sendCommand,
    attributes: listAttributes,
    versions: listVersionHistory,
    packages: listPackages,
    groupsOf: listGroupsOfDevice,
    modelOptions: listModelChoices,
    typeOptions: listTypeOptions,
    groupOptions,
    tenantOptions: listTenantChoices,
    export: exportDevices,
    template: deviceImport.template,
    import: deviceImport.take,
  },
  { outsideTransaction: ['token', 'tokens', 'export', 'import'] },
)

export const deviceModules: readonly Module[] = [deviceModule]
