import { FORMAT, type Format } from './segment.ts'

const TS_PACKET = 188
const SYNC = 0x47
/** Boxes that a fragmented MP4 file can begin with. */
const FIRST_BOXES = new Set(['ftyp', 'styp', 'moov', 'sidx', 'moof'])

/** Bytes from the beginning of a file that `hasFormat` reads. */
export const HEAD_BYTES = TS_PACKET + 1

/** Returns true when the first bytes of a file belong to this format. */
export function hasFormat(format: Format, head: Uint8Array): boolean {
  if (format === FORMAT.ts) return head[0] === SYNC && (head.length <= TS_PACKET || head[TS_PACKET] === SYNC)
  if (format === FORMAT.jpg) return head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff
  return FIRST_BOXES.has(Buffer.from(head.subarray(4, 8)).toString('latin1'))
}
