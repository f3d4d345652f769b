// Plain HTTP has no `crypto.subtle`, so this file also computes SHA-256 itself.

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
/** Number of bytes that are hashed without yielding. Animations of the page continue between two slices. */
const SLICE = 128 * 1024

export async function computeSha256(data: ArrayBuffer): Promise<string> {
  if (globalThis.crypto?.subtle) return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', data)))
  const hash = new Sha256()
  const bytes = padded(new Uint8Array(data))
  for (let at = 0; at < bytes.length; at += 64) {
    hash.block(bytes, at)
    if (at % SLICE === 0) await new Promise((done) => setTimeout(done))
  }
  return hex(hash.digest())
}

function padded(data: Uint8Array) {
  const bytes = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64)
  bytes.set(data)
  bytes[data.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(data.length / 2 ** 29))
  view.setUint32(bytes.length - 4, (data.length << 3) >>> 0)
  return bytes
}

const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) >>> 0
function firstPrimes(count: number) {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  return primes
}
const PRIMES = firstPrimes(64)
const K = PRIMES.map((prime) => fraction(Math.cbrt(prime)))
const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by))

class Sha256 {
  readonly #state = new Uint32Array(PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))))
  readonly #words = new Uint32Array(64)

  block(bytes: Uint8Array, at: number) {
    const w = this.#words
    const view = new DataView(bytes.buffer, at, 64)
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(i * 4)
    for (let i = 16; i < 64; i++) {
      const [a, b] = [w[i - 15]!, w[i - 2]!]
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
    }
    const s = this.#state
    let [a, b, c, d, e, f, g, h] = s as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (s[i] = s[i]! + word))
  }

  digest() {
    const bytes = new Uint8Array(32)
    const view = new DataView(bytes.buffer)
    this.#state.forEach((word, i) => view.setUint32(i * 4, word))
    return bytes
  }
}
