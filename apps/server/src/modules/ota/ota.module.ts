import { ota } from '@oms/contract/ota.ts'
import { software } from '@oms/contract/software.ts'
import { implement } from '#kernel/implement.ts'
import { disable, enable } from './ota-enable.service.ts'
import { exportFirmware, exportSoftware } from './ota-export.service.ts'
import { type Family, FIRMWARE, SOFTWARE } from './ota-family.ts'
import { get, list } from './ota-list.service.ts'
import { create, remove, update } from './ota-save.service.ts'
import { upload } from './ota-upload.service.ts'

const servicesOf = (family: Family) => ({
  list: list(family),
  get: get(family),
  create: create(family),
  update: update(family),
  remove: remove(family),
  enable: enable(family),
  disable: disable(family),
  upload,
})
const outsideTransaction = ['enable', 'upload'] as const

export const otaModule = implement(ota, { ...servicesOf(FIRMWARE), export: exportFirmware }, { outsideTransaction })
export const softwareModule = implement(
  software,
  { ...servicesOf(SOFTWARE), export: exportSoftware },
  { outsideTransaction },
)
