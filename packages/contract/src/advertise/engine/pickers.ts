import { type PlayCaps, createCaps } from './caps.ts'
import { formatDate } from './dates.ts'
import { type ManifestProgram, PLAY_MODE } from './manifest.ts'
import type { PlayableItem } from './program.ts'
import { shuffle } from './random.ts'

/** The next play of a stream. `indexes` has several entries only in block mode. */
export interface Candidate {
  readonly indexes: readonly number[]
  readonly ms: number
}

/** Selects the next item of one stream by its play mode. Positions count from the start of the segment. */
export interface ItemPicker {
  /** Returns the next play that starts at `position` and ends within `remaining` ms, or null. */
  peek(position: number, remaining: number): Candidate | null
  /** First position at which a cap that `peek` met permits another play; Infinity without such a cap. */
  readonly wakeAt: number
  /** Records that the last result of `peek` plays. */
  take(): void
  startCycle(position: number): void
}

/** Tests single items: an item that does not fit or that its cap does not permit is skipped. */
interface Gate {
  wakeAt: number
  accepts(index: number, position: number, remaining: number): boolean
}

export function createPicker(program: ManifestProgram, items: readonly PlayableItem[], day: number): ItemPicker {
  const caps = createCaps(items)
  if (program.playMode === PLAY_MODE.block) return createBlockPicker(items, caps)
  const singles = items.map(({ item }, index): Candidate => ({ indexes: [index], ms: item.ms }))
  if (program.playMode === PLAY_MODE.weighted) return createWeightedPicker(items, singles, caps)
  if (program.playMode !== PLAY_MODE.random) return createOrderedPicker(singles, caps, () => singles.map((_, at) => at))
  const seed = `${program.id}:${program.verNo}:${formatDate(day)}`
  return createOrderedPicker(singles, caps, (pass, lastIndex) => shuffledPass(items, `${seed}:${pass}`, lastIndex))
}

function createGate(singles: readonly Candidate[], caps: PlayCaps): Gate {
  const gate: Gate = {
    wakeAt: Infinity,
    accepts(index, position, remaining) {
      if (singles[index]!.ms > remaining) return false
      const allowedFrom = caps.allowedFrom(index)
      if (allowedFrom <= position) return true
      gate.wakeAt = Math.min(gate.wakeAt, allowedFrom)
      return false
    },
  }
  return gate
}

/** Returns a permutation whose first ad is not the last ad of the pass before, where the ads permit this. */
function shuffledPass(items: readonly PlayableItem[], seed: string, lastIndex: number | undefined): number[] {
  const indexes = shuffle([...items.keys()], seed)
  const adOf = (index: number) => items[index]!.item.adId
  if (lastIndex === undefined || adOf(indexes[0]!) !== adOf(lastIndex)) return indexes
  const other = indexes.findIndex((index) => adOf(index) !== adOf(lastIndex))
  if (other > 0) [indexes[0], indexes[other]] = [indexes[other]!, indexes[0]!]
  return indexes
}

/** Repeats passes over all items. `orderOf` returns the indexes of a pass, given the last index of the pass before. */
function createOrderedPicker(
  singles: readonly Candidate[],
  caps: PlayCaps,
  orderOf: (pass: number, lastIndex?: number) => number[],
): ItemPicker {
  const gate = createGate(singles, caps)
  const count = singles.length
  let pass = 0
  let order = orderOf(0)
  let following = orderOf(1, order[count - 1])
  let at = 0
  let picked = 0
  const indexAt = (step: number) => (step < count ? order[step]! : following[step - count]!)
  return {
    get wakeAt() {
      return gate.wakeAt
    },
    peek(position, remaining) {
      gate.wakeAt = Infinity
      for (picked = at; picked < at + count; picked += 1)
        if (gate.accepts(indexAt(picked), position, remaining)) return singles[indexAt(picked)]!
      return null
    },
    take() {
      caps.count(indexAt(picked))
      at = picked + 1
      if (at < count) return
      at -= count
      pass += 1
      order = following
      following = orderOf(pass + 1, order[count - 1])
    },
    startCycle: caps.startCycle,
  }
}

/** Divides the number of plays by weight, by the rule that divides time between streams. */
function createWeightedPicker(
  items: readonly PlayableItem[],
  singles: readonly Candidate[],
  caps: PlayCaps,
): ItemPicker {
  const gate = createGate(singles, caps)
  const weights = items.map(({ item }) => item.weight)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const plays = weights.map(() => 0)
  let total = 0
  let picked = 0
  const isBefore = (a: number, b: number) => (plays[a]! + 1) * weights[b]! < (plays[b]! + 1) * weights[a]!
  return {
    get wakeAt() {
      return gate.wakeAt
    },
    peek(position, remaining) {
      gate.wakeAt = Infinity
      let [due, any] = [-1, -1]
      for (let index = 0; index < weights.length; index += 1) {
        if (!gate.accepts(index, position, remaining)) continue
        if (any < 0 || isBefore(index, any)) any = index
        const isDue = plays[index]! * sum <= weights[index]! * total
        if (isDue && (due < 0 || isBefore(index, due))) due = index
      }
      picked = due < 0 ? any : due
      return singles[picked] ?? null
    },
    take() {
      caps.count(picked)
      plays[picked]! += 1
      total += 1
    },
    startCycle: caps.startCycle,
  }
}

/** Plays the whole program as one item. Skips items whose cap forbids a play at the time of their start. */
function createBlockPicker(items: readonly PlayableItem[], caps: PlayCaps): ItemPicker {
  let picked: number[] = []
  let wakeAt = Infinity
  return {
    get wakeAt() {
      return wakeAt
    },
    peek(position, remaining) {
      picked = []
      wakeAt = Infinity
      let ms = 0
      for (const [index, { item }] of items.entries()) {
        const allowedFrom = caps.allowedFrom(index)
        if (allowedFrom > position + ms) {
          wakeAt = Math.min(wakeAt, allowedFrom - ms)
          continue
        }
        picked.push(index)
        ms += item.ms
      }
      return picked.length > 0 && ms <= remaining ? { indexes: picked, ms } : null
    },
    take() {
      for (const index of picked) caps.count(index)
    },
    startCycle: caps.startCycle,
  }
}
