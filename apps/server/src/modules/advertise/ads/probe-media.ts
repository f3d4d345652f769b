import { AD_MESSAGES, MAX_SECONDS, MAX_VIDEO_SIDES } from '@oms/contract/advertise/ad-rules.ts'
import type { Input, InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { FileRefusedError, EMPTY_PROBE_FACTS, type ProbeFacts } from './probe.ts'

const CODECS: Readonly<Record<string, string>> = { avc: 'avc1', hevc: 'hvc1', av1: 'av01', aac: 'mp4a' }
/** Number of packets that are read to measure frame rate and bit rate. */
const SAMPLE_PACKETS = 200
/** Highest value of an integer column. A hostile file can declare more. */
const MAX_INT = 2_147_483_647

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
