import { type ProgramExplanation, explainPrograms, type KnownObstacles } from './conflicts/because.ts'
import type { ChoiceRule, Segment } from './choose.ts'
import type { LoopSlot } from './loop.ts'
import type { Manifest, ManifestAd, ManifestItem, ManifestProgram } from './manifest.ts'
import type { ScreenState, Span } from './program.ts'
import { type Timeline, buildTimeline } from './timeline.ts'

/** One planned play, a hold, or the idle picture. */
export interface PlannedSlot {
  /** Instant of the start. */
  readonly start: number
  readonly ms: number
  readonly rule: ChoiceRule
  readonly segment: Span
  /** Index of the cycle within the segment, from 0. */
  readonly cycle: number
  /** Index of the slot within the cycle, from 0. */
  readonly slot: number
  /** Shown content; all three fields are null while the idle picture is shown. */
  readonly program: ManifestProgram | null
  readonly item: ManifestItem | null
  readonly ad: ManifestAd | null
  /** True when no play fits or is permitted: the earlier content stays, and no play is counted. */
  readonly hold: boolean
}

export interface Playing extends PlannedSlot {
  /** Milliseconds since the start of the slot. */
  readonly offsetMs: number
  /** Every program of the screen with its first obstacle, ordered as in the manifest. */
  readonly because: readonly ProgramExplanation[]
}

/** Maximum number of earlier segments that are searched for the content that the screen keeps while nothing plays. */
const MAX_LOOK_BACK = 8

/** Returns what a screen shows at an instant, and why every other program does not play. */
export function findPlayingAt(
  manifest: Manifest,
  instant: number,
  state?: ScreenState,
  known: KnownObstacles = {},
): Playing {
  const timeline = buildTimeline(manifest, state)
  const slot = findSlotAt(timeline, instant)
  return { ...slot, offsetMs: instant - slot.start, because: explainPrograms(timeline, instant, slot, state, known) }
}

/** Returns the slot that contains an instant. */
export function findSlotAt(timeline: Timeline, instant: number): PlannedSlot {
  const segment = timeline.segmentAt(instant)
  const span = { start: segment.start, end: segment.end }
  if (segment.choice.rule === 'idle') return idleSlot(span)
  const loop = timeline.loopOf(segment)
  return plannedSlot(timeline, segment, span, loop.slotAt(loop.indexAt(instant - segment.start)))
}

/** Yields all slots that touch the interval, in order and without gaps. */
export const listSlotsBetween = (manifest: Manifest, from: number, to: number, state?: ScreenState) =>
  iterateSlots(buildTimeline(manifest, state), from, to)

/** Yields the slots of a timeline that touch the interval. */
export function* iterateSlots(timeline: Timeline, from: number, to: number): Generator<PlannedSlot, void> {
  for (let clock = from; clock < to; ) {
    const segment = timeline.segmentAt(clock)
    const span = { start: segment.start, end: segment.end }
    if (segment.choice.rule === 'idle') {
      yield idleSlot(span)
      clock = segment.end
      continue
    }
    const loop = timeline.loopOf(segment)
    const until = Math.min(to, segment.end)
    for (let index = loop.indexAt(clock - segment.start); clock < until; index += 1) {
      loop.planUntil(clock - segment.start)
      const slot = loop.slotAt(index)
      yield plannedSlot(timeline, segment, span, slot)
      clock = segment.start + slot.position + slot.ms
    }
  }
}

const idleSlot = (segment: Span): PlannedSlot => ({
  start: segment.start,
  ms: segment.end - segment.start,
  rule: 'idle',
  segment,
  cycle: 0,
  slot: 0,
  program: null,
  item: null,
  ad: null,
  hold: false,
})

function plannedSlot(timeline: Timeline, { start, choice }: Segment, span: Span, planned: LoopSlot): PlannedSlot {
  const { position, ms, cycle, slot, stream, item } = planned
  const shown = item ? null : shownBefore(timeline, start + position)
  return {
    start: start + position,
    ms,
    rule: choice.rule,
    segment: span,
    cycle,
    slot,
    program: shown ? shown.program : choice.streams[stream]!.program,
    item: shown ? shown.item : item!.item,
    ad: shown ? shown.ad : item!.ad,
    hold: item === null,
  }
}

const NOTHING: Shown = { program: null, item: null, ad: null }
type Shown = Pick<PlannedSlot, 'program' | 'item' | 'ad'>

/** Returns what the last play before an instant showed. */
function shownBefore(timeline: Timeline, instant: number): Shown {
  let before = instant - 1
  for (let back = 0; back < MAX_LOOK_BACK; back += 1) {
    const { start, choice } = timeline.segmentAt(before)
    if (choice.rule === 'idle') return NOTHING
    const loop = timeline.loopOf(timeline.segmentAt(before))
    for (let index = loop.indexAt(before - start); index >= 0; index -= 1) {
      const { stream, item } = loop.slotAt(index)
      if (item) return { program: choice.streams[stream]!.program, item: item.item, ad: item.ad }
    }
    before = start - 1
  }
  return NOTHING
}
