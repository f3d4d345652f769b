import { sanitizeDeviceText, badRequest } from '#modules/device/wire/response.ts'
import { SEGMENT_FORMAT, type SegmentFormat, SEGMENT_KIND, findSegmentKind } from '../video/segment.ts'

const MAX_SEGMENTS = 20
const MAX_TROUBLES = 64
const MIB = 1024 * 1024
const MAX_INT = 2_147_483_647
/** 9999-12-31 in milliseconds. */
const MAX_MS = 253_402_214_400_000

/** Smallest initialisation section: two boxes without content. */
const MIN_INIT_BYTES = 16
const MAX_INIT_BYTES = 16_777_215

/** A recording that a camera announces. */
export interface AnnouncedSegment {
  readonly startMs: number
  readonly durationMs: number
  readonly bytes: number
  readonly format: SegmentFormat
  readonly session: number
  readonly seq: number
  readonly initBytes: number
  readonly eventNo: number
  readonly eventType: number
  /** True for the last segment of a session, which may be short. */
  readonly isFinal: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** Returns a whole number between two limits; `fallback` when absent. */
function integer(
  fields: Fields,
  name: string,
  place: string,
  [min, max]: readonly [number, number],
  fallback?: number,
) {
  const value = fields[name]
  if ((value === undefined || value === null) && fallback !== undefined) return fallback
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw badRequest(`${place}${name} must be a whole number from ${min} to ${max}`)
  return value
}

function boolean(fields: Fields, name: string, place: string) {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean') throw badRequest(`${place}${name} must be true or false`)
  return value
}

/** Returns an element of a list as an object. */
export const requireObject = (value: unknown, what: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest(`${what} must be an object`)
  return value as Fields
}

export const readChannel = (body: Fields, place = '') => integer(body, 'channel', place, [0, 63], 0)

/** Returns the length of the initialisation section. Every file of fragmented MP4 has one, other formats have none. */
function initBytesOf(fields: Fields, place: string, format: SegmentFormat, bytes: number) {
  if (format === SEGMENT_FORMAT.fmp4)
    return integer(fields, 'initBytes', place, [MIN_INIT_BYTES, Math.min(bytes - 1, MAX_INIT_BYTES)])
  if (fields.initBytes !== undefined && fields.initBytes !== null && fields.initBytes !== 0)
    throw badRequest(`${place}initBytes is for fmp4 only`)
  return 0
}

/** Returns the segments of a permit's body. */
export function readSegments(body: Fields): AnnouncedSegment[] {
  const { segments } = body
  if (!Array.isArray(segments) || segments.length === 0 || segments.length > MAX_SEGMENTS)
    throw badRequest(`segments must be a list of 1 to ${MAX_SEGMENTS}`)
  return segments.map((each, at) => parseAnnouncedSegment(requireObject(each, `segments[${at}]`), `segments[${at}].`))
}

const formatOf = (name: unknown): SegmentFormat | undefined =>
  typeof name === 'string' && Object.hasOwn(SEGMENT_FORMAT, name)
    ? SEGMENT_FORMAT[name as keyof typeof SEGMENT_FORMAT]
    : undefined

function parseAnnouncedSegment(fields: Fields, place: string): AnnouncedSegment {
  const format = formatOf(fields.format)
  if (!format) throw badRequest(`${place}format must be ts, fmp4 or jpg`)
  const isVideo = findSegmentKind(format) === SEGMENT_KIND.video
  const bytes = integer(fields, 'bytes', place, [1, (isVideo ? 64 : 2) * MIB])
  const event = fields.event === undefined || fields.event === null ? {} : requireObject(fields.event, `${place}event`)
  const hasEvent = Object.keys(event).length > 0
  return {
    startMs: integer(fields, 'start', place, [0, MAX_MS]),
    durationMs: isVideo ? integer(fields, 'durationMs', place, [200, 600_000]) : 0,
    bytes,
    format,
    session: integer(fields, 'session', place, [0, MAX_INT], 0),
    seq: integer(fields, 'seq', place, [0, MAX_INT], 0),
    initBytes: initBytesOf(fields, place, format, bytes),
    eventNo: hasEvent ? integer(event, 'id', `${place}event.`, [1, MAX_INT]) : 0,
    eventType: hasEvent ? integer(event, 'type', `${place}event.`, [0, 255], 0) : 0,
    isFinal: boolean(fields, 'final', place),
  }
}

interface ReportedTrouble {
  readonly channel: number
  readonly code: string
  readonly text: string
}

/** Returns a text of at most `length` characters; longer texts are cut. Codes may be numbers. */
function text(fields: Fields, name: string, place: string, length: number) {
  const value = fields[name] ?? ''
  if (typeof value !== 'string' && typeof value !== 'number') throw badRequest(`${place}${name} must be a text`)
  return sanitizeDeviceText(value, length)
}

/** Returns the troubles that a camera reports with `state`. */
export function readTroubles({ trouble }: Fields): ReportedTrouble[] {
  if (trouble === undefined || trouble === null) return []
  if (!Array.isArray(trouble) || trouble.length > MAX_TROUBLES)
    throw badRequest(`trouble must be a list of at most ${MAX_TROUBLES}`)
  return trouble.map((each, at) => {
    const place = `trouble[${at}].`
    const fields = requireObject(each, `trouble[${at}]`)
    return {
      channel: readChannel(fields, place),
      code: text(fields, 'code', place, 32),
      text: text(fields, 'message', place, 200),
    }
  })
}
