import type { Manifest } from './manifest.ts'
import { type PlannedSlot, iterateSlots } from './playing.ts'
import type { ScreenState, Span } from './program.ts'
import { type Timeline, buildTimeline } from './timeline.ts'

/** A calculation that yields after each step, so that a server can handle other requests. */
type Steps<Result> = Generator<void, Result>

/** Slots that a SMIL player plays one after another. A hold is a slot of its own. */
export interface SmilSequence extends Span {
  /** True when the slots repeat until the end. */
  readonly repeats: boolean
  /** Empty: the idle picture. */
  readonly slots: readonly PlannedSlot[]
}

export interface SmilPlan {
  /** End of the last sequence. */
  readonly until: number
  readonly sequences: readonly SmilSequence[]
}

/** Minimum and maximum number of days that one SMIL document covers after the day on which it begins. */
const MIN_DAYS = 2
const MAX_DAYS = 14
/** Number of slots planned in one step, before other work may run. */
const SLOTS_OF_STEP = 1000
/** Maximum number of excerpts of a shortened sequence. `MIN_EXCERPT`: minimum number of elements of an excerpt. */
const MAX_EXCERPTS = 24
const MIN_EXCERPT = 100
/** Maximum number of media elements in one SMIL document. */
export const MAX_SMIL_ELEMENTS = 5000

/**
 * Flattens the schedule into repeating sequences: from the segment of `from` on, as many days as the elements permit.
 * Long sequences are shortened only when the first days exceed `maxElements`; they then repeat earlier than planned.
 */
export function createSmilPlan(
  manifest: Manifest,
  from: number,
  maxElements: number = MAX_SMIL_ELEMENTS,
  state?: ScreenState,
): SmilPlan {
  const steps = iterateSmilPlan(manifest, from, maxElements, state)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Plans like `createSmilPlan`, and yields after each thousand slots, so that a server can do other work meanwhile. */
export function* iterateSmilPlan(
  manifest: Manifest,
  from: number,
  maxElements: number = MAX_SMIL_ELEMENTS,
  state?: ScreenState,
): Steps<SmilPlan> {
  const timeline = buildTimeline(manifest, state)
  const first = timeline.zone.dayAt(from)
  let planned: SmilSequence[] = []
  let start = timeline.segmentAt(from).start
  for (let count = 1; count <= MAX_DAYS + 1; count += 1) {
    const end = timeline.zone.startOf(first + count, 0)
    const all = [...planned, ...(yield* sequencesBetween(timeline, start, end))]
    if (count > MIN_DAYS + 1 && elementsOf(all) > maxElements) break
    planned = all
    start = endOf(planned, start)
  }
  const sequences = elementsOf(planned) > maxElements ? shorten(planned, maxElements) : planned
  return { until: start, sequences }
}

const elementsOf = (sequences: readonly SmilSequence[]) => sequences.reduce((sum, { slots }) => sum + slots.length, 0)
const endOf = (sequences: readonly SmilSequence[], start: number) => sequences[sequences.length - 1]?.end ?? start

/** Shortens each sequence to its part of `maxElements`, in proportion to its time. */
function shorten(sequences: readonly SmilSequence[], maxElements: number): SmilSequence[] {
  const total = endOf(sequences, 0) - sequences[0]!.start
  return sequences.flatMap((sequence) => {
    const part = Math.floor((maxElements * (sequence.end - sequence.start)) / total)
    return sequence.slots.length <= part ? [sequence] : excerptsOf(sequence, Math.max(1, part))
  })
}

/**
 * Replaces a sequence by repeated excerpts from different times of the sequence, so that a random order does not repeat
 * its beginning all day. Each excerpt ends with a complete repetition; only the last excerpt is cut.
 */
function excerptsOf({ start, end, slots }: SmilSequence, elements: number): SmilSequence[] {
  const count = Math.min(MAX_EXCERPTS, Math.max(1, Math.floor(elements / MIN_EXCERPT)))
  const size = Math.floor(elements / count)
  const excerpts: SmilSequence[] = []
  let index = 0
  for (let clock = start; clock < end; ) {
    while (index < slots.length && slots[index]!.start < clock) index += 1
    const excerpt = slots.slice(Math.min(index, slots.length - size)).slice(0, size)
    const ms = excerpt.reduce((sum, slot) => sum + slot.ms, 0)
    const planned = (end - clock) / (count - excerpts.length)
    const until = excerpts.length + 1 >= count ? end : Math.min(end, clock + Math.max(1, Math.round(planned / ms)) * ms)
    excerpts.push({ start: clock, end: until, repeats: true, slots: excerpt })
    clock = until
  }
  return excerpts
}

function* sequencesBetween(timeline: Timeline, from: number, to: number): Steps<SmilSequence[]> {
  const sequences: SmilSequence[] = []
  for (let clock = from; clock < to; ) {
    const { start, end } = timeline.segmentAt(clock)
    const slots: PlannedSlot[] = []
    for (const slot of iterateSlots(timeline, start, end)) if (slots.push(slot) % SLOTS_OF_STEP === 0) yield
    sequences.push(...repeatingSequences(slots, { start, end }))
    yield
    clock = end
  }
  return sequences
}

/**
 * Divides the slots of a segment into the smallest sequence that repeats and the remaining slots. The remaining slots
 * at the end of the segment differ, because only shorter items fit.
 */
function repeatingSequences(slots: readonly PlannedSlot[], { start, end }: Span): SmilSequence[] {
  if (slots[0]?.rule === 'idle') return [{ start, end, repeats: false, slots: [] }]
  const { period, length } = shortestForm(slots.map(keyOf))
  const tail = slots.slice(length)
  const until = tail[0]?.start ?? end
  const head = { start, end: until, repeats: period < length, slots: slots.slice(0, period) }
  return tail.length > 0 ? [head, { start: until, end, repeats: false, slots: tail }] : [head]
}

const keyOf = ({ program, item, ms, hold }: PlannedSlot) => `${program?.id}:${item?.id}:${ms}:${hold}`

/**
 * Finds the prefix of at least two periods whose first period and the rest after it have the fewest keys together. The
 * borders of all prefixes are those of the algorithm of Knuth, Morris and Pratt.
 */
function shortestForm(keys: readonly string[]): { period: number; length: number } {
  const borders = [0]
  let best = { period: keys.length, length: keys.length }
  for (let at = 1; at < keys.length; at += 1) {
    let border = borders[at - 1]!
    while (border > 0 && keys[at] !== keys[border]) border = borders[border - 1]!
    if (keys[at] === keys[border]) border += 1
    borders.push(border)
    const [length, period] = [at + 1, at + 1 - border]
    const size = period + keys.length - length
    if (period * 2 <= length && size < best.period + keys.length - best.length) best = { period, length }
  }
  return best
}
