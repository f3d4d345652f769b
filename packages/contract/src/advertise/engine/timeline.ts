import { type ProgramChoice, choosePlaying, isSameChoice, type Segment } from './choose.ts'
import { createLoop, type SegmentLoop } from './loop.ts'
import { type Manifest, PLAY_MODE } from './manifest.ts'
import { createOneTimePlanner, type Run } from './once.ts'
import { type CompiledProgram, compilePrograms, isOnce, isTakeover, type ScreenState, type Span } from './program.ts'
import { isDueOn, type WindowPart, splitWindowsByItemLimits, sortUnique, listWindowsWithinDay } from './windows.ts'
import { type Zone, loadZone } from './zone.ts'

/** A span of a day in which the same programs are due. */
export interface DueSpan extends Span {
  /** Days with the same windows share this array. The bounds of its parts may therefore lie on another day. */
  readonly due: readonly WindowPart[]
  readonly choice: ProgramChoice
}

interface DayPlan {
  readonly spans: readonly DueSpan[]
  readonly segments: readonly Segment[]
}

/** A manifest prepared for queries. Plans of days and loops of segments are cached. */
export interface Timeline {
  readonly manifest: Manifest
  readonly zone: Zone
  readonly programs: readonly CompiledProgram[]
  segmentAt(instant: number): Segment
  /** Returns the span with the programs that are due at an instant. */
  dueAt(instant: number): DueSpan
  /** Returns the segments that touch a local day. */
  segmentsOn(day: number): readonly Segment[]
  spansOn(day: number): readonly DueSpan[]
  loopOf(segment: Segment): SegmentLoop
}

const CACHED_DAYS = 16
const MAX_SHAPES = 64
const timelines = new WeakMap<Manifest, { state: ScreenState | undefined; timeline: Timeline }>()

/**
 * Returns the timeline of a manifest. Caches one timeline per manifest, for the last state. Neither object may be
 * changed afterwards.
 */
export function buildTimeline(manifest: Manifest, state?: ScreenState): Timeline {
  const known = timelines.get(manifest)
  if (known && known.state === state) return known.timeline
  const timeline = createTimeline(manifest, state)
  timelines.set(manifest, { state, timeline })
  return timeline
}

function createTimeline(manifest: Manifest, state?: ScreenState): Timeline {
  const zone = loadZone(manifest.zone)
  const programs = compilePrograms(manifest, zone, state)
  const planDay = dayPlanner(zone, programs)
  const plans = new Map<number, DayPlan>()
  const planOf = (day: number) => {
    const plan = plans.get(day) ?? planDay(day)
    if (plans.size >= CACHED_DAYS && !plans.has(day)) plans.delete(plans.keys().next().value as number)
    plans.set(day, plan)
    return plan
  }
  const loops = new WeakMap<Segment, SegmentLoop>()
  const loopOf = (segment: Segment) => {
    const loop = loops.get(segment) ?? createLoop(segment)
    loops.set(segment, loop)
    return loop
  }
  return {
    manifest,
    zone,
    programs,
    segmentAt: (instant) => spanAt(planOf(zone.dayAt(instant)).segments, instant),
    dueAt: (instant) => spanAt(planOf(zone.dayAt(instant)).spans, instant),
    segmentsOn: (day) => planOf(day).segments,
    spansOn: (day) => planOf(day).spans,
    loopOf,
  }
}

/** Finds the span that contains an instant. The spans have no gaps. */
function spanAt<T extends Span>(spans: readonly T[], instant: number): T {
  let [low, high] = [0, spans.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (spans[middle]!.start <= instant) low = middle
    else high = middle - 1
  }
  return spans[low]!
}

function dayPlanner(zone: Zone, programs: readonly CompiledProgram[]) {
  const once = createOneTimePlanner(zone, programs)
  const shapes = new Map<string, DayPlan>()
  return (day: number): DayPlan => {
    const [start, end] = [zone.startOf(day, 0), zone.startOf(day + 1, 0)]
    const key = shapeOf(zone, programs, day)
    const shape = key === null ? undefined : shapes.get(key)
    if (shape) return shiftPlan(shape, day, start)
    const pieces = programs.map((compiled) =>
      isOnce(compiled)
        ? once.runsWithin(compiled, day)
        : splitWindowsByItemLimits(compiled, listWindowsWithinDay(zone, compiled, day)),
    )
    const spans = dueSpans(start, end, pieces)
    const plan = { spans, segments: segmentsOf(day, spans) }
    if (shapes.size > MAX_SHAPES) shapes.clear()
    if (key !== null) shapes.set(key, plan)
    return plan
  }
}

