// MD5 (RFC 1321). The specification requires client-side MD5 of passwords, and WebCrypto does not provide MD5.
const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0)

/** Returns the MD5 digest of a text's UTF-8 bytes in lower-case hex. */
export function computeMd5(text: string) {
  const words = padMessage(new TextEncoder().encode(text))
  let state: State = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476]
  for (let at = 0; at < words.length; at += 16) state = block(state, words.subarray(at, at + 16))
  return state.map(hex).join('')
}

type State = [number, number, number, number]

function padMessage(bytes: Uint8Array) {
  const length = (((bytes.length + 8) >> 6) + 1) * 64
  const buffer = new Uint8Array(length)
  buffer.set(bytes)
  buffer[bytes.length] = 0x80
  const view = new DataView(buffer.buffer)
  view.setUint32(length - 8, bytes.length * 8, true)
  view.setUint32(length - 4, Math.floor(bytes.length / 2 ** 29), true)
  return Int32Array.from({ length: length / 4 }, (_, i) => view.getInt32(i * 4, true))
}

function block(start: State, words: Int32Array): State {
  let [a, b, c, d] = start
  for (let i = 0; i < 64; i++) {
    const round = i >> 4
    const mixed = (a + mix(round, b, c, d) + (words[wordAt(round, i)] ?? 0) + (SINES[i] ?? 0)) | 0
    const shift = SHIFTS[round * 4 + (i % 4)] ?? 0
    const next = (b + ((mixed << shift) | (mixed >>> (32 - shift)))) | 0
    ;[a, d, c, b] = [d, c, b, next]
  }
  return [(start[0] + a) | 0, (start[1] + b) | 0, (start[2] + c) | 0, (start[3] + d) | 0]
}

function mix(round: number, b: number, c: number, d: number) {
  if (round === 0) return (b & c) | (~b & d)
  if (round === 1) return (b & d) | (c & ~d)
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d)
}

const wordAt = (round: number, i: number) => [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! % 16

const hex = (word: number) =>
  [0, 8, 16, 24].map((shift) => ((word >>> shift) & 0xff).toString(16).padStart(2, '0')).join('')
