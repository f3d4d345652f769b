import { createOneTimePlanner } from '../once.ts'
import { type CompiledProgram, isOnce, isTakeover, type Span } from '../program.ts'
import type { Timeline } from '../timeline.ts'
import { listWindowsWithinDay, mergeSpans, splitWindowsByItemLimits } from '../windows.ts'

/** Another takeover of the same priority, and the number of milliseconds in which both would play. */
export interface TakeoverOverlap {
  readonly compiled: CompiledProgram
  readonly ms: number
}

/**
 * Returns the takeovers of the same priority whose plays overlap the plays of the takeover `own`. Each takeover is planned
 * as if the others did not exist. At such a moment, only the time of publishing decides which takeover plays.
 */
export function listTakeoverOverlaps(timeline: Timeline, own: CompiledProgram, days: readonly number[]) {
  if (!isTakeover(own)) return []
  const isRival = (each: CompiledProgram) =>
    each !== own && isTakeover(each) && each.program.priority === own.program.priority
  const rivals = timeline.programs.filter(isRival)
  const spansOf = (compiled: CompiledProgram) => createSpanFinder(timeline, compiled)
  const ownSpans = rivals.length > 0 ? spansOf(own) : undefined
  return rivals.flatMap((compiled): TakeoverOverlap[] => {
    const rivalSpans = spansOf(compiled)
    const ms = days.reduce((sum, day) => sum + computeOverlap(ownSpans!(day), rivalSpans(day)), 0)
    return ms > 0 ? [{ compiled, ms }] : []
  })
}

/** Returns a function that finds the spans of a day in which a takeover plays without its rivals of equal priority. */
function createSpanFinder({ zone, programs }: Timeline, compiled: CompiledProgram): (day: number) => Span[] {
  const withoutRivals = programs.filter(({ program }) => program.priority !== compiled.program.priority)
  const planner = createOneTimePlanner(zone, [...withoutRivals, compiled])
  return (day) => {
    const parts = isOnce(compiled)
      ? planner.runsWithin(compiled, day)
      : splitWindowsByItemLimits(compiled, listWindowsWithinDay(zone, compiled, day))
    const [from, to] = [zone.startOf(day, 0), zone.startOf(day + 1, 0)]
    return mergeSpans(parts.map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) })))
  }
}

const computeOverlap = (own: readonly Span[], others: readonly Span[]) =>
  own.reduce(
    (sum, a) => others.reduce((all, b) => all + Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start)), sum),
    0,
  )