/** Moves the plan of a day of the same shape to another day. */
function shiftPlan({ spans, segments }: DayPlan, day: number, start: number): DayPlan {
  const shift = start - spans[0]!.start
  return {
    spans: spans.map((span) => ({ ...span, start: span.start + shift, end: span.end + shift })),
    segments: segments.map(({ start: from, end, choice }) => {
      return {
        start: from + shift,
        end: end + shift,
        day,
        choice: choice.run ? shiftRun(choice, choice.run, shift) : choice,
      }
    }),
  }
}

function shiftRun(choice: ProgramChoice, run: Run, shift: number): ProgramChoice {
  const plays = run.plays.map(({ start, item }) => ({ start: start + shift, item }))
  return { ...choice, run: { ...run, start: run.start + shift, end: run.end + shift, plays } }
}

/**
 * Returns a key that is equal for days with equal plans: for each program whether its windows of the day and of the
 * night before are due, and which items may play. Null when clocks change, or when the playable items change within
 * the day. Also null when the plays of a `once` program depend on the date or on the night before.
 */
function shapeOf(zone: Zone, programs: readonly CompiledProgram[], day: number): string | null {
  if (!zone.isRegular(day)) return null
  const [start, end] = [zone.startOf(day, 0), zone.startOf(day + 1, 0)]
  const crosses = ({ parts }: CompiledProgram) => parts.some(({ crossesMidnight }) => crossesMidnight)
  const isOnceFixed = !programs.some((each) => isTakeover(each) && crosses(each))
  let key = ''
  for (const compiled of programs) {
    const due = (isDueOn(compiled, day) ? 1 : 0) + (crosses(compiled) && isDueOn(compiled, day - 1) ? 2 : 0)
    key += due
    if (due === 0) continue
    if (isOnce(compiled) && !(isOnceFixed && compiled.program.playMode !== PLAY_MODE.random)) return null
    if (!compiled.hasLimits) continue
    for (const [index, { limits }] of compiled.items.entries()) {
      const isInside = (instant: number) => instant > start && instant < end
      if (isInside(limits.start) || isInside(limits.end)) return null
      if (limits.start <= start && limits.end >= end) key += `,${index}`
    }
    key += ';'
  }
  return key
}

/**
 * Cuts a day at every instant at which a program starts or stops being due. The pieces of a program are ordered and do
 * not overlap.
 */
function dueSpans(start: number, end: number, pieces: readonly (readonly WindowPart[])[]): DueSpan[] {
  const present = pieces.filter(({ length }) => length > 0)
  const inside = present.flatMap((each) => each.flatMap((piece) => [piece.start, piece.end]))
  const bounds = sortUnique([start, ...inside.filter((instant) => instant > start && instant < end), end])
  const next = present.map(() => 0)
  return bounds.slice(1).map((to, at) => {
    const from = bounds[at]!
    const due: WindowPart[] = []
    for (const [index, list] of present.entries()) {
      while (next[index]! < list.length && list[next[index]!]!.end <= from) next[index]! += 1
      const piece = list[next[index]!]
      if (piece && piece.start <= from) due.push(piece)
    }
    return { start: from, end: to, due, choice: choosePlaying(due) }
  })
}

function segmentsOf(day: number, spans: readonly DueSpan[]): Segment[] {
  const segments: Segment[] = []
  for (const { start, end, choice } of spans) {
    const last = segments[segments.length - 1]
    if (last && isSameChoice(last.choice, choice)) segments[segments.length - 1] = { ...last, end }
    else segments.push({ start, end, day, choice })
  }
  // The plays of a `once` program are not cut at midnight.
  return segments.map((segment) => {
    const { run } = segment.choice
    return run ? { ...segment, start: run.start, end: run.end } : segment
  })
}
