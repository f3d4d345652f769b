import { deviceAccess } from '@oms/contract/device/device-access.ts'
import { deviceGroups } from '@oms/contract/device/device-group.ts'
import { implement } from '#core/http/implement.ts'
import * as access from './access.ts'
import {
  addAllToGroup,
  addDevicesToGroup,
  addSerialsToGroup,
  listGroupDevices,
  removeAllFromGroup,
  removeDevicesFromGroup,
} from './group-devices.ts'
import { countGroupDevices, getGroup, listGroups } from './group-rows.ts'
import { createGroup, previewRule, removeGroup, updateGroup } from './group-save.ts'

export const deviceGroupModule = implement(deviceGroups, {
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
export const deviceAccessModule = implement(
  deviceAccess,
  { get: access.getDeviceAccess, update: access.updateDeviceAccess, renewToken: access.renewGatewayToken },
  { outsideTransaction: ['renewToken'] },
)
