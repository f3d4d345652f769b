import type { ManifestItem, ManifestProgram } from '../manifest.ts'

/** `[start, ms, programId, itemId, cycle, slot]`; a hold has item 0, the idle picture program 0 and item 0. */
export type Row = readonly [number, number, number, number, number, number]

export interface SlowStream {
  program: ManifestProgram
  items: ManifestItem[]
  weight: number
}

const HOUR = 3_600_000

function fnv(text: string) {
  let hash = 2166136261n
  for (const char of text) hash = ((hash ^ BigInt(char.charCodeAt(0))) * 16777619n) & 0xffffffffn
  return hash
}

export function shuffleValues<T>(values: T[], seed: string): T[] {
  const result = values.slice()
  let state = fnv(seed) || 1n
  for (let last = result.length - 1; last >= 1; last -= 1) {
    state = (state ^ (state << 13n)) & 0xffffffffn
    state = state ^ (state >> 17n)
    state = (state ^ (state << 5n)) & 0xffffffffn
    const at = Number(state % BigInt(last + 1))
    ;[result[last], result[at]] = [result[at]!, result[last]!]
  }
  return result
}

/** Adds one pass to the list of the items that a stream plays in turn. */
function addPass({ program, items }: SlowStream, date: string, list: ManifestItem[]) {
  const seed = `${program.id}:${program.verNo}:${date}:${list.length / items.length}`
  const order = program.playMode === 3 ? shuffleValues(items, seed) : items.slice()
  const last = list[list.length - 1]
  if (program.playMode === 3 && last && order[0]!.adId === last.adId) {
    const other = order.findIndex(({ adId }) => adId !== last.adId)
    if (other > 0) [order[0], order[other]] = [order[other]!, order[0]!]
  }
  list.push(...order)
}

/** Plays the streams of one segment. */
export function buildLoopRows(streams: SlowStream[], start: number, end: number, date: string): Row[] {
  const rows: Row[] = []
  const states = streams.map((stream) => ({
    ...stream,
    list: [] as ManifestItem[],
    at: 0,
    played: 0,
    counts: new Map<ManifestItem, number>(),
    inCycle: new Map<ManifestItem, number>(),
  }))
  let [clock, cycle, slot, cycleStart, elapsed] = [start, 0, 0, start, 0]
  const isAllowed = (state: (typeof states)[number], item: ManifestItem, at: number) =>
    item.maxPlaysPerHour === 0 || (at - cycleStart) * item.maxPlaysPerHour >= (state.inCycle.get(item) ?? 0) * HOUR
  const total = (items: ManifestItem[]) => items.reduce((sum, { ms }) => sum + ms, 0)
  const candidate = (state: (typeof states)[number]): { items: ManifestItem[]; at: number } | null => {
    const { program, items, list, counts } = state
    const fits = (item: ManifestItem) => clock + item.ms <= end && isAllowed(state, item, clock)
    if (program.playMode === 2) {
      const block: ManifestItem[] = []
      for (const item of items) if (isAllowed(state, item, clock + total(block))) block.push(item)
      return block.length > 0 && clock + total(block) <= end ? { items: block, at: 0 } : null
    }
    if (program.playMode === 4) {
      const sum = items.reduce((all, { weight }) => all + weight, 0)
      const plays = [...counts.values()].reduce((all, count) => all + count, 0)
      const open = items.filter(fits)
      const due = open.filter((item) => (counts.get(item) ?? 0) * sum <= item.weight * plays)
      const ratio = (item: ManifestItem) => ((counts.get(item) ?? 0) + 1) / item.weight
      const sorted = (due.length > 0 ? due : open)
        .slice()
        .sort((a, b) => ratio(a) - ratio(b) || items.indexOf(a) - items.indexOf(b))
      return sorted[0] ? { items: [sorted[0]], at: 0 } : null
    }
    while (list.length < state.at + items.length) addPass(state, date, list)
    // Tests each position once, also those that belong to the next pass.
    for (let at = state.at; at < state.at + items.length; at += 1)
      if (fits(list[at]!)) return { items: [list[at]!], at: at + 1 }
    return null
  }
  while (clock < end) {
    if (clock - cycleStart >= HOUR) {
      ;[cycle, slot, cycleStart] = [cycle + 1, 0, clock]
      for (const state of states) state.inCycle.clear()
    }
    const open = states.map((state) => ({ state, next: candidate(state) })).filter(({ next }) => next !== null)
    const sum = states.reduce((all, { weight }) => all + weight, 0)
    const due = open.filter(({ state }) => state.played * sum <= state.weight * elapsed)
    const pool = (due.length > 0 ? due : open).slice()
    pool.sort((a, b) => {
      const left = BigInt(a.state.played + total(a.next!.items)) * BigInt(b.state.weight)
      const right = BigInt(b.state.played + total(b.next!.items)) * BigInt(a.state.weight)
      return left < right ? -1 : left > right ? 1 : 0
    })
    const first = pool[0]
    if (!first) {
      const from = clock
      do clock += 1000
      while (clock < end && clock - cycleStart < HOUR && states.every((state) => candidate(state) === null))
      rows.push([from, clock - from, 0, 0, cycle, slot])
      slot += 1
      continue
    }
    const { state, next } = first
    for (const item of next!.items) {
      rows.push([clock, item.ms, state.program.id, item.id, cycle, slot])
      slot += 1
      clock += item.ms
      state.counts.set(item, (state.counts.get(item) ?? 0) + 1)
      state.inCycle.set(item, (state.inCycle.get(item) ?? 0) + 1)
    }
    state.at = next!.at
    state.played += total(next!.items)
    elapsed += total(next!.items)
  }
  return rows
}
