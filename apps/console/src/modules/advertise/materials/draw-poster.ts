const MAX_SIDE = 1280
const QUALITY = 0.85
/** Positions in seconds whose frames are examined. The first frame that is not nearly black becomes the poster. */
const TRIED = [0.1, 0.5, 1, 2, 4]
const SAMPLE = 16
const BRIGHT = 40
/** Time limit of decoding. A busy computer decodes slowly; a format that the browser does not know fails at once. */
const WAIT_MS = 20_000

/**
 * Draws the first bright frame of a video as JPEG. Returns undefined when the browser cannot decode the video; the
 * server then shows the ad without a picture.
 */
export async function drawPoster(file: Blob): Promise<Blob | undefined> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  video.muted = true
  video.preload = 'auto'
  video.src = url
  try {
    await settled(video, 'loadeddata')
    let best: { light: number; picture: Blob | undefined } | undefined
    for (const second of TRIED.filter((at) => at < video.duration)) {
      video.currentTime = second
      await settled(video, 'seeked')
      const light = brightnessOf(video)
      if (!best || light > best.light) best = { light, picture: await pictureOf(video) }
      if (light >= BRIGHT) break
    }
    return best?.picture
  } catch {
    return undefined
  } finally {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

function settled(video: HTMLVideoElement, event: 'loadeddata' | 'seeked') {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => reject(new Error('The browser cannot decode the video'))
  const timer = setTimeout(fail, WAIT_MS)
  video.addEventListener(event, () => resolve(), { once: true })
  video.addEventListener('error', fail, { once: true })
  return promise.finally(() => clearTimeout(timer))
}

function drawn(video: HTMLVideoElement, width: number, height: number) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  context?.drawImage(video, 0, 0, width, height)
  return { canvas, context }
}

/** Returns the mean brightness of the frame, 0 to 255. */
function brightnessOf(video: HTMLVideoElement) {
  const { context } = drawn(video, SAMPLE, SAMPLE)
  const pixels = context?.getImageData(0, 0, SAMPLE, SAMPLE).data ?? new Uint8ClampedArray()
  let sum = 0
  for (let at = 0; at < pixels.length; at += 4)
    sum += 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0)
  return sum / (SAMPLE * SAMPLE)
}

async function pictureOf(video: HTMLVideoElement) {
  const scale = Math.min(1, MAX_SIDE / Math.max(video.videoWidth, video.videoHeight))
  const { canvas } = drawn(video, Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale))
  const { promise, resolve } = Promise.withResolvers<Blob | undefined>()
  canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/jpeg', QUALITY)
  return promise
}
