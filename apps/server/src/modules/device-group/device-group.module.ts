import { deviceAccess } from '@oms/contract/device-group/device-access.ts'
import { deviceGroups } from '@oms/contract/device-group/device-group.ts'
import { implement } from '#core/http/implement.ts'
import * as access from './access.service.ts'
import { addAll, addDevices, addSns, groupDevices, removeAll, removeDevices } from './group-devices.ts'
import { countGroupDevices, get, list, listGroupOptions, listTenantChoices } from './group-rows.ts'
import { create, previewRule, remove, update } from './group-save.ts'

export const deviceGroupModule = implement(deviceGroups, {
  list,
  counts: countGroupDevices,
  tenants: listTenantChoices,
  options: listGroupOptions,
  get,
  preview: previewRule,
  create,
  update,
  remove,
  devices: groupDevices,
  addDevices,
  addSns,
  addAll,
  removeDevices,
  removeAll,
})
export const deviceAccessModule = implement(
  deviceAccess,
  { get: access.get, update: access.update, renewToken: access.renewToken },
  { outsideTransaction: ['renewToken'] },
)
