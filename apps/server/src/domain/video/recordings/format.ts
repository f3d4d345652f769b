import { SEGMENT_FORMAT, type Segment } from './segment.ts'

const TS_PACKET = 188
const SYNC = 0x47
/** Boxes (ISO/IEC 14496-12) that a fragmented MP4 file may have before its `moov`. */
const BEFORE_MOOV = new Set(['ftyp', 'styp', 'free', 'skip', 'uuid'])
/** Number of bytes of the type and the size of a box. */
const BOX_HEADER = 8

/** Number of bytes at the beginning of a file that `hasFormat` reads. */
export const FORMAT_HEAD_BYTES = 1024

/** Returns true when the first bytes of a file belong to the announced format. */
export function hasFormat({ format, initBytes }: Pick<Segment, 'format' | 'initBytes'>, head: Uint8Array): boolean {
  if (format === SEGMENT_FORMAT.ts) return head[0] === SYNC && (head.length <= TS_PACKET || head[TS_PACKET] === SYNC)
  if (format === SEGMENT_FORMAT.jpg) return head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff
  const end = endOfMoov(Buffer.from(head.buffer, head.byteOffset, head.byteLength))
  return end !== undefined && end <= initBytes
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
