import { divideTimeBetweenPrograms } from '../choose.ts'
import { formatDate, parseDay } from '../dates.ts'
import { INSERT_MODE, type Manifest, type ManifestProgram } from '../manifest.ts'
import type { CompiledProgram } from '../program.ts'
import { runSteps, type Steps } from '../steps.ts'
import { type Timeline, buildTimeline } from '../timeline.ts'
import type { Segment } from '../choose.ts'

/** Screens that share one manifest. */
export interface ScreenSet {
  readonly manifest: Manifest
  readonly screens: number
}

export interface ForecastInput {
  readonly programId: number
  readonly sets: readonly ScreenSet[]
  /** Plays that begin from this instant on are counted. */
  readonly from: number
  /** Booked plays of all screens together. */
  readonly booked: number
  /** Plays that are reported already. */
  readonly played: number
  /** Played share of the planned plays in the past, in thousandths. */
  readonly availability: number
}

export interface Forecast {
  /** Played plus planned plays times availability. */
  readonly expected: number
  /** Number of booked plays that are still missing after the last date of the program. */
  readonly gap: number
  /**
   * Smallest share, extension in days and number of further screens that fill the gap. Null when no value fills the
   * gap, or when there is no gap.
   */
  readonly share: number | null
  readonly days: number | null
  readonly screens: number | null
  readonly texts: readonly string[]
}

const MAX_EXTENSION_DAYS = 366
/** Maximum number of days that a forecast plans, from today on. Later plays of a program are not counted. */
export const MAX_FORECAST_DAYS = 3660
const THOUSAND = 1000

/**
 * Returns the planned plays of a program for each local day, beginning with the day of `from`. Plays before `from` are
 * not counted. Segments with equal items and lengths are computed once, so they share the random order of the first.
 */
export function countPlannedPlays(manifest: Manifest, programId: number, from: number, days: number): number[] {
  return runSteps(iteratePlannedPlays(manifest, programId, from, days))
}

/** Generator version of `countPlannedPlays`: yields after each day. */
function* iteratePlannedPlays(manifest: Manifest, programId: number, from: number, days: number): Steps<number[]> {
  const timeline = buildTimeline(manifest)
  const first = timeline.zone.dayAt(from)
  const counts = new Map<string, number>()
  const plays: number[] = []
  for (let at = 0; at < days; at += 1) {
    plays.push(playsOn(timeline, programId, first + at, from, counts))
    yield
  }
  return plays
}

function playsOn(timeline: Timeline, programId: number, day: number, from: number, counts: Map<string, number>) {
  const start = timeline.zone.startOf(day, 0)
  let plays = 0
  for (const segment of timeline.segmentsOn(day)) {
    const stream = segment.choice.streams.findIndex(({ program }) => program.id === programId)
    if (stream < 0 || segment.end <= from) continue
    // The run of a `once` program that began before midnight touches both days.
    const notBefore = Math.max(from, start)
    if (segment.start < notBefore || segment.choice.run) {
      plays += countPlays(timeline, segment, stream, notBefore, timeline.zone.startOf(day + 1, 0))
      continue
    }
    const key = shapeKey(segment)
    const known = counts.get(key) ?? countPlays(timeline, segment, stream, segment.start, segment.end)
    counts.set(key, known)
    plays += known
  }
  return plays
}

function countPlays(timeline: Timeline, segment: Segment, stream: number, from: number, to: number): number {
  const loop = timeline.loopOf(segment)
  const last = loop.indexAt(Math.min(to, segment.end) - segment.start - 1)
  let plays = 0
  for (let index = loop.indexAt(Math.max(0, from - segment.start)); index <= last; index += 1) {
    const slot = loop.slotAt(index)
    if (slot.stream === stream && segment.start + slot.position >= from) plays += 1
  }
  return plays
}

const shapeKey = ({ start, end, choice }: Segment) => {
  const streams = choice.streams.map(({ program, items, weight }) => {
    return `${program.id}*${weight}:${items.map(({ item }) => item.id).join()}`
  })
  return `${end - start} ${streams.join(' ')}`
}

/** Forecasts the plays of a booking until the last date of its program. Returns the changes that would fill a gap. */
export function forecastPlays(input: ForecastInput): Forecast {
  return runSteps(iterateForecast(input))
}

/** Generator version of `forecastPlays`: yields after each planned day, so that a server can run other work. */
export function* iterateForecast(input: ForecastInput): Steps<Forecast> {
  const { sets, booked, played } = input
  const planned = yield* expectedOf(input, (program) => program)
  const expected = played + Math.floor(planned / THOUSAND)
  const gap = Math.max(0, booked - expected)
  if (gap === 0) return { expected, gap, share: null, days: null, screens: null, texts: [] }
  const share = yield* smallestShare(input)
  const days = yield* smallestExtension(input, planned)
  const total = sets.reduce((sum, set) => sum + set.screens, 0)
  const ofOneScreen = Math.floor(planned / Math.max(1, total))
  const screens = ofOneScreen > 0 ? Math.ceil(((booked - played) * THOUSAND - planned) / ofOneScreen) : null
  const texts = [
    share === null ? '' : `提高份额到 ${share}%`,
    days === null ? '' : `延长 ${days} 天`,
    screens === null ? '' : `增加 ${screens} 块屏幕`,
  ].filter((text) => text !== '')
  return { expected, gap, share, days, screens, texts }
}

