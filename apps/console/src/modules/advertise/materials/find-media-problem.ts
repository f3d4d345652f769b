import { type AdFilePurpose, AD_MESSAGES, MAX_SECONDS, MAX_VIDEO_SIDES } from '@oms/contract/advertise/ad-rules.ts'

/** Time limit in milliseconds for reading the metadata. After this time, the upload starts without the check. */
const WAIT_MS = 5000
/** Tolerance in seconds. The server measures only the track, and decides about durations close to a limit. */
const TOLERANCE = 0.5

/**
 * Returns the reason why a video or an audio file cannot be used, before the upload. Returns undefined for usable
 * files, and for files that the browser cannot read. The server examines every upload.
 */
export async function findMediaProblem(file: Blob, purpose: AdFilePurpose): Promise<string | undefined> {
  if (purpose !== 'adVideo' && purpose !== 'adAudio') return undefined
  const facts = await readMetadata(file, purpose === 'adVideo' ? 'video' : 'audio')
  if (!facts) return undefined
  const { duration, width, height } = facts
  if (Number.isFinite(duration) && (duration < 1 - TOLERANCE || duration > MAX_SECONDS + TOLERANCE))
    return purpose === 'adVideo' ? AD_MESSAGES.videoLength : AD_MESSAGES.audioLength
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  return long > MAX_VIDEO_SIDES.long || short > MAX_VIDEO_SIDES.short ? AD_MESSAGES.videoSize : undefined
}

interface Metadata {
  /** Seconds; Infinity when the file does not contain a duration. */
  readonly duration: number
  /** Pixels after rotation; 0 for audio. */
  readonly width: number
  readonly height: number
}

/** Reads the metadata with an element of the page. Returns undefined when the browser does not know the format. */
async function readMetadata(file: Blob, kind: 'video' | 'audio'): Promise<Metadata | undefined> {
  const media = document.createElement(kind)
  const url = URL.createObjectURL(file)
  const { promise, resolve } = Promise.withResolvers<Metadata | undefined>()
  const timer = setTimeout(() => resolve(undefined), WAIT_MS)
  media.addEventListener('loadedmetadata', () => {
    const size = media instanceof HTMLVideoElement ? { width: media.videoWidth, height: media.videoHeight } : NO_SIZE
    resolve({ duration: media.duration, ...size })
  })
  media.addEventListener('error', () => resolve(undefined))
  media.preload = 'metadata'
  media.src = url
  return promise.finally(() => {
    clearTimeout(timer)
    media.removeAttribute('src')
    media.load()
    URL.revokeObjectURL(url)
  })
}

const NO_SIZE = { width: 0, height: 0 }
