import { containerOf, SEGMENT_FORMAT } from './segment.ts'

/** A stored recording of a channel. Times are in milliseconds. */
export interface PlaylistSegment {
  readonly startMs: number
  readonly durationMs: number
  readonly bytes: number
  readonly format: number
  /** Number of the camera's recording session and place in it; session 0: the camera sends none. */
  readonly session: number
  readonly seq: number
  /** Bytes of the initialisation section at the start of a fragmented MP4. */
  readonly initBytes: number
  /** Address relative to the playlist. */
  readonly uri: string
}

/** Maximum gap or overlap of two segments without a discontinuity. */
const JOIN_MS = 50

/**
 * Returns true when a player must reset its decoder before `next` (EXT-X-DISCONTINUITY): another format, another
 * recording session, a missing sequence number, or without sessions a gap or an overlap above 50 ms. Sessions are
 * compared before clocks, because clocks of cameras jump. Every file of fragmented MP4 needs a reset: the file has its
 * own initialisation section, and its timestamps start at zero, as those of ffmpeg's segmenter do.
 */
export function isDiscontinuous(before: PlaylistSegment, next: PlaylistSegment): boolean {
  if (containerOf(next.format) === SEGMENT_FORMAT.fmp4) return true
  if (before.format !== next.format || before.session !== next.session) return true
  if (next.session !== 0) return next.seq !== before.seq + 1
  return Math.abs(next.startMs - (before.startMs + before.durationMs)) > JOIN_MS
}

/** Lines that name the bytes of a segment: a fragmented MP4 has its initialisation section in the same file. */
function mediaLines({ uri, initBytes, bytes, durationMs, format }: PlaylistSegment): { map: string[]; file: string[] } {
  const info = `#EXTINF:${(durationMs / 1000).toFixed(3)},`
  if (containerOf(format) !== SEGMENT_FORMAT.fmp4 || initBytes === 0) return { map: [], file: [info, uri] }
  return {
    map: [`#EXT-X-MAP:URI="${uri}",BYTERANGE="${initBytes}@0"`],
    file: [info, `#EXT-X-BYTERANGE:${bytes - initBytes}@${initBytes}`, uri],
  }
}

/**
 * Returns an HLS media playlist (RFC 8216, version 7, on demand) of segments in the order of their start. A segment has
 * its wall-clock time after a discontinuity and after a jump of the camera's clock. `wallTimeOf` formats milliseconds as
 * ISO 8601 with an offset.
 */
export function renderHlsPlaylist(segments: readonly PlaylistSegment[], wallTimeOf: (ms: number) => string): string {
  const longest = Math.max(1, ...segments.map(({ durationMs }) => Math.ceil(durationMs / 1000)))
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${longest}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
  ]
  let before: PlaylistSegment | undefined
  for (const segment of segments) {
    const startsAnew = before === undefined || isDiscontinuous(before, segment)
    if (startsAnew && before !== undefined) lines.push('#EXT-X-DISCONTINUITY')
    const { map, file } = mediaLines(segment)
    lines.push(...map)
    const isOnTime = before !== undefined && Math.abs(segment.startMs - (before.startMs + before.durationMs)) <= JOIN_MS
    if (startsAnew || !isOnTime) lines.push(`#EXT-X-PROGRAM-DATE-TIME:${wallTimeOf(segment.startMs)}`)
    lines.push(...file)
    before = segment
  }
  return `${[...lines, '#EXT-X-ENDLIST'].join('\n')}\n`
}

/**
 * Returns the recordings of the first playlist of a range, and the recording with which the next playlist begins. All
 * recordings of a playlist have one container and one codec: EXT-X-MAP cannot be ended before MPEG-TS, and ffmpeg keeps
 * the reader and the decoder of the first segment. A recording before `begin` that only overlaps the range belongs to the
 * playlist before it.
 */
export function splitByFormat<T extends Pick<PlaylistSegment, 'startMs' | 'format'>>(
  rows: readonly T[],
  begin: number,
): { rows: readonly T[]; next: T | undefined } {
  const changes = (row: T, at: number) => at > 0 && row.format !== rows[at - 1]!.format
  const from = Math.max(
    0,
    rows.findLastIndex((row, at) => row.startMs <= begin && changes(row, at)),
  )
  const until = rows.findIndex((row, at) => at > from && changes(row, at))
  return until < 0 ? { rows: rows.slice(from), next: undefined } : { rows: rows.slice(from, until), next: rows[until] }
}

/** An interval with recordings, in milliseconds. */
interface Interval {
  readonly from: number
  readonly to: number
}

/** Merges recordings in the order of their start. Overlaps count once; gaps up to `joinMs` are closed. */
export function mergeIntervals(segments: Iterable<{ startMs: number; durationMs: number }>, joinMs = 1000): Interval[] {
  const merged: { from: number; to: number }[] = []
  for (const { startMs, durationMs } of segments) {
    const last = merged.at(-1)
    const to = startMs + durationMs
    if (last && startMs <= last.to + joinMs) last.to = Math.max(last.to, to)
    else merged.push({ from: startMs, to })
  }
  return merged
}
