import { hash } from 'node:crypto'
import { addDays, formatLocalDay } from '#core/time/zone.ts'

export const SEGMENT_KIND = { video: 1, picture: 2 } as const
export const SEGMENT_FORMAT = { ts: 1, fmp4: 2, jpg: 3 } as const
export type SegmentFormat = (typeof SEGMENT_FORMAT)[keyof typeof SEGMENT_FORMAT]
/** Added to the format of a video in H.265, which many browsers cannot play. */
const HEVC = 4
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
