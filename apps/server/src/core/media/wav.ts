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

/** Returns the length of a WAV or MP3 recording in seconds, or undefined when the content has no readable audio. */
export function measureAudioSeconds(audio: Buffer): number | undefined {
  const seconds = audio.toString('latin1', 0, 4) === 'RIFF' ? wavSeconds(audio) : mp3Seconds(audio)
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** Reads the byte rate and the size of the samples. Recorders that stream leave a size that is too large. */
function wavSeconds(wav: Buffer): number | undefined {
  if (wav.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let byteRate = 0
  for (let at = 12; at + 8 <= wav.length; ) {
    const name = wav.toString('latin1', at, at + 4)
    const size = wav.readUInt32LE(at + 4)
    const start = at + 8
    if (name === 'fmt ' && start + 16 <= wav.length) byteRate = wav.readUInt32LE(start + 8)
    if (name === 'data') return byteRate === 0 ? undefined : Math.min(size, wav.length - start) / byteRate
    at = start + size + (size % 2)
  }
  return undefined
}

/** Bit rates of layer III in kbit/s: the first row of MPEG 1, the second row of MPEG 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
/** Sample rates in Hz by the MPEG version (2.5, reserved, 2, 1), in the order of the version bits of the header. */
const SAMPLE_RATES = [[11_025, 12_000, 8000], undefined, [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]] as const
const MPEG_1 = 3
const LAYER_3 = 1

interface Frame {
  readonly bytes: number
  readonly seconds: number
}

/** Reads the header of a layer III frame (ISO/IEC 11172-3, 2.4.1.3). */
function frameAt(mp3: Buffer, at: number): Frame | undefined {
  if (at + 4 > mp3.length || mp3[at] !== 0xff || (mp3[at + 1]! & 0xe0) !== 0xe0) return undefined
  const version = (mp3[at + 1]! >> 3) & 3
  const layer = (mp3[at + 1]! >> 1) & 3
  const bitRate = BIT_RATES[version === MPEG_1 ? 0 : 1][mp3[at + 2]! >> 4]
  const sampleRate = SAMPLE_RATES[version]?.[(mp3[at + 2]! >> 2) & 3]
  if (layer !== LAYER_3 || !bitRate || !sampleRate) return undefined
  const samples = version === MPEG_1 ? 1152 : 576
  const padding = (mp3[at + 2]! >> 1) & 1
  return { bytes: Math.floor((samples * bitRate * 125) / sampleRate) + padding, seconds: samples / sampleRate }
}

/** Adds up the frames. A frame counts when another frame or the end of the audio follows it. */
function mp3Seconds(mp3: Buffer): number | undefined {
  let at = mp3.toString('latin1', 0, 3) === 'ID3' ? 10 + tagSize(mp3) : 0
  let seconds = 0
  while (at + 4 <= mp3.length) {
    const frame = frameAt(mp3, at)
    const next = frame && at + frame.bytes
    if (frame && next !== undefined && (frameAt(mp3, next) || endsAt(mp3, next))) {
      seconds += frame.seconds
      at = next
    } else at += 1
  }
  return seconds
}

/** Size of an ID3v2 tag: seven bits of each byte. */
const tagSize = (mp3: Buffer) => (mp3.length < 10 ? 0 : (mp3[6]! << 21) | (mp3[7]! << 14) | (mp3[8]! << 7) | mp3[9]!)

const endsAt = (mp3: Buffer, at: number) => at >= mp3.length - 4 || mp3.toString('latin1', at, at + 3) === 'TAG'
