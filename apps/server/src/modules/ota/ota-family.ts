import { ota, type OtaCreateInput, type OtaQuery, type OtaUpdateInput } from '@oms/contract/ota.ts'
import { software } from '@oms/contract/software.ts'
import type * as z from 'zod'

/** Firmware and general software live alike; this is all they differ in. A call of one never finds a row of the other. */
export interface Family {
  /** Of `ota_versions`. */
  readonly kind: 1 | 2
  readonly noun: string
  /** Of the operation log, and of the export's job. */
  readonly bizType: string
  readonly calls: typeof ota | typeof software
}

export const FIRMWARE: Family = { kind: 1, noun: '固件版本', bizType: 'ota', calls: ota }
export const SOFTWARE: Family = { kind: 2, noun: '软件包版本', bizType: 'software', calls: software }

/** Absent for firmware, whose contract knows no packages. */
interface Packaged {
  readonly packageName?: string | undefined
}
type Input = z.output<typeof OtaCreateInput>
type Update = z.output<typeof OtaUpdateInput>
/** What a person sends of a version of either family. */
export type SentVersion = Input['otaVersion'] & Packaged
export type SentCreate = Input & { readonly otaVersion: SentVersion }
export type SentUpdate = Update & { readonly otaVersion: Packaged }
export type Asked = z.output<typeof OtaQuery> & Packaged
