import { CYCLE_MS } from './caps.ts'
import type { Segment } from './choose.ts'
import { type Candidate, createPicker, type ItemPicker } from './pickers.ts'
import type { PlayableItem } from './program.ts'

/** The planned slots of a segment. Slots follow each other without gaps and are planned when they are first read. */
export interface SegmentLoop {
  /** Plans the slots up to the one at `position` ms from the start of the segment. */
  planUntil(position: number): void
  /** Returns the index of the slot at `position` ms from the start of the segment. */
  indexAt(position: number): number
  slotAt(index: number): LoopSlot
}

export interface LoopSlot {
  /** Milliseconds from the start of the segment. */
  readonly position: number
  readonly ms: number
  /** Index of the cycle within the segment, from 0. */
  readonly cycle: number
  /** Index of the slot within the cycle, from 0. */
  readonly slot: number
  /** Index of the program in the streams of the segment; -1 in a hold. */
  readonly stream: number
  /** Null while no item fits or is permitted (a hold): the screen keeps the last content, and no play is counted. */
  readonly item: PlayableItem | null
}

/** One program of a segment. */
interface Stream {
  readonly picker: ItemPicker
  readonly weight: number
  played: number
  /** Result of the last `peek`; valid at positions before `wakeAt`. */
  next: Candidate | null
  wakeAt: number
  /** Length of the next play; Infinity without one. */
  nextMs: number
}

/** Columns of the planned slots. A hold has stream and item -1. */
class Slots {
  readonly positions: number[] = []
  readonly streams: number[] = []
  readonly items: number[] = []
  readonly cycles: number[] = []
  /** Index of the first slot of each cycle. */
  readonly cycleStarts: number[] = [0]
  /** End of the last slot. */
  clock = 0

  add(stream: number, item: number, ms: number) {
    this.positions.push(this.clock)
    this.streams.push(stream)
    this.items.push(item)
    this.cycles.push(this.cycleStarts.length - 1)
    this.clock += ms
  }
}

/** Creates the loop of a segment. */
export function createLoop(segment: Segment): SegmentLoop {
  const { choice, start, end } = segment
  const slots = new Slots()
  if (choice.run) for (const [index, { item }] of choice.run.items.entries()) slots.add(0, index, item.ms)
  const step = streamPlanner(slots, segment)
  const planUntil = (position: number) => {
    const until = Math.min(position + 1, end - start)
    while (slots.clock < until) step()
  }
  return {
    planUntil,
    indexAt(position) {
      planUntil(position)
      return lastNotAfter(slots.positions, position)
    },
    slotAt(index) {
      const position = slots.positions[index]!
      const next = index + 1 < slots.positions.length ? slots.positions[index + 1]! : slots.clock
      const stream = slots.streams[index]!
      const item = stream < 0 ? null : choice.streams[stream]!.items[slots.items[index]!]!
      const cycle = slots.cycles[index]!
      return { position, ms: next - position, cycle, slot: index - slots.cycleStarts[cycle]!, stream, item }
    },
  }
}

/** Returns the function that plans the next slots of a segment. */
function streamPlanner(slots: Slots, { start, end, day, choice }: Segment) {
  const length = end - start
  const streams = choice.streams.map(({ program, items, weight }): Stream => {
    return { picker: createPicker(program, items, day), weight, played: 0, next: null, wakeAt: 0, nextMs: 0 }
  })
  const sum = choice.streams.reduce((total, { weight }) => total + weight, 0)
  let elapsed = 0
  let cycleEnd = CYCLE_MS
  return () => {
    if (slots.clock >= cycleEnd) {
      cycleEnd = slots.clock + CYCLE_MS
      slots.cycleStarts.push(slots.positions.length)
      for (const stream of streams) startCycle(stream, slots.clock)
    }
    refreshCandidates(streams, slots.clock, length - slots.clock)
    const index = selectStream(streams, sum, elapsed)
    if (index < 0) {
      slots.add(-1, -1, endOfHold(streams, slots.clock, Math.min(length, cycleEnd), length) - slots.clock)
      return
    }
    const stream = streams[index]!
    const { indexes, ms } = stream.next!
    for (const item of indexes) slots.add(index, item, choice.streams[index]!.items[item]!.item.ms)
    stream.picker.take()
    stream.wakeAt = 0
    stream.played += ms
    elapsed += ms
  }
}

/** Returns the first position at which a stream has a candidate, at most `limit`. */
function endOfHold(streams: readonly Stream[], position: number, limit: number, length: number): number {
  let end = position
  do {
    end = Math.min(limit, ...streams.map((stream) => stream.wakeAt))
    refreshCandidates(streams, end, length - end)
  } while (end < limit && streams.every((stream) => stream.next === null))
  return end
}

function startCycle(stream: Stream, position: number) {
  stream.picker.startCycle(position)
  stream.wakeAt = 0
}

function refreshCandidates(streams: readonly Stream[], position: number, remaining: number) {
  for (const stream of streams) {
    if (position < stream.wakeAt && (stream.next === null || stream.nextMs <= remaining)) continue
    stream.next = stream.picker.peek(position, remaining)
    stream.nextMs = stream.next === null ? Infinity : stream.next.ms
    stream.wakeAt = stream.picker.wakeAt
  }
}

/**
 * Returns the index of the stream that plays next, or -1 when no stream has a candidate. Prefers the streams that are
 * not ahead of their due time. Among these streams, selects the stream whose next play would end earliest at its own
 * rate.
 */
function selectStream(streams: readonly Stream[], sum: number, elapsed: number): number {
  const due = earliestEnd(streams, (stream) => stream.played * sum <= stream.weight * elapsed)
  return due < 0 ? earliestEnd(streams, () => true) : due
}

function earliestEnd(streams: readonly Stream[], isOpen: (stream: Stream) => boolean): number {
  let [best, bestEnd, bestWeight] = [-1, Infinity, 1]
  for (let index = 0; index < streams.length; index += 1) {
    const stream = streams[index]!
    const end = stream.played + stream.nextMs
    if (end * bestWeight < bestEnd * stream.weight && isOpen(stream)) {
      best = index
      bestEnd = end
      bestWeight = stream.weight
    }
  }
  return best
}

/** Returns the index of the last value that is not after `limit`, in ascending values. */
function lastNotAfter(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (values[middle]! <= limit) low = middle
    else high = middle - 1
  }
  return low
}
