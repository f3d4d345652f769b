import { SMIL_PLAYER } from '@oms/contract/advertise/screen.ts'

/**
 * Delivery states of a screen, derived from its last report and the manifest that it should have. `listed`: a SMIL
 * player has the current index, but OMS does not know that the player has every file of the index.
 */
export const DELIVERY_STATE = { waiting: 0, loading: 1, ready: 2, failed: 3, offline: 4, listed: 5 } as const
export type DeliveryState = (typeof DELIVERY_STATE)[keyof typeof DELIVERY_STATE]

/** Number of poll intervals without a call after which a screen is offline. */
const SILENT_POLLS = 3
/** Maximum time between two status reports of a player. */
const STATUS_MS = 600_000

interface ScreenFacts {
  readonly playerKind: number
  readonly appliedEtag: string
  /** ETag of the manifest that the screen should have. */
  readonly etag: string
  /**
   * Number of files that the player has. For a SMIL player, which does not report its files: the number of files that the
   * player downloaded, confirmed (304) or played.
   */
  readonly readyFiles: number
  readonly totalFiles: number
  readonly failed: { readonly length: number }
  /** Time of the last status; null: never. */
  readonly lastReportMs: number | null
}

/** Tolerated delay of a report in milliseconds before the last report counts as outdated. */
const LATE_MS = 60_000

/** True when the playing ad that a screen reported may have changed, because the next report is overdue. */
export const isPlayingStale = (reportedMs: number, now: number) => now - reportedMs > STATUS_MS + LATE_MS

/** Returns the delivery state. A screen that is ready stays ready while it is offline. */
export function computeDeliveryState(screen: ScreenFacts, now: number, pollSeconds: number): DeliveryState {
  const { playerKind, appliedEtag, etag, readyFiles, totalFiles, failed, lastReportMs } = screen
  const isCurrent = appliedEtag === etag && appliedEtag !== ''
  if (isCurrent && failed.length === 0 && readyFiles >= totalFiles) return DELIVERY_STATE.ready
  const silentMs = STATUS_MS + SILENT_POLLS * pollSeconds * 1000
  if (lastReportMs === null || now - lastReportMs > silentMs) return DELIVERY_STATE.offline
  if (failed.length > 0) return DELIVERY_STATE.failed
  if (playerKind === SMIL_PLAYER) return isCurrent ? DELIVERY_STATE.listed : DELIVERY_STATE.waiting
  return isCurrent || readyFiles < totalFiles ? DELIVERY_STATE.loading : DELIVERY_STATE.waiting
}
