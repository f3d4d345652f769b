import type { PlayableItem } from './program.ts'

/** Shortest length of a cycle: a cycle ends with the first play that reaches this length. */
export const CYCLE_MS = 3_600_000

/** Counts the plays of one cycle. Positions are milliseconds from the start of the segment. */
export interface PlayCaps {
  /** Returns the position from which the cap of an item permits its next play. */
  allowedFrom(index: number): number
  count(index: number): void
  startCycle(position: number): void
}

/**
 * Creates the counters of one cycle. With the cap m, play j + 1 starts at least j · 3,600,000 / m ms after the start
 * of the cycle.
 */
export function createCaps(items: readonly PlayableItem[]): PlayCaps {
  const limits = items.map(({ item }) => item.maxPlaysPerHour)
  const plays = items.map(() => 0)
  const hasCaps = limits.some((limit) => limit > 0)
  let cycleStart = 0
  return {
    allowedFrom(index) {
      const limit = limits[index]!
      return limit > 0 ? cycleStart + Math.ceil((plays[index]! * CYCLE_MS) / limit) : 0
    },
    count(index) {
      plays[index]! += 1
    },
    startCycle(position) {
      cycleStart = position
      if (hasCaps) plays.fill(0)
    },
  }
}
