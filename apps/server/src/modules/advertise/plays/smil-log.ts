import { hash } from 'node:crypto'
import { PLAY_CLOCK, PLAY_RESULT, type PlayReport } from '@oms/contract/advertise/device-calls.ts'
import { createLocalTimeReader } from '#core/time/zone.ts'
import { CLOCK_TOLERANCE_MS, COMPLETE_SHARE } from './play-row.ts'

/** garlic-player begins a new log at 1 MiB and adds line ends when it sends the log. */
export const MAX_LOG_BYTES = 1.25 * 1024 * 1024
/** A log of 1.25 MiB has at most 9,000 plays of garlic-player. */
export const MAX_LOG_PLAYS = 10_000
const CONTENT_ID = /^(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,9})$/

/** Thrown when the log has too many plays. */
export class InvalidLogError extends Error {
  override readonly name = 'InvalidLogError'
}

export interface LoggedPlay {
  readonly contentId: string
  readonly startTime: string
  readonly endTime: string
}

/** A start tag, an end tag and the text after the tag. Tag names may have an XML namespace prefix. */
const TAG = /<(\/?)(?:[\w.-]+:)?(contentPlayed|contentId|startTime|endTime)(?:\s[^<>]*)?>([^<]*)/g
const FIRST_TAG = /^\ufeff?\s*(?:<\?[^<>]*>\s*)*<((?:[\w.-]+:)?report)(?:\s[^<>]*)?>/
const LAST_TAG = /<\/([\w.:-]+)\s*>\s*$/
const MAX_TAG = 1000

/**
 * Returns the plays of a log of garlic-player or IAdea. Scans the text once instead of parsing XML, because parsing an
 * untrusted text of 1 MiB would block the process for a second. `isWhole` is false for a truncated log and for a body
 * that is not a log.
 */
export function readSmilLog(xml: string): { plays: LoggedPlay[]; isWhole: boolean } {
  const plays: LoggedPlay[] = []
  let play: Record<string, string> | undefined
  for (const [, slash, name = '', text = ''] of xml.matchAll(TAG)) {
    if (name !== 'contentPlayed') {
      if (play && !slash) play[name] = text.trim()
      continue
    }
    if (plays.length >= MAX_LOG_PLAYS) throw new InvalidLogError(`at most ${MAX_LOG_PLAYS} plays`)
    const { contentId = '', startTime = '', endTime = '' } = play ?? {}
    if (slash && play) plays.push({ contentId, startTime, endTime })
    play = slash ? undefined : {}
  }
  const root = FIRST_TAG.exec(xml.slice(0, MAX_TAG))?.[1]
  return { plays, isWhole: root !== undefined && LAST_TAG.exec(xml.slice(-MAX_TAG))?.[1] === root }
}

interface Facts {
  readonly deviceId: number
  readonly zone: string
  readonly now: number
  /** Returns the planned milliseconds of an item; undefined for an unknown item. */
  readonly plannedOf: (ids: NonNullable<ReturnType<typeof parseContentIds>>) => number | undefined
}

/** Returns the ids in a `logContentId`; undefined for content that this server did not deliver. */
export function parseContentIds(contentId: string) {
  const match = CONTENT_ID.exec(contentId)
  if (!match) return undefined
  const [programId = 0, ver = 0, itemId = 0, adId = 0, adVer = 0] = match.slice(1).map(Number)
  return { programId, ver, itemId, adId, adVer }
}

/**
 * Returns the plays as reports. A player repeats a log under another name when the response was lost. The id of a
 * report is therefore made of its content: device, item, start, and its number among equal plays of that second.
 */
export function toPlayReports(
  plays: readonly LoggedPlay[],
  { deviceId, zone, now, plannedOf }: Facts,
): ({ readonly reportId: string } & Partial<PlayReport>)[] {
  const equal = new Map<string, number>()
  const times = resolveTimes(plays, zone, now)
  return plays.map(({ contentId, startTime }, at) => {
    const key = `${deviceId} ${contentId} ${startTime}`
    const number = (equal.get(key) ?? 0) + 1
    equal.set(key, number)
    const reportId = uuidOf(hash('sha256', `${key} ${number}`))
    const ids = parseContentIds(contentId)
    if (!ids) return { reportId }
    const { start, end } = times[at]!
    const planned = plannedOf(ids) ?? 0
    // A player shows the last picture longer than planned when nothing else fits.
    const ms = Math.min(end - start, planned)
    const result = ms >= planned * COMPLETE_SHARE ? PLAY_RESULT.complete : PLAY_RESULT.partial
    return { reportId, ...ids, start, ms, planned, result, clock: PLAY_CLOCK.stale, count: 1 }
  })
}

/**
 * Returns start and end of each play. At the end of daylight saving time, a local time of the repeated hour stands for
 * two instants. Plays are logged in order, so the latest instant that is not after the next play is used.
 */
function resolveTimes(plays: readonly LoggedPlay[], zone: string, now: number) {
  const readInstants = createInstantReader(zone, now)
  let next = now + CLOCK_TOLERANCE_MS
  const latest = (text: string) => {
    const instants = readInstants(text)
    next = instants.findLast((at) => at <= next) ?? instants.at(-1) ?? next
    return instants.length > 0 ? next : Number.NaN
  }
  const times = plays.toReversed().map(({ startTime, endTime }) => {
    const end = latest(endTime)
    return { end, start: latest(startTime) }
  })
  return times.reverse()
}

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/
/**
 * Maximum distance of a local time from now, longer than the retention of plays. Other local times are not converted,
 * because each additional day costs CPU time.
 */
const KNOWN_MS = 2 * 366 * 86_400_000

/** Returns the instants of a time such as `2026-11-22T20:33:47Z`, or of a local time of the screen. */
function createInstantReader(zone: string, now: number) {
  const readLocalTime = createLocalTimeReader(zone)
  return (text: string): number[] => {
    const [, day, clock, fraction = '', offset] = TIME.exec(text) ?? []
    const asUtc = Date.parse(`${day}T${clock}${offset ?? 'Z'}`)
    const ms = Number(fraction.padEnd(3, '0').slice(0, 3))
    if (Number.isNaN(asUtc)) return []
    if (offset !== undefined) return [asUtc + ms]
    return Math.abs(asUtc - now) > KNOWN_MS ? [] : readLocalTime(asUtc).map((at) => at + ms)
  }
}

const uuidOf = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
