import { expect, test } from 'vitest'
import { drawPoster, findMediaProblem } from '#modules/advertise/materials/use-material-uploads.ts'

const TYPE = 'video/webm;codecs=vp8'
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Records a video of a canvas that is filled with the colours one after the other. */
async function record(colors: readonly [color: string, ms: number][], { width = 320, height = 180 } = {}) {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')!
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: TYPE })
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
  const stopped = new Promise((done) => recorder.addEventListener('stop', done))
  recorder.start(100)
  const draw = async (color: string) => {
    context.fillStyle = color
    context.fillRect(0, 0, width, height)
    await pause(20)
  }
  for (const [color, ms] of colors)
    for (const end = performance.now() + ms; performance.now() < end; ) await draw(color)
  // On a busy computer the encoder starts late. A recording of about 110 bytes contains only the header.
  const isEncoded = () => parts.reduce((sum, { size }) => sum + size, 0) > 500
  for (const end = performance.now() + 15_000; !isEncoded() && performance.now() < end; ) await draw(colors.at(-1)![0])
  recorder.stop()
  await stopped
  return new Blob(parts, { type: TYPE })
}

async function meanOf(picture: Blob) {
  const bitmap = await createImageBitmap(picture)
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d')!
  context.drawImage(bitmap, 0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return { width: bitmap.width, height: bitmap.height, color: [red, green, blue] }
}

test('AD-02 the poster of a video is its first bright frame, at most 1280 pixels wide', async () => {
  const file = await record([
    ['#000000', 700],
    ['#ffffff', 1800],
  ])
  const poster = await drawPoster(file)
  expect(poster?.type).toBe('image/jpeg')
  const { width, height, color } = await meanOf(poster!)
  expect([width, height]).toEqual([320, 180])
  for (const channel of color) expect(channel).toBeGreaterThan(200)
  const wide = await drawPoster(await record([['#808080', 600]], { width: 1440, height: 90 }))
  expect(await meanOf(wide!)).toMatchObject({ width: 1280, height: 80 })
})

test('AD-02 a dark video gets its brightest frame as poster, and a damaged video gets no poster', async () => {
  const dark = await drawPoster(await record([['#101010', 600]]))
  expect(await meanOf(dark!)).toMatchObject({ width: 320 })
  expect(await drawPoster(new Blob(['not a video'], { type: 'video/mp4' }))).toBeUndefined()
})

/** Returns a silent WAV file of mono sound with 8 bits and 8,000 samples a second. */
function wavOf(seconds: number) {
  const bytes = seconds * 8000
  const view = new DataView(new ArrayBuffer(44 + bytes))
  const write = (at: number, text: string) => [...text].forEach((char, n) => view.setUint8(at + n, char.charCodeAt(0)))
  write(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  write(8, 'WAVEfmt ')
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 8000],
    [40, bytes],
  ] as const)
    view.setUint32(at, value, true)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    view.setUint16(at, value, true)
  write(36, 'data')
  new Uint8Array(view.buffer, 44).fill(128)
  return new Blob([view], { type: 'audio/wav' })
}

test('AD-02 media of a wrong duration or size are refused before the upload, and unreadable media are uploaded', async () => {
  expect(await findMediaProblem(wavOf(0.25), 'adAudio')).toBe('音频时长须在1秒到1小时之间')
  expect(await findMediaProblem(wavOf(3602), 'adAudio')).toBe('音频时长须在1秒到1小时之间')
  expect(await findMediaProblem(wavOf(2), 'adAudio')).toBeUndefined()
  const large = await record([['#808080', 400]], { width: 4096, height: 128 })
  expect(await findMediaProblem(large, 'adVideo')).toBe('视频分辨率不能超过3840×2160')
  expect(await findMediaProblem(await record([['#808080', 400]]), 'adVideo')).toBeUndefined()
  expect(await findMediaProblem(new Blob(['?'], { type: 'video/mp4' }), 'adVideo')).toBeUndefined()
  expect(await findMediaProblem(new Blob(['?']), 'adImage')).toBeUndefined()
})
