import { computeWeekdayBit } from './dates.ts'
import type { CompiledProgram, PlayableItem, Span } from './program.ts'
import type { Zone } from './zone.ts'

/** A span in which one set of items of a program may play. */
export interface WindowPart extends Span {
  readonly compiled: CompiledProgram
  readonly items: readonly PlayableItem[]
}

/** True when the date and the weekday permit windows that begin on a day. */
export const isDueOn = ({ program, firstDay, lastDay }: CompiledProgram, day: number): boolean =>
  day >= firstDay && day <= lastDay && (program.weekdays & computeWeekdayBit(day)) !== 0

/** Returns the windows that belong to a day. A window that crosses midnight belongs to the day of its start. */
export function listWindowsOnDay(zone: Zone, compiled: CompiledProgram, day: number): Span[] {
  if (!isDueOn(compiled, day)) return []
  const windows = compiled.parts.map(({ start, end, crossesMidnight }) => ({
    start: zone.startOf(day, start),
    end: crossesMidnight ? zone.endOf(day + 1, end) : zone.endOf(day, end),
  }))
  return windows.filter(({ start, end }) => start < end)
}

/** Returns the windows of a program that touch a day, merged and cut at the bounds of the day. */
export function listWindowsWithinDay(zone: Zone, compiled: CompiledProgram, day: number): Span[] {
  const [from, to] = [zone.startOf(day, 0), zone.startOf(day + 1, 0)]
  const windows = listDaysReaching(zone, compiled, day)
    .flatMap((each) => listWindowsOnDay(zone, compiled, each))
    .filter(({ start, end }) => start < to && end > from)
    .map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }))
  return mergeSpans(windows)
}

/** Returns the days whose windows may touch a day. */
export function listDaysReaching(zone: Zone, { parts }: CompiledProgram, day: number): number[] {
  // Where clocks go back over midnight, a date begins before the previous date ends.
  const isMidnightRepeated = zone.endOf(day, 0) > zone.startOf(day, 0)
  if (isMidnightRepeated) return [day - 2, day - 1, day]
  return parts.some(({ crossesMidnight }) => crossesMidnight) ? [day - 1, day] : [day]
}

/** Joins spans that touch or overlap. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged[merged.length - 1]
    if (last && span.start <= last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else merged.push(span)
  }
  return merged
}

/** Splits windows at the limits of the items. Spans without a playable item are left out. */
export function splitWindowsByItemLimits(compiled: CompiledProgram, windows: readonly Span[]): WindowPart[] {
  const { items, hasLimits } = compiled
  if (items.length === 0) return []
  if (!hasLimits) return windows.map(({ start, end }) => ({ start, end, compiled, items }))
  return windows.flatMap(({ start, end }) => {
    const isInside = (instant: number) => instant > start && instant < end
    const limits = items.flatMap((each) => [each.limits.start, each.limits.end]).filter(isInside)
    const bounds = sortUnique([start, ...limits, end])
    return bounds.slice(1).flatMap((to, at) => {
      const from = bounds[at]!
      const valid = items.filter((each) => each.limits.start <= from && each.limits.end >= to)
      const playable = valid.length === items.length ? items : valid
      return playable.length > 0 ? [{ start: from, end: to, compiled, items: playable }] : []
    })
  })
}

export const sortUnique = (values: readonly number[]): number[] =>
  [...values].sort((a, b) => a - b).filter((value, at, sorted) => at === 0 || value !== sorted[at - 1])
