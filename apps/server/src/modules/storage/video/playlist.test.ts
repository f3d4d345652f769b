import { describe, expect, test } from 'vitest'
import { formatZonedIso } from '#core/time/zone.ts'
import { renderHlsPlaylist, isDiscontinuous, mergeIntervals, splitByFormat, type PlaylistSegment } from './playlist.ts'

const START = Date.parse('2026-11-22T04:33:10.000Z')
const wallTime = (ms: number) => formatZonedIso(ms, 'Asia/Shanghai')
const segment = (given: Partial<PlaylistSegment> = {}): PlaylistSegment => ({
  startMs: START,
  durationMs: 4000,
  bytes: 1000,
  format: 1,
  session: 7,
  seq: 1,
  initBytes: 0,
  uri: 'a.ts',
  ...given,
})

describe('HLS playlist of recordings', () => {
  test('STORAGE-08 a gap between recordings is marked as a discontinuity with its wall-clock time', () => {
    const text = renderHlsPlaylist(
      [segment(), segment({ startMs: START + 409_999, durationMs: 3960, seq: 9, uri: 'b.ts' })],
      wallTime,
    )
    expect(text).toBe(
      `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:33:10.000+08:00
#EXTINF:4.000,
a.ts
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:39:59.999+08:00
#EXTINF:3.960,
b.ts
#EXT-X-ENDLIST
`,
    )
  })

  test('the segment after a clock jump within a session has a wall-clock time and no discontinuity', () => {
    const clip = (seq: number, at: number) => segment({ seq, startMs: START + at, uri: `${seq}.ts` })
    const text = renderHlsPlaylist([clip(1, 0), clip(2, 4000), clip(3, 3000), clip(4, 7000)], wallTime)
    expect(text).not.toContain('DISCONTINUITY')
    expect(text.match(/TIME:.*/g)).toEqual(['TIME:2026-11-22T12:33:10.000+08:00', 'TIME:2026-11-22T12:33:13.000+08:00'])
    expect(text.indexOf('13.000')).toBeGreaterThan(text.indexOf('2.ts'))
  })

  test('a playlist contains one format, and the next playlist begins at the change of the format', () => {
    const rows = [1, 1, 2, 2, 5].map((format, at) => segment({ format, startMs: START + at * 4000 - 10 * at }))
    const split = (begin: number) => {
      const found = rows.filter(({ startMs, durationMs }) => startMs + durationMs > begin)
      const { rows: first, next } = splitByFormat(found, begin)
      return [first.map(({ format }) => format), next?.startMs]
    }
    const [, , third, , fifth] = rows.map(({ startMs }) => startMs)
    expect(split(START)).toEqual([[1, 1], third])
    // The segment before the change overlaps the beginning by 10 ms.
    expect(split(third!)).toEqual([[2, 2], fifth])
    expect(split(fifth!)).toEqual([[5], undefined])
  })

  test('each file of fragmented MP4 gets a discontinuity, because its timestamps start at zero', () => {
    const mp4 = { format: 2, initBytes: 700 }
    const text = renderHlsPlaylist(
      [segment({ ...mp4, uri: 'a.mp4' }), segment({ ...mp4, uri: 'b.mp4', seq: 2, startMs: START + 4000 })],
      wallTime,
    )
    expect(text.match(/#EXT-X-MAP.*/g)).toEqual([
      '#EXT-X-MAP:URI="a.mp4",BYTERANGE="700@0"',
      '#EXT-X-MAP:URI="b.mp4",BYTERANGE="700@0"',
    ])
    expect(text.match(/#EXT-X-BYTERANGE.*/g)).toEqual(Array(2).fill('#EXT-X-BYTERANGE:300@700'))
    expect(text.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1)
  })

  test('the target duration is the duration of the longest segment, rounded up', () => {
    expect(renderHlsPlaylist([segment({ durationMs: 4001 })], wallTime)).toContain('#EXT-X-TARGETDURATION:5\n')
  })

  test.each([
    ['the next number of one session, whatever its clock says', { seq: 2, startMs: START + 60_000 }, false],
    ['a missing number', { seq: 3, startMs: START + 4000 }, true],
    ['another session', { session: 8, seq: 2, startMs: START + 4000 }, true],
    ['another format', { format: 2, seq: 2, startMs: START + 4000 }, true],
  ])('a discontinuity depends on session and sequence number: %s', (_, next, expected) => {
    expect(isDiscontinuous(segment(), segment(next))).toBe(expected)
  })

  test.each([
    [4000, false],
    [4050, false],
    [4051, true],
    [3949, true],
  ])(
    'without a session, a start that is over 50 ms off the end of the previous segment is a discontinuity: %i ms',
    (ms, expected) => {
      const bare = { session: 0, seq: 0 }
      expect(isDiscontinuous(segment(bare), segment({ ...bare, startMs: START + ms }))).toBe(expected)
    },
  )
})

test('merged intervals count overlaps once and bridge gaps of one second', () => {
  const at = (startMs: number, durationMs: number) => ({ startMs, durationMs })
  expect(mergeIntervals([at(0, 4000), at(3000, 4000), at(8000, 1000), at(10_001, 500)])).toEqual([
    { from: 0, to: 9000 },
    { from: 10_001, to: 10_501 },
  ])
})

test.each([
  ['America/New_York', '2026-11-21T23:33:10.000-05:00'],
  ['Asia/Kolkata', '2026-11-22T10:03:10.000+05:30'],
])('a wall-clock time has the UTC offset of the time zone %s', (zone, text) => {
  expect(formatZonedIso(START, zone)).toBe(text)
})
