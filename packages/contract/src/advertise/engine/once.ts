import { formatDate } from './dates.ts'
import { PLAY_MODE } from './manifest.ts'
import { type CompiledProgram, compareRank, isOnce, isTakeover, type PlayableItem, type Span } from './program.ts'
import { shuffle } from './random.ts'
import {
  listDaysReaching,
  mergeSpans,
  type WindowPart,
  splitWindowsByItemLimits,
  listWindowsOnDay,
  listWindowsWithinDay,
} from './windows.ts'
import type { Zone } from './zone.ts'

/** Consecutive plays of a `once` program. */
export interface Run extends WindowPart {
  readonly plays: readonly { readonly start: number; readonly item: PlayableItem }[]
}

/** Finds the plays of `once` programs. */
export interface OncePlanner {
  /** Returns the runs that touch a day, also those that began before its midnight. */
  runsWithin(compiled: CompiledProgram, day: number): Run[]
}

/**
 * Creates the planner of the `once` programs of a manifest. A window plays each item once, as early as takeovers of a
 * higher rank permit. An item that does not end within its window and limits is skipped.
 */
export function createOneTimePlanner(zone: Zone, programs: readonly CompiledProgram[]): OncePlanner {
  const takeovers = programs.filter(isTakeover).sort((a, b) => compareRank(a.program, b.program))
  const runs = new Map<string, Run[]>()
  const busy = new Map<string, Span[]>()

  /** Returns the runs of the windows that belong to a day. */
  const runsOn = (rank: number, day: number): Run[] =>
    cached(runs, `${rank}:${day}`, () =>
      listWindowsOnDay(zone, takeovers[rank]!, day).flatMap((window) => {
        const [first, last] = [zone.dayAt(window.start), zone.dayAt(window.end - 1)]
        const spans: Span[] = []
        for (let each = first; each <= last; each += 1) spans.push(...busyOn(rank, each))
        return placeItems(takeovers[rank]!, window, day, mergeSpans(spans))
      }),
    )

  const runsWithin = (rank: number, day: number): Run[] => {
    const [from, to] = [zone.startOf(day, 0), zone.startOf(day + 1, 0)]
    return listDaysReaching(zone, takeovers[rank]!, day)
      .flatMap((each) => runsOn(rank, each))
      .filter(({ start, end }) => start < to && end > from)
  }

  /** Returns the spans of a day in which takeovers before a rank play. */
  const busyOn = (rank: number, day: number): Span[] => {
    if (rank === 0) return []
    return cached(busy, `${rank}:${day}`, () => {
      const compiled = takeovers[rank - 1]!
      const own = isOnce(compiled)
        ? runsWithin(rank - 1, day)
        : splitWindowsByItemLimits(compiled, listWindowsWithinDay(zone, compiled, day))
      return mergeSpans([...busyOn(rank - 1, day), ...own.map(({ start, end }) => ({ start, end }))])
    })
  }

  return { runsWithin: (compiled, day) => runsWithin(takeovers.indexOf(compiled), day) }
}

function cached<T>(cache: Map<string, T>, key: string, compute: () => T): T {
  const known = cache.get(key)
  if (known) return known
  const value = compute()
  if (cache.size > 20_000) cache.clear()
  cache.set(key, value)
  return value
}

function placeItems(compiled: CompiledProgram, window: Span, day: number, busy: readonly Span[]): Run[] {
  const plays: { start: number; item: PlayableItem }[] = []
  let clock = window.start
  for (const group of groupsOf(compiled, window, day)) {
    const ms = group.reduce((sum, { item }) => sum + item.ms, 0)
    const start = firstFree(busy, clock, ms)
    if (start + ms > window.end || !group.every(({ limits }) => limits.start <= start && limits.end >= start + ms))
      continue
    clock = start
    for (const item of group) {
      plays.push({ start: clock, item })
      clock += item.item.ms
    }
  }
  return joinPlays(compiled, plays)
}

/** Items that play without interruption: the whole program in block mode, else single items. */
function groupsOf({ program, items }: CompiledProgram, { start }: Span, day: number): PlayableItem[][] {
  if (program.playMode === PLAY_MODE.block) {
    const valid = items.filter(({ limits }) => limits.start <= start && start < limits.end)
    return valid.length > 0 ? [valid] : []
  }
  const isRandom = program.playMode === PLAY_MODE.random
  const ordered = isRandom ? shuffle(items, `${program.id}:${program.verNo}:${formatDate(day)}:0`) : items
  return ordered.map((item) => [item])
}

/** Returns the first instant from which `ms` pass without a busy span. */
function firstFree(busy: readonly Span[], from: number, ms: number): number {
  let start = from
  for (const span of busy) if (span.end > start && span.start < start + ms) start = span.end
  return start
}

function joinPlays(compiled: CompiledProgram, plays: Run['plays']): Run[] {
  const runs: { start: number; end: number; plays: { start: number; item: PlayableItem }[] }[] = []
  for (const play of plays) {
    const end = play.start + play.item.item.ms
    const last = runs[runs.length - 1]
    if (last?.end === play.start) {
      last.end = end
      last.plays.push(play)
    } else runs.push({ start: play.start, end, plays: [play] })
  }
  return runs.map((run) => ({ ...run, compiled, items: run.plays.map(({ item }) => item) }))
}
