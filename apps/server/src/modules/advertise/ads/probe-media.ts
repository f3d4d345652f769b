import { AD_MESSAGES, MAX_SECONDS, MAX_VIDEO_SIDES } from '@oms/contract/advertise/ad-rules.ts'
import { MAX_IMAGE_PIXELS, UPLOAD_MESSAGES } from '@oms/contract/core/upload.ts'
import type { Input, InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { findSizeProblem } from '#core/storage/file-type.ts'
import { FileRefusedError, EMPTY_PROBE_FACTS, type ProbeFacts } from './probe.ts'

const THUMB_PIXELS = 480
const THUMB_QUALITY = 80
const MIME: Readonly<Record<string, string>> = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }
const QUARTER_TURN = 90
/** Number of packets that are read to measure frame rate and bit rate. */
const SAMPLE_PACKETS = 200
/** Highest value of an integer column. A hostile file can declare more. */
const MAX_INT = 2_147_483_647
/**
 * Degrees of the EXIF orientations that rotate the picture. A mirrored orientation counts as the same orientation
 * without mirroring.
 */
const DEGREES: Readonly<Record<number, number>> = { 3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270 }

/** Decodes a picture and writes its thumbnail. Returns the size after the rotation of its EXIF data. */
export async function probeImage(path: string, thumbPath: string): Promise<ProbeFacts> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  const options = { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', sequentialRead: true } as const
  try {
    const { format, width, height, orientation = 1 } = await sharp(path, options).metadata()
    const mime = MIME[format ?? '']
    if (!mime) throw new FileRefusedError(AD_MESSAGES.damagedImage)
    const problem = findSizeProblem({ width, height })
    if (problem) throw new FileRefusedError(problem)
    const size = { width: THUMB_PIXELS, height: THUMB_PIXELS, fit: 'inside', withoutEnlargement: true } as const
    await sharp(path, options).autoOrient().resize(size).webp({ quality: THUMB_QUALITY }).toFile(thumbPath)
    const rotation = DEGREES[orientation] ?? 0
    const isTurned = rotation % (2 * QUARTER_TURN) !== 0
    return { ...EMPTY_PROBE_FACTS, mime, rotation, width: isTurned ? height : width, height: isTurned ? width : height }
  } catch (error) {
    if (error instanceof FileRefusedError) throw error
    const isTooLarge = error instanceof Error && /pixel limit/.test(error.message)
    throw new FileRefusedError(isTooLarge ? UPLOAD_MESSAGES.pixels : AD_MESSAGES.damagedImage, { cause: error })
  }
}

const CODECS: Readonly<Record<string, string>> = { avc: 'avc1', hevc: 'hvc1', av1: 'av01', aac: 'mp4a' }

const codecName = (codec: string | null) => (codec ? (CODECS[codec] ?? codec) : '')

async function opened(path: string, isVideo: boolean): Promise<Input> {
  const { FilePathSource, Input: MediaInput, MP3, MP4, WAVE, WEBM } = await import('mediabunny')
  const source = new FilePathSource(path, { handleUnhandledError: () => undefined })
  return new MediaInput({ source, formats: isVideo ? [MP4, WEBM] : [MP3, MP4, WAVE] })
}

/**
 * Returns the duration in milliseconds. Refuses extreme durations, and a duration of 0, which broken fragmented files
 * have.
 */
async function durationOf(input: Input, track: InputVideoTrack | InputAudioTrack, isVideo: boolean) {
  const seconds = await input.computeDuration([track])
  if (!Number.isFinite(seconds) || seconds <= 0) throw new FileRefusedError(damaged(isVideo))
  if (seconds < 1 || seconds > MAX_SECONDS)
    throw new FileRefusedError(isVideo ? AD_MESSAGES.videoLength : AD_MESSAGES.audioLength)
  return Math.round(seconds * 1000)
}

const damaged = (isVideo: boolean) => (isVideo ? AD_MESSAGES.damaged : AD_MESSAGES.damagedAudio)

/** Reads duration, size, codec and rates of a video or of sound. Nothing is decoded. */
export async function probeMedia(path: string, isVideo: boolean): Promise<ProbeFacts> {
  const input = await opened(path, isVideo)
  try {
    const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
    const track = isVideo ? video : audio
    const codec = codecName((await track?.getCodec()) ?? null)
    if (!track || !codec) throw new FileRefusedError(damaged(isVideo))
    const durationMs = await durationOf(input, track, isVideo)
    const { averagePacketRate, averageBitrate } = await track.computePacketStats(SAMPLE_PACKETS)
    const facts = {
      ...EMPTY_PROBE_FACTS,
      mime: (await input.getMimeType()).split(';')[0] ?? '',
      durationMs,
      codec,
      bitrate: Math.round(Math.min(MAX_INT, Number.isFinite(averageBitrate) ? averageBitrate : 0)),
      hasAudio: audio ? 1 : 0,
    }
    return isVideo && video ? { ...facts, ...(await frameFacts(video, averagePacketRate)) } : facts
  } catch (error) {
    if (error instanceof FileRefusedError) throw error
    throw new FileRefusedError(damaged(isVideo), { cause: error })
  } finally {
    input.dispose()
  }
}

async function frameFacts(video: InputVideoTrack, rate: number) {
  const width = await video.getDisplayWidth()
  const height = await video.getDisplayHeight()
  if (!(width > 0 && height > 0)) throw new FileRefusedError(AD_MESSAGES.damaged)
  if (Math.max(width, height) > MAX_VIDEO_SIDES.long || Math.min(width, height) > MAX_VIDEO_SIDES.short)
    throw new FileRefusedError(AD_MESSAGES.videoSize)
  return {
    width,
    height,
    rotation: await video.getRotation(),
    fps: Number.isFinite(rate) ? Math.min(9999, Math.round(rate * 100) / 100) : 0,
  }
}
