import { ota } from '@oms/contract/ota.ts'
import type { Family } from './family.ts'

export const FIRMWARE: Family = {
  key: 'ota',
  calls: ota,
  noun: '固件版本',
  item: '固件',
  listPath: '/upgrade/ota',
  addPath: '/AddOta',
  editPath: '/EditOta',
}
