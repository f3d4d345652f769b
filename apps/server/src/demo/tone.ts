const RATE = 16_000
const HEADER = 44

/** Returns a WAV (16 kHz mono 16 bit) of a falling tone. */
export function createTone(seconds: number, hertz: number): Buffer {
  const samples = Math.round(seconds * RATE)
  const wav = Buffer.alloc(HEADER + samples * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + samples * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(samples * 2, 40)
  for (let n = 0; n < samples; n += 1) {
    const fade = 1 - n / samples
    wav.writeInt16LE(Math.round(8000 * fade * Math.sin((2 * Math.PI * hertz * n) / RATE)), HEADER + n * 2)
  }
  return wav
}
