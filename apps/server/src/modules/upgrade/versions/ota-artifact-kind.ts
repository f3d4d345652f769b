import { ota, type OtaCreateInput, type OtaQuery, type OtaUpdateInput } from '@oms/contract/upgrade/ota.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import type * as z from 'zod'

/** Differences between firmware and general software. A call of one artifact kind never finds a row of the other. */
export interface ArtifactKind {
  /** Value of `ota_versions.kind`. */
  readonly kind: 1 | 2
  readonly noun: string
  /** Business type in the operation log and kind of the export job. */
  readonly bizType: string
  readonly calls: typeof ota | typeof software
}

export const FIRMWARE_KIND: ArtifactKind = { kind: 1, noun: '固件版本', bizType: 'ota', calls: ota }
export const SOFTWARE_KIND: ArtifactKind = { kind: 2, noun: '软件包版本', bizType: 'software', calls: software }

/** Package fields. Absent for firmware, whose contract has no packages. */
interface Packaged {
  readonly packageName?: string | undefined
}
type Input = z.output<typeof OtaCreateInput>
type Update = z.output<typeof OtaUpdateInput>
/** Fields of a version of either artifact kind in the requests that create and change versions. */
export type VersionFields = Input['otaVersion'] & Packaged
export type VersionCreateRequest = Input & { readonly otaVersion: VersionFields }
export type VersionUpdateRequest = Update & { readonly otaVersion: Packaged }
export type VersionQuery = z.output<typeof OtaQuery> & Packaged
