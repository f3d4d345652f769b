import { hash } from 'node:crypto'
import { addDays, formatLocalDay } from '#core/time/zone.ts'

export const SEGMENT_KIND = { video: 1, picture: 2 } as const
export const SEGMENT_FORMAT = { ts: 1, fmp4: 2, jpg: 3 } as const
export type SegmentFormat = (typeof SEGMENT_FORMAT)[keyof typeof SEGMENT_FORMAT]
/** Added to the format of a video in H.265, which many browsers cannot play. */
const HEVC = 4
const TS_PACKET = 188
const TS_SYNC = 0x47
/** Number of bytes of the type and the size of a box. */
const BOX_HEADER = 8
/** Table id of a program map, and the stream type of H.265 in it (ISO/IEC 13818-1). */
const PROGRAM_MAP = 2
const HEVC_STREAM = 0x24
const CRC_BYTES = 4
export const toHevcFormat = (format: number) => format | HEVC
export const isHevcFormat = (format: number) => (format & HEVC) !== 0
/** Returns the format without the codec. */
export const containerOf = (format: number) => (format & ~HEVC) as SegmentFormat

/** File extension and content type of each format. */
const FILES: Readonly<Record<SegmentFormat, readonly [extension: string, contentType: string]>> = {
  1: ['ts', 'video/mp2t'],
  2: ['mp4', 'video/mp4'],
  3: ['jpg', 'image/jpeg'],
}
export const findExtension = (format: number) => FILES[containerOf(format)][0]
export const findContentType = (format: number) => FILES[containerOf(format)][1]
export const findSegmentKind = (format: number) =>
  format === SEGMENT_FORMAT.jpg ? SEGMENT_KIND.picture : SEGMENT_KIND.video

/** The fields of a stored segment that make its object key. */
export interface SegmentKey {
  readonly expireDay: string
  readonly deviceId: number
  readonly channel: number
  /** Milliseconds since 1970. */
  readonly startMs: number
  /** Signed 32-bit number. */
  readonly salt: number
  /** Format of the segment: a `SEGMENT_FORMAT`, or the result of `toHevcFormat`. */
  readonly format: number
}

/** A recorded video or picture, as in a row of `oss_segments`. */
export interface Segment extends SegmentKey {
  readonly durationMs: number
  readonly bytes: number
  readonly session: number
  readonly seq: number
  readonly tenantId: number
  readonly ownerId: number
  readonly entitlementId: number
  readonly modelId: number
  readonly initBytes: number
  readonly day: string
  readonly recordType: number
  /** Event that the segment belongs to; number 0: none. */
  readonly eventNo: number
  readonly eventType: number
}

/** Number of folders for one expiry date. */
export const FOLDERS_PER_DAY = 256

export const formatSalt = (salt: number) => (salt >>> 0).toString(16).padStart(8, '0')

let lastFolder = { deviceId: -1, folder: '' }

/**
 * Returns the folder of a device below the folder of the expiry date: two hex digits that spread the devices evenly.
 * Caches the last result, because one permit names up to 20 objects of a device.
 */
export function findFolder(deviceId: number): string {
  if (lastFolder.deviceId !== deviceId)
    lastFolder = { deviceId, folder: hash('sha256', String(deviceId), 'hex').slice(0, 2) }
  return lastFolder.folder
}

/** Returns the prefix of all objects of a day, or of one of its 256 folders. */
export const formatDayPrefix = (expireDay: string, folder?: number) =>
  `v/${expireDay.replaceAll('-', '')}/${folder === undefined ? '' : `${folder.toString(16).padStart(2, '0')}/`}`

/** Returns the key of a segment's object. The key contains neither serial nor account. */
export const formatObjectKey = ({ expireDay, deviceId, channel, startMs, salt, format }: SegmentKey) =>
  `${formatDayPrefix(expireDay)}${findFolder(deviceId)}/${deviceId}/${channel}/${startMs}-${formatSalt(salt)}.${findExtension(format)}`

/** Returns the day of a recording in the console's zone, and the first day on which the recording no longer exists. */
export function computeSegmentDays(startMs: number, storageDays: number, zone: string) {
  const day = formatLocalDay(startMs, zone)
  return { day, expireDay: addDays(day, storageDays + 1) }
}

/** Boxes (ISO/IEC 14496-12) that a fragmented MP4 file may have before its `moov`. */
const BEFORE_MOOV = new Set(['ftyp', 'styp', 'free', 'skip', 'uuid'])

/** Number of bytes at the beginning of a file that `hasFormat` and `detectCodec` read. */
export const FORMAT_HEAD_BYTES = 4096

/** Returns true when the first bytes of a file belong to the announced format. */
export function hasFormat({ format, initBytes }: Pick<Segment, 'format' | 'initBytes'>, head: Uint8Array): boolean {
  if (format === SEGMENT_FORMAT.ts)
    return head[0] === TS_SYNC && (head.length <= TS_PACKET || head[TS_PACKET] === TS_SYNC)
  if (format === SEGMENT_FORMAT.jpg) return head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff
  const end = endOfMoov(Buffer.from(head.buffer, head.byteOffset, head.byteLength))
  return end !== undefined && end <= initBytes
}

/** Returns the segment with the format of H.265 when the first bytes of its file announce this codec. */
export function detectCodec(segment: Segment, head: Uint8Array): Segment {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const container = containerOf(segment.format)
  const isHevc =
    container === SEGMENT_FORMAT.ts
      ? listStreamTypes(bytes).includes(HEVC_STREAM)
      : container === SEGMENT_FORMAT.fmp4 && /h[ve][cv]1/.test(bytes.toString('latin1', 0, segment.initBytes))
  return isHevc ? { ...segment, format: toHevcFormat(segment.format) } : segment
}

/** Returns the stream types of the first program map of MPEG-TS. */
function listStreamTypes(head: Buffer): number[] {
  for (let packet = 0; packet + TS_PACKET <= head.length; packet += TS_PACKET) {
    const startsSection = (head[packet + 1]! & 0x40) !== 0
    const hasAdaptation = (head[packet + 3]! & 0x20) !== 0
    const pointer = packet + 4 + (hasAdaptation ? 1 + head[packet + 4]! : 0)
    const at = pointer + 1 + (head[pointer] ?? 0)
    if (!startsSection || head[at] !== PROGRAM_MAP || at + 12 > packet + TS_PACKET) continue
    const length = (offset: number) => head.readUInt16BE(offset) & 0xfff
    const end = Math.min(at + 3 + length(at + 1) - CRC_BYTES, packet + TS_PACKET)
    const types: number[] = []
    for (let next = at + 12 + length(at + 10); next + 5 <= end; next += 5 + length(next + 3)) types.push(head[next]!)
    return types
  }
  return []
}

/** Returns the end of the `moov` box; undefined when another box comes first or the file has none. */
function endOfMoov(head: Buffer): number | undefined {
  for (let at = 0; at + BOX_HEADER <= head.length; ) {
    const size = head.readUInt32BE(at)
    const type = head.toString('latin1', at + 4, at + BOX_HEADER)
    if (size < BOX_HEADER) return undefined
    at += size
    if (type === 'moov') return at
    if (!BEFORE_MOOV.has(type)) return undefined
  }
  return undefined
}
