import type { RefusalReason } from '../video/permit-rules.ts'

const MIN_SECONDS = 300
const MAX_SECONDS = 86_400
const HOUR = 3600

/** Seconds until the next request, by the reason of a refusal. */
const BY_REASON: Readonly<Partial<Record<RefusalReason, number>>> = {
  disabled: 6 * HOUR,
  tenant: 6 * HOUR,
  model: 24 * HOUR,
  channel: 24 * HOUR,
  none: 6 * HOUR,
  expired: 6 * HOUR,
  clock: MIN_SECONDS,
  space: 2 * MIN_SECONDS,
}

/** Returns a factor between 0.8 and 1.2 that is always the same for a serial. */
function spreadOf(sn: string) {
  let hash = 0x811c9dc5
  for (let at = 0; at < sn.length; at += 1) hash = Math.imul(hash ^ sn.charCodeAt(at), 0x01000193)
  return 0.8 + (0.4 * ((hash >>> 8) & 0xffff)) / 65_535
}

/**
 * Returns the seconds until the next request of a camera. The value varies by serial, so that cameras do not send their
 * requests together. When a package starts or ends in `changesIn` seconds, the value is at most one second longer than
 * that time, but never below 300 s.
 */
export function computeNextCheck(
  sn: string,
  reason: RefusalReason | undefined,
  changesIn = Number.POSITIVE_INFINITY,
): number {
  const usual = (reason === undefined ? HOUR : (BY_REASON[reason] ?? HOUR)) * spreadOf(sn)
  const wanted = changesIn > 0 ? Math.min(usual, changesIn + 1) : usual
  return Math.round(Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, wanted)))
}