const programOf = (manifest: Manifest, id: number) => manifest.programs.find((program) => program.id === id)

const withProgram = (
  manifest: Manifest,
  id: number,
  change: (program: ManifestProgram) => ManifestProgram,
): Manifest => ({
  ...manifest,
  programs: manifest.programs.map((program) => (program.id === id ? change(program) : program)),
})

/** Returns the expected plays on all screens until the last date, in thousandths of a play. */
function* expectedOf(input: ForecastInput, change: (program: ManifestProgram) => ManifestProgram): Steps<number> {
  let plays = 0
  for (const { manifest, screens } of input.sets) {
    const changed = withProgram(manifest, input.programId, change)
    const days = daysLeft(changed, input)
    for (const count of yield* iteratePlannedPlays(changed, input.programId, input.from, days)) plays += count * screens
  }
  return plays * input.availability
}

/** Returns the number of days to plan. Includes the day after the last date, because a daypart can pass midnight. */
function daysLeft(manifest: Manifest, { programId, from }: ForecastInput): number {
  const timeline = buildTimeline(manifest)
  const compiled = timeline.programs.find(({ program }) => program.id === programId)
  if (!compiled) return 0
  return Math.min(MAX_FORECAST_DAYS, Math.max(0, compiled.lastDay + 2 - timeline.zone.dayAt(from)))
}

/** Searches the smallest share above the current share that fills the gap. The plays increase with the share. */
function* smallestShare(input: ForecastInput): Steps<number | null> {
  const { programId, sets, booked, played } = input
  const program = sets.map(({ manifest }) => programOf(manifest, programId)).find((each) => each)
  if (!program || program.insertMode !== INSERT_MODE.normal || program.fallback > 0) return null
  const fills = function* (share: number): Steps<boolean> {
    return (yield* expectedOf(input, (each) => ({ ...each, share }))) >= (booked - played) * THOUSAND
  }
  let low = program.share ?? 0
  let high = 100
  for (const { manifest } of sets) high = Math.min(high, 100 - (yield* otherShares(manifest, input)))
  if (high <= low || !(yield* fills(high))) return null
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (yield* fills(middle)) high = middle
    else low = middle
  }
  return high
}

/** Returns the largest sum of the shares of other programs while the program is due. */
function* otherShares(manifest: Manifest, input: ForecastInput): Steps<number> {
  const timeline = buildTimeline(manifest)
  const isOwn = ({ program }: CompiledProgram) => program.id === input.programId
  const first = timeline.zone.dayAt(input.from)
  const end = first + daysLeft(manifest, input)
  let largest = 0
  for (let day = first; day < end; day += 1) {
    yield
    for (const { due } of timeline.spansOn(day)) {
      if (!due.some(({ compiled }) => isOwn(compiled))) continue
      const { total } = divideTimeBetweenPrograms(due.filter(({ compiled }) => !isOwn(compiled)))
      largest = Math.max(largest, total)
    }
  }
  return largest
}

/** Searches the smallest number of days after the last date that fills the gap; null when 366 days do not suffice. */
function* smallestExtension(input: ForecastInput, planned: number): Steps<number | null> {
  const { programId, sets, from, booked, played, availability } = input
  const added = []
  for (const { manifest, screens } of sets) {
    const left = daysLeft(manifest, input)
    const longer = withProgram(manifest, programId, (program) => ({
      ...program,
      dateTo: addDays(program.dateTo, MAX_EXTENSION_DAYS),
    }))
    const before = yield* iteratePlannedPlays(manifest, programId, from, left)
    const after = yield* iteratePlannedPlays(longer, programId, from, left + MAX_EXTENSION_DAYS)
    added.push({ screens, before, after, left })
  }
  let total = planned
  for (let days = 1; days <= MAX_EXTENSION_DAYS; days += 1) {
    for (const { screens, before, after, left } of added) {
      const at = left - 2 + days
      total += ((after[at] ?? 0) - (before[at] ?? 0)) * screens * availability
    }
    if (total >= (booked - played) * THOUSAND) return yield* withLastNight(input, days)
  }
  return null
}

/**
 * Returns `days - 1` when an extension by `days - 1` already fills the gap with its plays after midnight of the last
 * date. Returns `days` otherwise.
 */
function* withLastNight(input: ForecastInput, days: number): Steps<number> {
  const missing = (input.booked - input.played) * THOUSAND
  const shorter = (program: ManifestProgram) => ({ ...program, dateTo: addDays(program.dateTo, days - 1) })
  return days > 1 && (yield* expectedOf(input, shorter)) >= missing ? days - 1 : days
}

const addDays = (date: string, days: number) => formatDate(parseDay(date) + days)
