import { ads } from '@oms/contract/advertise/ad.ts'
import {
  type AdFilePurpose,
  MATERIAL_PURPOSE,
  MAX_MATERIALS,
  findTypeOfFile,
  AD_MESSAGES,
  MAX_SECONDS,
  MAX_VIDEO_SIDES,
} from '@oms/contract/advertise/ad-rules.ts'
import { UPLOAD, findUploadProblem } from '@oms/contract/core/upload.ts'
import { Form } from 'antd'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '#core/api/client.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { useFileProblems } from '#kit/upload/file-problems.tsx'
import { mayRetry, createPartTransport, waitUntilOnline } from '#kit/upload/part-transport.ts'
import { type Progress, startUpload, type Upload } from '#kit/upload/resumable.ts'
import { useAdTypes } from '../ads/ad-cells.tsx'

/** Ids of an uploaded ad file and of its poster, as the ad form sends them. */
export interface SentMaterial {
  readonly fileId: string
  readonly posterId?: string | undefined
}
export interface RunningUpload {
  readonly key: number
  readonly name: string
  readonly purpose: AdFilePurpose
  readonly progress: Progress | undefined
  cancel(): void
}

let lastKey = 0

async function posterOf(file: File): Promise<string | undefined> {
  const picture = await drawPoster(file)
  if (!picture || picture.size > UPLOAD.adPoster.maxBytes) return undefined
  const poster = new File([picture], 'poster.jpg', { type: picture.type })
  const stored = await call(ads.upload, { purpose: 'adPoster', file: poster } as never, { quiet: true }).catch(
    () => undefined,
  )
  return stored?.id
}

/** Uploads a file in parts. */
const uploadOf = (file: File, purpose: AdFilePurpose, onProgress: (progress: Progress) => void): Upload =>
  startUpload(file, { transport: createPartTransport(purpose), wait: waitUntilOnline, mayRetry, onProgress })

interface Options {
  readonly purpose: AdFilePurpose
  readonly value: readonly SentMaterial[]
  onChange(value: readonly SentMaterial[]): void
  /** Changes the type of the ad. Undefined when the type is fixed. */
  readonly onType: ((adType: number) => void) | undefined
}

/** State of the uploads of one field. Several files upload at the same time, each in parts. */
export function useMaterialUploads({ purpose, value, onChange, onType }: Options) {
  const { problems, add, clear } = useFileProblems()
  const { adoptType, describeFittingType } = useFileTypes(purpose, onType)
  const { running, start } = useRunningUploads(useAppend({ value, onChange }), add)
  /** Purpose of the files that were chosen last. Their problems stay shown when these files change the type. */
  const chosen = useRef(purpose)
  useTypeChanged(purpose, () => {
    if (chosen.current !== purpose) clear()
    for (const each of running) if (each.purpose !== purpose) each.cancel()
  })

  const take = (files: readonly File[]) => {
    clear()
    const isUnused = value.length === 0 && running.length === 0
    const target = isUnused ? adoptType(files) : purpose
    chosen.current = target
    const room = MAX_MATERIALS - value.length - running.length
    if (files.length > room) add(`素材最多${MAX_MATERIALS}个`)
    for (const file of files.slice(0, Math.max(0, room))) {
      const problem = findUploadProblem(UPLOAD[target], file)
      if (problem) add(describeFittingType(file, target) ?? problem, file)
      else void start(file, target)
    }
  }
  return { running, problems, take }
}

type Append = (material: SentMaterial, purpose: AdFilePurpose) => void

