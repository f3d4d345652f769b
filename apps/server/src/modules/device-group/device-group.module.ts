import { deviceAccess } from '@oms/contract/device-group/device-access.ts'
import { deviceGroups } from '@oms/contract/device-group/device-group.ts'
import { implement } from '#core/http/implement.ts'
import * as access from './access.service.ts'
import { addAll, addDevices, addSns, groupDevices, removeAll, removeDevices } from './group-devices.ts'
import { counts, get, list, options, tenantChoices } from './group-rows.ts'
import { create, preview, remove, update } from './group-save.ts'

export const deviceGroupModule = implement(deviceGroups, {
  list,
  counts,
  tenants: tenantChoices,
  options,
  get,
  preview,
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
