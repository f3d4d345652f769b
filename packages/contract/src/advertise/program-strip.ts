import type { Manifest } from './engine/manifest.ts'
import { listSlotsBetween } from './engine/playing.ts'
import type { ScreenState } from './engine/program.ts'

/** A span in which the same programs take turns. */
export interface StripSegment {
  readonly start: number
  readonly end: number
  /** `idle`: nothing plays. */
  readonly rule: string
  /** Programs with their planned milliseconds, the longest first. */
  readonly programs: readonly { readonly id: number; readonly name: string; readonly ms: number }[]
}

/** Returns which programs share the time of a screen between two instants. */
export function buildTimelineStrip(manifest: Manifest, from: number, to: number, state?: ScreenState): StripSegment[] {
  const segments: (Omit<StripSegment, 'programs'> & { time: Map<number, { name: string; ms: number }> })[] = []
  for (const slot of listSlotsBetween(manifest, from, to, state)) {
    const start = Math.max(slot.segment.start, from)
    let last = segments.at(-1)
    if (last?.start !== start) {
      last = { start, end: Math.min(slot.segment.end, to), rule: slot.rule, time: new Map() }
      segments.push(last)
    }
    if (!slot.program) continue
    const before = last.time.get(slot.program.id)?.ms ?? 0
    const ms = Math.min(slot.start + slot.ms, to) - Math.max(slot.start, from)
    last.time.set(slot.program.id, { name: slot.program.name, ms: before + ms })
  }
  return segments.map(({ time, ...segment }) => ({
    ...segment,
    programs: [...time].map(([id, each]) => ({ id, ...each })).sort((a, b) => b.ms - a.ms || a.id - b.id),
  }))
}
