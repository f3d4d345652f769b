import { ota } from '@oms/contract/ota.ts'
import { software } from '@oms/contract/software.ts'
import { createContext, use } from 'react'

/** Firmware and general software share their screens; this is what tells them apart. */
export interface Family {
  /** Of drafts, uploads and the operation log. */
  readonly key: 'ota' | 'software'
  readonly calls: typeof ota | typeof software
  /** `固件版本`, and `固件` where it is short. */
  readonly noun: string
  readonly item: string
  readonly listPath: '/upgrade/ota' | '/upgrade/GeneralSoftware'
  readonly addPath: '/AddOta' | '/AddSoftware'
  readonly editPath: '/EditOta' | '/EditSoftware'
}

export const FIRMWARE: Family = {
  key: 'ota',
  calls: ota,
  noun: '固件版本',
  item: '固件',
  listPath: '/upgrade/ota',
  addPath: '/AddOta',
  editPath: '/EditOta',
}
export const SOFTWARE: Family = {
  key: 'software',
  calls: software,
  noun: '软件包版本',
  item: '软件包',
  listPath: '/upgrade/GeneralSoftware',
  addPath: '/AddSoftware',
  editPath: '/EditSoftware',
}

const Context = createContext(FIRMWARE)
export const FamilyProvider = Context
export const useFamily = () => use(Context)
