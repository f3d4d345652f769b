import { createWav } from '#core/media/wav.ts'

const RATE = 16_000

/** Returns a WAV (16 kHz mono 16 bit) of a falling tone. */
export function createTone(seconds: number, hertz: number): Buffer {
  const count = Math.round(seconds * RATE)
  const samples = Buffer.alloc(count * 2)
  for (let n = 0; n < count; n += 1) {
    const fade = 1 - n / count
    samples.writeInt16LE(Math.round(8000 * fade * Math.sin((2 * Math.PI * hertz * n) / RATE)), n * 2)
  }
  return createWav(samples, RATE)
}
