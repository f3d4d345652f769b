import { SoftwareQuery, software } from '@oms/contract/software.ts'
import type { Family } from './family.ts'

export const SOFTWARE: Family = {
  key: 'software',
  calls: software,
  packages: SoftwareQuery,
  noun: '软件包版本',
  item: '软件包',
  listPath: '/upgrade/GeneralSoftware',
  addPath: '/AddSoftware',
  editPath: '/EditSoftware',
}
