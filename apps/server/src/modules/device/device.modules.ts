import { devices } from '@oms/contract/device/device-info.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { command, move, setStatus, tag, transfer } from './device-batch.service.ts'
import { exportDevices } from './device-export.ts'
import { attributes, groupsOf, packages, versions } from './device-facts.service.ts'
import { deviceImport } from './device-import.ts'
import { find, get, list } from './device-list.service.ts'
import { groupOptions, modelOptions, tenantOptions, typeOptions } from './device-options.service.ts'
import { create, remove, update } from './device-save.service.ts'
import { clearToken, token, tokens } from './device-token.service.ts'

const deviceModule = implement(
  devices,
  {
    list,
    find,
    get,
    create,
    update,
    remove,
    setStatus,
    tag,
    move,
    transfer,
    token,
    clearToken,
    tokens,
    command,
    attributes,
    versions,
    packages,
    groupsOf,
    modelOptions,
    typeOptions,
    groupOptions,
    tenantOptions,
    export: exportDevices,
    template: deviceImport.template,
    import: deviceImport.take,
  },
  { outsideTransaction: ['token', 'tokens', 'export', 'import'] },
)

export const deviceModules: readonly Module[] = [deviceModule]
