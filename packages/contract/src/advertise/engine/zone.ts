import { DAY_MS, MINUTE_MS } from './dates.ts'

/** Converts between instants and the wall time of one IANA zone. */
export interface Zone {
  readonly name: string
  /** Returns wall time minus UTC in milliseconds. */
  offsetAt(instant: number): number
  /**
   * Returns the instant of a wall time that starts an interval: its first occurrence, or the next instant that exists.
   */
  startOf(day: number, minute: number): number
  /** Returns the instant of a wall time that ends an interval: its last occurrence, or the next instant that exists. */
  endOf(day: number, minute: number): number
  /** Returns the last day whose first midnight is not after the instant. */
  dayAt(instant: number): number
  /** True when no clock changes from the day before to the day after. */
  isRegular(day: number): boolean
}

/** A span of constant offset. */
interface Piece {
  readonly from: number
  readonly to: number
  readonly offset: number
}

/** Largest difference between wall time and UTC. */
const MAX_OFFSET = 16 * 60 * MINUTE_MS
/** Maximum number of cached days of one zone. */
const MAX_CACHED = 4096
const zones = new Map<string, Zone>()

/** Returns the zone of an IANA name. Throws a RangeError when the name is unknown. */
export function loadZone(name: string): Zone {
  const known = zones.get(name)
  if (known) return known
  const zone = createZone(name)
  if (zones.size > 64) zones.clear()
  zones.set(name, zone)
  return zone
}

function createZone(name: string): Zone {
  const piecesOn = cachedPieces(offsetReader(name))
  const constantOffset = memoize((day: number) => {
    const [first, ...others] = piecesIn(piecesOn, day * DAY_MS - MAX_OFFSET, (day + 2) * DAY_MS + MAX_OFFSET)
    return others.length === 0 ? (first?.offset ?? 0) : null
  })
  const resolve = (day: number, minute: number, isEnd: boolean) => {
    const wall = day * DAY_MS + minute * MINUTE_MS
    const offset = constantOffset(day)
    if (offset !== null) return wall - offset
    return resolveWall(piecesIn(piecesOn, wall - MAX_OFFSET, wall + MAX_OFFSET), wall, isEnd)
  }
  const startOf = (day: number, minute: number) => resolve(day, minute, false)
  const offsetAt = (instant: number) => {
    for (const piece of piecesOn(Math.floor(instant / DAY_MS))) if (instant < piece.to) return piece.offset
    return 0
  }
  const dayAt = (instant: number) => {
    let day = Math.floor((instant + offsetAt(instant)) / DAY_MS)
    while (startOf(day, 0) > instant) day -= 1
    while (startOf(day + 1, 0) <= instant) day += 1
    return day
  }
  const endOf = (day: number, minute: number) => resolve(day, minute, true)
  const isRegular = (day: number) => constantOffset(day - 1) !== null && constantOffset(day) !== null
  return { name, offsetAt, startOf, endOf, dayAt, isRegular }
}

/**
 * Returns the first or last instant with a wall time. When clocks jump over the wall time, returns the instant of the
 * jump.
 */
function resolveWall(pieces: readonly Piece[], wall: number, isEnd: boolean): number {
  const instants = pieces
    .map(({ from, to, offset }) => ({ instant: wall - offset, from, to }))
    .filter(({ instant, from, to }) => from <= instant && instant < to)
    .map(({ instant }) => instant)
  if (instants.length > 0) return isEnd ? Math.max(...instants) : Math.min(...instants)
  for (let at = 1; at < pieces.length; at += 1) {
    const [before, after] = [pieces[at - 1]!, pieces[at]!]
    if (after.from + before.offset <= wall && wall < after.from + after.offset) return after.from
  }
  return wall - (pieces[0]?.offset ?? 0)
}

/** Returns the spans of constant offset that touch an interval, at least one. */
function piecesIn(piecesOn: (utcDay: number) => readonly Piece[], from: number, to: number): Piece[] {
  const found: Piece[] = []
  for (let utcDay = Math.floor(from / DAY_MS); utcDay * DAY_MS < to; utcDay += 1) {
    for (const piece of piecesOn(utcDay)) {
      const last = found[found.length - 1]
      if (last?.offset === piece.offset) found[found.length - 1] = { ...last, to: piece.to }
      else found.push(piece)
    }
  }
  return found
}

/** Splits a UTC day at the change of the offset. A zone changes its offset at most once a day, at a whole second. */
function cachedPieces(readOffset: (instant: number) => number) {
  const atMidnight = memoize((utcDay: number) => readOffset(utcDay * DAY_MS))
  return memoize((utcDay: number): readonly Piece[] => {
    const [from, to] = [utcDay * DAY_MS, (utcDay + 1) * DAY_MS]
    const [first, last] = [atMidnight(utcDay), atMidnight(utcDay + 1)]
    if (first === last) return [{ from, to, offset: first }]
    let [low, high] = [from, to]
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000
      if (readOffset(middle) === first) low = middle
      else high = middle
    }
    const before = { from, to: high, offset: first }
    return high === to ? [before] : [before, { from: high, to, offset: last }]
  })
}

/** Reads offsets from the formatted wall time: engines before 2021 cannot format the offset itself. */
function offsetReader(timeZone: string) {
  const number = 'numeric'
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: number,
    month: number,
    day: number,
    hour: number,
    minute: number,
    second: number,
  })
  return (instant: number) => {
    const parts: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    // Some engines write midnight as 24.
    return Date.UTC(year, month - 1, day, hour % 24, minute, second) - Math.floor(instant / 1000) * 1000
  }
}

function memoize<T>(compute: (key: number) => T) {
  const cache = new Map<number, T>()
  return (key: number): T => {
    if (cache.has(key)) return cache.get(key) as T
    const value = compute(key)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, value)
    return value
  }
}
