import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlayReport as Sent } from '@oms/contract/advertise/device-calls.ts'
import type { ClockState } from './clock.ts'

// Bodies of the calls below `/device/v1/ad/`, as the player needs them. `@oms/contract/advertise/device-calls.ts` has the rules.

export interface PlayerManifest extends Manifest {
  /** 0 to 100; absent: 100. */
  readonly volume?: number
  readonly download?: {
    /** `HH:mm` in the zone of the screen; null: all day. */
    readonly window: readonly [start: string, end: string] | null
    /** KiB a second; 0: no limit. */
    readonly kbps: number
  }
}

export interface Pairing {
  readonly sn: string
  readonly token: string
}

/** 1 complete, 2 partial, 3 failed. */
export type PlayResult = 1 | 2 | 3

export interface PlayReport extends Readonly<Sent> {
  readonly reportId: string
  readonly programId: number
  readonly ver: number
  readonly itemId: number
  readonly adId: number
  readonly adVer: number
  /** sha256 of the shown file; absent for text and web addresses. */
  readonly file?: string
  readonly start: number
  /** Milliseconds that the ad was visible; the sum when `count` is above 1. */
  readonly ms: number
  readonly planned: number
  readonly result: PlayResult
  readonly clock: ClockState
  readonly count: number
  readonly error?: string
}

export interface FailedFile {
  readonly sha256: string
  readonly reason: string
}
