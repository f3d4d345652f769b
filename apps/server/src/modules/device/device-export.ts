import { devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceRow } from '@oms/contract/device/device-row.ts'
import { and, type SQL } from 'drizzle-orm'
import { devices } from './schema.ts'
import { visibleDevices } from './fleet/device-filter.ts'
import { among } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export/export.ts'
import { buildDeviceListFilter, buildDeviceSort } from './device-list.ts'
import { selectDevices } from './device-rows.ts'

const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

/** Exports the filtered list in the order of the list. */
export const exportDevices = defineExport({
  kind: 'device',
  endpoint: calls.export,
  sheet: '设备',
  schema: DeviceRow,
  columns: [
    'sn',
    'devName',
    'typeName',
    'modelName',
    'modelCode',
    'tenantName',
    'tenantNo',
    ['verCode', number],
    'verName',
    ['online', { width: 10 }],
    ['lastOnlineTime', time],
    'tags',
    ['status', { width: 10 }],
    'uid',
    'mac',
    'imei',
    'osVer',
    'appVer',
    'hwVer',
    'ip',
    'region',
    ['activateTime', time],
    ['warrantyEnd', { width: 14 }],
    ['createTime', time],
    ['hasToken', { width: 10 }],
    'remark',
  ],
  resolve: async (db, user, input) => ({ ...input, where: await buildDeviceListFilter(db, user, input) }),
  keys: (db, _user, input) =>
    db
      .select({ id: devices.id })
      .from(devices)
      .where((input as { where?: SQL }).where)
      .$dynamic(),
  order: buildDeviceSort,
  load: (db, user, keys) => selectDevices(db).where(and(visibleDevices(user), among(devices.id, keys))),
  keyOf: ({ id }) => id,
})
