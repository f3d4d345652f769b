import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { Content, ContentHost } from './content.ts'

const STALL_MS = 5_000
/** Maximum difference in seconds between the position of a video and the plan before the position is corrected. */
const DRIFT_S = 0.3
/** Highest playback rate that browsers accept. */
const MAX_RATE = 16

/** A video or a sound. */
export class TimedMedia implements Content {
  readonly element: HTMLElement
  readonly ready: Promise<void>
  onFail: (error: string) => void = () => {}
  readonly #host: ContentHost
  readonly #media: HTMLMediaElement
  #url = ''
  #stallTimer = 0
  #isStopped = false

  /** `picture` is the element that is shown; a sound has a separate one. */
  constructor(host: ContentHost, file: ManifestFile, media: HTMLMediaElement, picture: HTMLElement = media) {
    this.#host = host
    this.#media = media
    this.element = picture
    if (picture === media) media.className = 'content'
    media.preload = 'auto'
    media.setAttribute('playsinline', '')
    this.ready = this.#load(file)
  }

  async #load(file: ManifestFile) {
    const media = this.#media
    const blob = await this.#host.read(file)
    if (this.#isStopped) return
    this.#url = URL.createObjectURL(blob)
    await new Promise<void>((done, reject) => {
      media.oncanplay = () => done()
      media.onerror = () => reject(new Error(errorOf(media)))
      media.src = this.#url
    })
    media.onerror = () => this.#fail(errorOf(media))
  }

  start(offsetMs: number) {
    const media = this.#media
    media.volume = this.#host.volume()
    media.playbackRate = Math.min(MAX_RATE, this.#host.rate())
    if (Math.abs(media.currentTime - offsetMs / 1000) > DRIFT_S) media.currentTime = offsetMs / 1000
    media.onwaiting = () => {
      clearTimeout(this.#stallTimer)
      this.#stallTimer = window.setTimeout(() => this.#fail('stall'), STALL_MS)
    }
    media.onplaying = media.onended = () => clearTimeout(this.#stallTimer)
    this.#play().catch((error: unknown) => this.#fail(String((error as Error).name)))
  }

  /** Starts to play. Where the browser refuses sound before a first touch, plays without sound. */
  async #play() {
    const media = this.#media
    try {
      await media.play()
    } catch (error) {
      if ((error as Error).name === 'AbortError') return
      if ((error as Error).name !== 'NotAllowedError' || media.muted) throw error
      media.muted = true
      this.#host.onMuted()
      await media.play()
    }
  }

  #fail(error: string) {
    clearTimeout(this.#stallTimer)
    if (!this.#isStopped) this.onFail(error)
  }

  stop() {
    this.#isStopped = true
    clearTimeout(this.#stallTimer)
    this.#media.onerror = null
    this.#media.pause()
    this.#media.removeAttribute('src')
    this.#media.load()
    URL.revokeObjectURL(this.#url)
  }
}

const ERRORS: Readonly<Record<number, string>> = { 1: 'aborted', 2: 'network', 3: 'decode', 4: 'codec' }
const errorOf = ({ error }: HTMLMediaElement) => ERRORS[error?.code ?? 0] ?? 'media'
