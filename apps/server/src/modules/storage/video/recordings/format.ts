import { containerOf, SEGMENT_FORMAT, toHevcFormat, type Segment } from './segment.ts'

const TS_PACKET = 188
const SYNC = 0x47
/** Boxes (ISO/IEC 14496-12) that a fragmented MP4 file may have before its `moov`. */
const BEFORE_MOOV = new Set(['ftyp', 'styp', 'free', 'skip', 'uuid'])
/** Number of bytes of the type and the size of a box. */
const BOX_HEADER = 8

/** Number of bytes at the beginning of a file that `hasFormat` and `detectCodec` read. */
export const FORMAT_HEAD_BYTES = 4096

/** Returns true when the first bytes of a file belong to the announced format. */
export function hasFormat({ format, initBytes }: Pick<Segment, 'format' | 'initBytes'>, head: Uint8Array): boolean {
  if (format === SEGMENT_FORMAT.ts) return head[0] === SYNC && (head.length <= TS_PACKET || head[TS_PACKET] === SYNC)
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

/** Table id of a program map, and the stream type of H.265 in it (ISO/IEC 13818-1). */
const PROGRAM_MAP = 2
const HEVC_STREAM = 0x24
const CRC_BYTES = 4

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
