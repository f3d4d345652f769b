import type { PlayRow } from './plays/play-row.ts'

/** Longest permitted overlap of two plays of one device. */
export const MAX_OVERLAP_MS = 2000

/**
 * Splits rows into those without an overlap among themselves and the rest. The earliest of overlapping plays is in the
 * first part.
 */
export function splitOverlaps(rows: readonly PlayRow[]): { apart: PlayRow[]; rest: PlayRow[] } {
  const order = rows.toSorted((a, b) => a.deviceId - b.deviceId || a.startMs - b.startMs)
  const apart: PlayRow[] = []
  const rest: PlayRow[] = []
  let last: PlayRow | undefined
  for (const row of order) {
    if (row.mayOverlap || row.ms <= MAX_OVERLAP_MS) {
      apart.push(row)
      continue
    }
    const overlaps = last?.deviceId === row.deviceId && last.startMs + last.ms - row.startMs > MAX_OVERLAP_MS
    if (overlaps) rest.push(row)
    else apart.push((last = row))
  }
  return { apart, rest }
}
