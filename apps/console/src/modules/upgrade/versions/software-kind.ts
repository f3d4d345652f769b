import { SoftwareQuery, software } from '@oms/contract/upgrade/software.ts'
import type { ArtifactKind } from './artifact-kind.ts'

export const SOFTWARE_KIND: ArtifactKind = {
  key: 'software',
  calls: software,
  packages: SoftwareQuery,
  noun: '软件包版本',
  item: '软件包',
  listPath: '/upgrade/GeneralSoftware',
  addPath: '/AddSoftware',
  editPath: '/EditSoftware',
}
