import '../player.css'
import './preview.css'
import { type PlannedSlot, findSlotAt } from '@oms/contract/advertise/engine/playing.ts'
import { buildTimeline } from '@oms/contract/advertise/engine/timeline.ts'
import type { PreviewMessage, PreviewPackages, PreviewShow } from '@oms/contract/advertise/preview.ts'
import { createElement } from '../pages/dom.ts'
import { createMessagePicture } from '../pages/message-picture.ts'
import { computeSlotEnd, Playback, type PlaySlot } from '../playback.ts'
import { type Orientation, PreviewBar, type TimelinePart } from './preview-bar.ts'
import { PreviewClock } from './preview-clock.ts'
import { PreviewFiles } from './preview-files.ts'
import { Stage } from '../stage.ts'

const CLOCK_MS = 250
const LOADING = '正在加载素材'
const NOTHING = '暂无播放内容'
const KINDS = {
  takeover: 'takeover',
  once: 'takeover',
  loop: 'loop',
  tenantDefault: 'default',
  platformDefault: 'default',
  idle: 'idle',
}

/** Plays a manifest with the engine and the contents of the player, and a separate clock. Sends no reports. */
class Preview {
  readonly #clock = new PreviewClock()
  readonly #idle = createMessagePicture(LOADING)
  readonly #stage = new Stage(this.#idle)
  readonly #box = createElement('div', 'preview-box', this.#stage.root)
  readonly #bar: PreviewBar
  readonly #playback: Playback
  #shown: PreviewShow<Blob> | undefined
  #files: PreviewFiles | undefined
  #orientation: Orientation = 'landscape'
  #day = NaN

  constructor(root: HTMLElement) {
    this.#bar = new PreviewBar({
      previous: () => this.#skip(-1),
      next: () => this.#skip(1),
      rate: (rate) => {
        this.#clock.rate = rate
        this.#playback.jump()
      },
      orientation: (orientation) => this.#turn(orientation),
      seek: (second) => this.#seek(this.#dayStart() + second * 1000),
    })
    this.#playback = new Playback(this.#host(), this.#stage)
    root.classList.add('preview')
    root.append(createElement('div', 'preview-area', this.#box), this.#bar.root)
    window.addEventListener('resize', () => this.#resize())
    setInterval(() => this.#tick(), CLOCK_MS)
  }

  show(message: PreviewShow<Blob>) {
    this.#shown = message
    this.#files = new PreviewFiles(message)
    this.#day = NaN
    this.#turn(message.orientation ?? this.#orientation)
    this.#bar.setOrientation(this.#orientation)
    this.#seek(message.at ?? Date.now())
  }

  renewPackages({ packages }: PreviewPackages) {
    if (this.#files) this.#files.packages = packages
  }

  #host() {
    return {
      now: () => this.#clock.now(),
      rate: () => this.#clock.rate,
      volume: () => 1,
      manifest: () => this.#shown?.manifest,
      state: () => this.#files!.state,
      fileOf: (ad: PlaySlot['ad']) => this.#files?.fileOf(ad),
      read: (file: Parameters<PreviewFiles['read']>[0]) => this.#files!.read(file),
      packageSearch: (file: Parameters<PreviewFiles['read']>[0]) => this.#files!.packageSearch(file),
      onMuted: () => {},
      onBegin: (slot: PlaySlot) => this.#tell(slot),
      onEnd: (slot: PlaySlot, _shownMs: number, error?: string) => error !== undefined && this.#fail(slot, error),
      onFail: (slot: PlaySlot, error: string) => this.#fail(slot, error),
    }
  }

  /** Continues with the next slot, so that a failed ad does not stop the preview. */
  #fail(slot: PlaySlot, error: string) {
    this.#tell(slot, error)
    this.#bar.setName(`${slot.ad.name} 无法播放`)
    this.#clock.seek(Math.max(this.#clock.now(), computeSlotEnd(slot)))
  }

  #tell(slot: PlaySlot, error?: string) {
    this.#bar.setName(`${slot.program.name} · ${slot.ad.name}`)
    const { program, item, ad } = slot
    const at = this.#clock.now()
    send({
      type: 'ad-preview:playing',
      at,
      programId: program.id,
      itemId: item.id,
      adId: ad.id,
      ...(error && { error }),
    })
  }

  #slotAt(instant: number): PlannedSlot | undefined {
    return this.#shown && findSlotAt(buildTimeline(this.#shown.manifest, this.#files!.state), instant)
  }

  /** Moves to the start of the slot before or after. */
  #skip(by: 1 | -1) {
    const slot = this.#slotAt(this.#clock.now())
    if (!slot) return
    this.#seek(by === 1 ? computeSlotEnd(slot) : this.#slotAt(slot.start - 1)!.start)
  }

  #seek(instant: number) {
    this.#clock.seek(instant)
    this.#bar.setName('')
    this.#playback.jump()
    this.#tick()
  }

  #turn(orientation: Orientation) {
    this.#orientation = orientation
    if (this.#files) this.#files.orientation = orientation
    this.#resize()
    this.#playback.jump()
  }

  /** Fits a box of the screen's proportions into the free area. */
  #resize() {
    const { clientWidth, clientHeight } = this.#box.parentElement!
    const ratio = this.#orientation === 'landscape' ? 16 / 9 : 9 / 16
    const width = Math.min(clientWidth, clientHeight * ratio)
    this.#box.style.width = `${width}px`
    this.#box.style.height = `${width / ratio}px`
  }

  #dayStart() {
    const { zone } = buildTimeline(this.#shown!.manifest, this.#files!.state)
    return zone.startOf(zone.dayAt(this.#clock.now()), 0)
  }

  #tick() {
    if (!this.#shown) return
    const start = this.#dayStart()
    this.#bar.setTime(Math.floor((this.#clock.now() - start) / 1000))
    if (start !== this.#day) this.#bar.setTimeline(this.#timeline(start))
    this.#day = start
    // While a planned ad loads, the picture below the ads is visible.
    const sentence = this.#idle.querySelector('p')!
    const text = this.#slotAt(this.#clock.now())?.ad ? LOADING : NOTHING
    if (sentence.textContent !== text) sentence.textContent = text
  }

  /** Returns the segments of the local day, with the names of their programs. */
  #timeline(start: number): TimelinePart[] {
    const timeline = buildTimeline(this.#shown!.manifest, this.#files!.state)
    return timeline.segmentsOn(timeline.zone.dayAt(start)).map(({ start: from, end: to, choice }) => ({
      from: Math.max(0, (from - start) / 1000),
      to: Math.min(86_400, (to - start) / 1000),
      kind: KINDS[choice.rule],
      title: choice.streams.map(({ program }) => program.name).join('、') || NOTHING,
    }))
  }
}

const send = (message: PreviewMessage) => window.parent.postMessage(message, location.origin)

const root = document.getElementById('player')
if (root) {
  const preview = new Preview(root)
  type Received = PreviewShow<Blob> | PreviewPackages | undefined
  window.addEventListener('message', ({ origin, source, data }: MessageEvent<Received>) => {
    if (origin !== location.origin || source !== window.parent) return
    if (data?.type === 'ad-preview:show') preview.show(data)
    if (data?.type === 'ad-preview:packages') preview.renewPackages(data)
  })
  send({ type: 'ad-preview:ready' })
}
