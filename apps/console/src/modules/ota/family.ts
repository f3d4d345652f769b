import type { ota } from '@oms/contract/ota.ts'
import type { SoftwareQuery, software } from '@oms/contract/software.ts'
import { createContext, use } from 'react'

/** Firmware and general software share their screens; this is what tells them apart. */
export interface Family {
  /** Of drafts, uploads and the operation log. */
  readonly key: 'ota' | 'software'
  readonly calls: typeof ota | typeof software
  /** What a list by package is narrowed with; firmware has no packages. */
  readonly packages?: typeof SoftwareQuery
  /** `固件版本`, and `固件` where it is short. */
  readonly noun: string
  readonly item: string
  readonly listPath: '/upgrade/ota' | '/upgrade/GeneralSoftware'
  readonly addPath: '/AddOta' | '/AddSoftware'
  readonly editPath: '/EditOta' | '/EditSoftware'
}

const Context = createContext<Family | undefined>(undefined)
export const FamilyProvider = Context

export function useFamily(): Family {
  const family = use(Context)
  if (!family) throw new Error('no family of versions around this component')
  return family
}
