const HEADER_BYTES = 44
const SAMPLE_BYTES = 2

/**
 * Returns a WAV file of raw samples: 16 bit little-endian PCM, one channel. `rate` is in samples a second. The header is
 * the canonical one of 44 bytes (RIFF WAVE, `fmt ` of 16 bytes, `data`).
 */
export function createWav(samples: Uint8Array, rate: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * SAMPLE_BYTES, 28)
  header.writeUInt16LE(SAMPLE_BYTES, 32)
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