/** Returns the running uploads, and a function that starts one. `addProblem` shows why an upload failed. */
function useRunningUploads(append: Append, addProblem: (problem: string, file: File) => void) {
  const [running, setRunning] = useState<readonly RunningUpload[]>([])
  useUnsaved(running.length > 0)
  const change = (key: number, fields: Partial<RunningUpload>) =>
    setRunning((all) => all.map((each) => (each.key === key ? { ...each, ...fields } : each)))
  const start = async (file: File, purpose: AdFilePurpose) => {
    const unusable = await findMediaProblem(file, purpose)
    if (unusable) return addProblem(unusable, file)
    lastKey += 1
    const key = lastKey
    const upload = uploadOf(file, purpose, (progress) => {
      change(key, { progress })
      if (progress.phase === 'failed') addProblem(progress.message, file)
    })
    const cancel = () => void upload.cancel()
    setRunning((all) => [...all, { key, name: file.name, purpose, progress: undefined, cancel }])
    const [stored, posterId] = await Promise.all([
      upload.result,
      purpose === 'adVideo' ? posterOf(file) : Promise.resolve(undefined),
    ])
    setRunning((all) => all.filter((each) => each.key !== key))
    if (stored) append({ fileId: stored.id, ...(posterId && { posterId }) }, purpose)
  }
  return { running, start }
}

/**
 * Returns a function that appends an uploaded file to the current value of the field. Several uploads may end before the
 * field renders again. A file of another type than the present one is dropped.
 */
function useAppend({ value, onChange }: Pick<Options, 'value' | 'onChange'>): Append {
  const form = Form.useFormInstance()
  const latest = useRef({ value, onChange })
  useEffect(() => {
    latest.current = { value, onChange }
  })
  return (material, purpose) => {
    const adType = (form.getFieldValue('adType') as number | undefined) ?? 0
    if (purpose !== MATERIAL_PURPOSE[adType]) return
    const next = [...latest.current.value, material]
    latest.current = { ...latest.current, value: next }
    latest.current.onChange(next)
  }
}

/** Calls `onChanged` after a change of the purpose, but not after the first rendering or when a hidden page is shown. */
function useTypeChanged(purpose: AdFilePurpose, onChanged: () => void) {
  const former = useRef(purpose)
  const changed = useEffectEvent(onChanged)
  useEffect(() => {
    if (former.current !== purpose) changed()
    former.current = purpose
  }, [purpose])
}

/** Returns functions for files that belong to another type of ad. `onType` changes the type, unless the type is fixed. */
function useFileTypes(purpose: AdFilePurpose, onType: ((adType: number) => void) | undefined) {
  const { label } = useAdTypes()
  return {
    /** Changes the type of an ad without files to the common type of the files. Returns the purpose for the files. */
    adoptType: (files: readonly File[]): AdFilePurpose => {
      const [adType, ...others] = new Set(files.map(({ name }) => findTypeOfFile(name)))
      const fitting = adType !== undefined && others.length === 0 ? MATERIAL_PURPOSE[adType] : undefined
      if (!onType || adType === undefined || fitting === undefined || fitting === purpose) return purpose
      onType(adType)
      return fitting
    },
    /** Returns which type fits a file that has no place under this purpose; undefined when no other type fits. */
    describeFittingType: ({ name }: File, chosen: AdFilePurpose): string | undefined => {
      const adType = findTypeOfFile(name)
      if (adType === undefined || MATERIAL_PURPOSE[adType] === chosen) return undefined
      const type = label(adType)
      return onType ? `该文件是${type}，请先选择类型「${type}」` : `该文件是${type}，请新增类型为「${type}」的广告`
    },
  }
}

/** Time limit in milliseconds for reading the metadata. After this time, the upload starts without the check. */
const METADATA_WAIT_MS = 5000
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
  const timer = setTimeout(() => resolve(undefined), METADATA_WAIT_MS)
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

const MAX_SIDE = 1280
const QUALITY = 0.85
/** Positions in seconds whose frames are examined. The first frame that is not nearly black becomes the poster. */
const TRIED = [0.1, 0.5, 1, 2, 4]
const SAMPLE = 16
const BRIGHT = 40
/** Time limit of decoding. A busy computer decodes slowly; a format that the browser does not know fails at once. */
const POSTER_WAIT_MS = 20_000

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
  const timer = setTimeout(fail, POSTER_WAIT_MS)
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
