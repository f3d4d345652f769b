import { hash } from 'node:crypto'
import { PLAY_CLOCK, PLAY_RESULT, type PlayReport } from '@oms/contract/advertise/device-calls.ts'
import { XMLParser } from 'fast-xml-parser'
import { parseLocalTime } from '#core/time/zone.ts'

export const MAX_LOG_BYTES = 1024 * 1024
export const MAX_LOG_PLAYS = 5000
/** Smallest share of the planned time that makes a play complete. */
const COMPLETE = 0.95
const CONTENT_ID = /^(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,9})$/

/** Thrown when the log cannot be parsed. */
export class InvalidLogError extends Error {
  override readonly name = 'InvalidLogError'
}

export interface LoggedPlay {
  readonly contentId: string
  readonly startTime: string
  readonly endTime: string
}

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  processEntities: false,
  parseTagValue: false,
})

/** Returns the plays of a log of garlic-player or IAdea. Elements are found by their local names. */
export function readSmilLog(xml: string): LoggedPlay[] {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new InvalidLogError('a document type is not allowed')
  const root = parseXml(xml) ?? parseXml(cutAfterLastPlay(xml))
  if (root === undefined) throw new InvalidLogError('the body is not XML')
  const found: LoggedPlay[] = []
  collect(root, found, 0)
  return found
}

function parseXml(xml: string | undefined): unknown {
  try {
    return xml === undefined ? undefined : parser.parse(xml)
  } catch {
    return undefined
  }
}

/**
 * Returns a log without what follows its last whole play. A player that lost power while it wrote a log sends the same
 * log until it is accepted.
 */
const cutAfterLastPlay = (xml: string) => /^[\s\S]*<\/(?:[\w.-]+:)?contentPlayed\s*>/.exec(xml)?.[0]

const MAX_DEPTH = 20
const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

function collect(node: unknown, found: LoggedPlay[], depth: number) {
  if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'contentPlayed') {
      for (const each of [value].flat() as unknown[]) collect(each, found, depth + 1)
      continue
    }
    for (const each of [value].flat() as Record<string, unknown>[]) {
      if (found.length >= MAX_LOG_PLAYS) throw new InvalidLogError(`at most ${MAX_LOG_PLAYS} plays`)
      const { contentId, startTime, endTime } = each ?? {}
      found.push({ contentId: textOf(contentId), startTime: textOf(startTime), endTime: textOf(endTime) })
    }
  }
}

interface Facts {
  readonly deviceId: number
  readonly zone: string
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
  { deviceId, zone, plannedOf }: Facts,
): ({ readonly reportId: string } & Partial<PlayReport>)[] {
  const equal = new Map<string, number>()
  return plays.map(({ contentId, startTime, endTime }) => {
    const key = `${deviceId} ${contentId} ${startTime}`
    const number = (equal.get(key) ?? 0) + 1
    equal.set(key, number)
    const reportId = uuidOf(hash('sha256', `${key} ${number}`))
    const ids = parseContentIds(contentId)
    if (!ids) return { reportId }
    const [start, end] = [timeOf(startTime, zone), timeOf(endTime, zone)]
    const planned = plannedOf(ids) ?? 0
    // A player shows the last picture longer than planned when nothing else fits.
    const ms = Math.min(end - start, planned)
    const result = ms >= planned * COMPLETE ? PLAY_RESULT.complete : PLAY_RESULT.partial
    return { reportId, ...ids, start, ms, planned, result, clock: PLAY_CLOCK.stale, count: 1 }
  })
}

/** Returns the instant of `2026-11-22T20:33:47Z`, or of a local time of the screen. */
function timeOf(text: string, zone: string): number {
  if (/(?:Z|[+-]\d{2}:?\d{2})$/.test(text)) return Date.parse(text)
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text) ? parseLocalTime(text.replace('T', ' '), zone) : Number.NaN
}

const uuidOf = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
