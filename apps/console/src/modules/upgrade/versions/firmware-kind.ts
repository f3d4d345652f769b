import { ota } from '@oms/contract/upgrade/ota.ts'
import type { ArtifactKind } from './artifact-kind.ts'

export const FIRMWARE_KIND: ArtifactKind = {
  key: 'ota',
  calls: ota,
  noun: '固件版本',
  item: '固件',
  listPath: '/upgrade/ota',
  addPath: '/AddOta',
  editPath: '/EditOta',
}
