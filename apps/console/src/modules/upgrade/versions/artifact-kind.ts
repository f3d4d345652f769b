import { ota } from '@oms/contract/upgrade/ota.ts'
import { SoftwareQuery, software } from '@oms/contract/upgrade/software.ts'
import { createContext, use } from 'react'

/** Differences between firmware and software packages, which share their screens. */
export interface ArtifactKind {
  /** Key prefix of drafts, uploads and operation log entries. */
  readonly key: 'ota' | 'software'
  readonly calls: typeof ota | typeof software
  /** Package filter of a list; firmware has no packages. */
  readonly packages?: typeof SoftwareQuery
  /** Long and short display name: `固件版本`, `固件`. */
  readonly noun: string
  readonly item: string
  readonly listPath: '/upgrade/ota' | '/upgrade/GeneralSoftware'
  readonly addPath: '/AddOta' | '/AddSoftware'
  readonly editPath: '/EditOta' | '/EditSoftware'
}

const Context = createContext<ArtifactKind | undefined>(undefined)
export const ArtifactKindProvider = Context

export function useArtifactKind(): ArtifactKind {
  const artifact = use(Context)
  if (!artifact) throw new Error('no artifact kind is provided above this component')
  return artifact
}

export const FIRMWARE_KIND: ArtifactKind = {
  key: 'ota',
  calls: ota,
  noun: '固件版本',
  item: '固件',
  listPath: '/upgrade/ota',
  addPath: '/AddOta',
  editPath: '/EditOta',
}

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
