import { ota } from '@oms/contract/ota.ts'
import { implement } from '#kernel/implement.ts'
import { disable, enable } from './ota-enable.service.ts'
import { exportVersions } from './ota-export.service.ts'
import { get, list } from './ota-list.service.ts'
import { create, remove, update } from './ota-save.service.ts'
import { upload } from './ota-upload.service.ts'

export const otaModule = implement(
  ota,
  { list, export: exportVersions, get, create, update, remove, enable, disable, upload },
  { outsideTransaction: ['enable', 'upload'] },
)
