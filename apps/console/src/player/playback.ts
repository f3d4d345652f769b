import type { ManifestAd, ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlannedSlot } from '@oms/contract/advertise/engine/playing.ts'
import { findSlotAt } from '@oms/contract/advertise/engine/playing.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import { buildTimeline } from '@oms/contract/advertise/engine/timeline.ts'
import { type Content, type ContentHost, createContent } from './contents/content.ts'
import type { Stage } from './stage.ts'
import { VisibleTime } from './reports/visible-time.ts'
import type { PlayerManifest } from './wire.ts'

const PREPARE_MS = 3_000
const JOIN_TOLERANCE_MS = 500
const STALL_MS = 5_000
/** Longest delay of a timer, so that a correction of the clock takes effect soon. */
const MAX_TIMER_MS = 30_000
/** A larger correction of the clock ends the play when the plan now has another play. */
const STEP_MS = 2_000

/** A slot with an ad that is counted. */
export type PlaySlot = PlannedSlot & {
  readonly program: NonNullable<PlannedSlot['program']>
  readonly item: NonNullable<PlannedSlot['item']>
  readonly ad: ManifestAd
}

export interface PlaybackHost extends ContentHost {
  now(): number
  manifest(): PlayerManifest | undefined
  /** Ads that cannot play. The object stays the same while its content does not change. */
  state(): ScreenState
  fileOf(ad: ManifestAd): ManifestFile | undefined
  onBegin(slot: PlaySlot): void
  /** `error` is set when the ad failed. */
  onEnd(slot: PlaySlot, shownMs: number, error?: string): void
  /** Called for an ad that failed before it was visible. */
  onFail(slot: PlaySlot, error: string): void
}

interface Entry {
  readonly slot: PlaySlot
  readonly content: Content
  readonly since: number
  isReady: boolean
}

interface Shown extends Entry {
  readonly manifest: PlayerManifest
  readonly time: VisibleTime
}

export const computeSlotEnd = ({ start, ms }: PlannedSlot) => start + ms
const keyOf = ({ start, program, item }: PlannedSlot) => [start, program?.id, program?.verNo, item?.id].join(':')
const isPlay = (slot: PlannedSlot): slot is PlaySlot => slot.ad !== null && slot.item !== null && slot.program !== null

/** Shows the content that the schedule engine plans for the current time, and counts each play. */
export class Playback {
  readonly #host: PlaybackHost
  readonly #stage: Stage
  #shown: Shown | undefined
  #next: Entry | undefined
  /** Key of the slot whose content is on the stage; empty while the idle picture is shown. */
  #held = ''
  #timer = 0

  constructor(host: PlaybackHost, stage: Stage) {
    this.#host = host
    this.#stage = stage
  }

  /** The play that is being counted. */
  get slot(): PlaySlot | undefined {
    return this.#shown?.slot
  }

  /** Shows the planned slot. Called by timers and after every change of the manifest, the state or the clock. */
  run() {
    clearTimeout(this.#timer)
    const now = this.#host.now()
    const slot = this.#slotAt(now)
    if (this.#shown && now < computeSlotEnd(this.#shown.slot) && !this.#isTakenOver(slot)) return this.#planEnd(now)
    if (!slot) return this.#showIdle(now + MAX_TIMER_MS)
    if (!isPlay(slot)) return this.#showIdle(computeSlotEnd(slot))
    const isJoin = now - slot.start > JOIN_TOLERANCE_MS
    const isPrepared = this.#next !== undefined && keyOf(this.#next.slot) === keyOf(slot)
    const isTooLate = isJoin && !isPrepared && computeSlotEnd(slot) - now < PREPARE_MS
    if (isTooLate && !slot.hold) return this.#awaitNext(slot)
    this.#begin(slot, now)
  }

  /** Applies a correction of the clock. A small correction only moves the timers. */
  onStep(ms: number) {
    const slot = this.#slotAt(this.#host.now())
    if (this.#shown && Math.abs(ms) > STEP_MS && (!slot || keyOf(slot) !== keyOf(this.#shown.slot))) this.#finish()
    this.run()
  }

  /** Restarts at the current time of the host, after the preview moved its clock. */
  jump() {
    this.#finish()
    this.#discardNext()
    this.#held = ''
    this.run()
  }

  #slotAt(instant: number) {
    const manifest = this.#host.manifest()
    return manifest && findSlotAt(buildTimeline(manifest, this.#host.state()), instant)
  }

  /** Returns true when a takeover of a newly arrived manifest must cut the current play. Nothing else cuts a play. */
  #isTakenOver(slot: PlannedSlot | undefined) {
    if (!slot || !this.#shown || this.#shown.manifest === this.#host.manifest()) return false
    return (slot.rule === 'takeover' || slot.rule === 'once') && keyOf(slot) !== keyOf(this.#shown.slot)
  }

  #plan(instant: number) {
    clearTimeout(this.#timer)
    const ms = (instant - this.#host.now()) / this.#host.rate()
    this.#timer = window.setTimeout(() => this.run(), Math.max(0, Math.min(ms, MAX_TIMER_MS)))
  }

  /** Plans the preparation of the next slot and the end of this one. */
  #planEnd(now: number) {
    const { slot, manifest } = this.#shown!
    const end = computeSlotEnd(slot)
    if (manifest !== this.#host.manifest()) {
      // The new manifest may have a takeover before the end.
      const segmentEnd = this.#slotAt(now)?.segment.end ?? end
      return this.#plan(Math.min(end, segmentEnd > now ? segmentEnd : end))
    }
    if (now < end - PREPARE_MS * this.#host.rate()) return this.#plan(end - PREPARE_MS * this.#host.rate())
    this.#prepareNext(end)
    this.#plan(end)
  }

  #prepareNext(instant: number) {
    const next = this.#slotAt(instant)
    if (next && isPlay(next) && !next.hold) this.#entryOf(next)
  }

  #awaitNext(slot: PlannedSlot) {
    this.#finish()
    this.#prepareNext(computeSlotEnd(slot))
    this.#plan(computeSlotEnd(slot))
  }

  #showIdle(until: number) {
    this.#finish()
    this.#discardNext()
    this.#held = ''
    this.#stage.showIdle()
    this.#plan(until)
  }

  /** Returns the prepared content of a slot. Starts the preparation if necessary. */
  #entryOf(slot: PlaySlot): Entry {
    const known = this.#next
    if (known && keyOf(known.slot) === keyOf(slot)) return known
    this.#discardNext()
    const content = createContent(this.#host, slot.ad, this.#host.fileOf(slot.ad))
    const entry: Entry = { slot, content, since: performance.now(), isReady: false }
    this.#next = entry
    this.#stage.prepare(content)
    content.ready.then(
      () => {
        entry.isReady = true
        if (this.#next === entry && this.#host.now() >= slot.start) this.run()
      },
      (error: unknown) => this.#failNext(entry, error instanceof Error ? error.message : 'media'),
    )
    return entry
  }

  #begin(slot: PlaySlot, now: number) {
    // During a hold, the earlier content stays on the stage.
    if (slot.hold && this.#held !== '') {
      this.#finish()
      return this.#plan(computeSlotEnd(slot))
    }
    const entry = this.#entryOf(slot)
    if (entry.isReady) return this.#show(entry, now)
    // The earlier content stays on the stage until this content is ready.
    this.#finish()
    if (performance.now() - entry.since >= STALL_MS) return this.#failNext(entry, 'stall')
    this.#plan(Math.min(computeSlotEnd(slot), now + STALL_MS))
  }

  #show(entry: Entry, now: number) {
    const { slot, content } = entry
    const manifest = this.#host.manifest()
    if (!manifest) return
    const ended = this.#shown
    this.#shown = undefined
    this.#next = undefined
    this.#held = keyOf(slot)
    this.#stage.show(content, now - slot.start, slot.item.transition === 1)
    if (ended) this.#count(ended)
    if (slot.hold) return this.#plan(computeSlotEnd(slot))
    const shown: Shown = { ...entry, manifest, time: new VisibleTime() }
    this.#shown = shown
    content.onFail = (error) => this.#failShown(shown, error)
    this.#host.onBegin(slot)
    this.#planEnd(now)
  }

  /** Ends the counted play. Its content stays on the stage. */
  #finish() {
    const shown = this.#shown
    this.#shown = undefined
    if (shown) this.#count(shown)
  }

  #count({ slot, time }: Shown, error?: string) {
    this.#host.onEnd(slot, time.stop(), error)
  }

  #failShown(shown: Shown, error: string) {
    if (this.#shown !== shown) return
    this.#shown = undefined
    this.#count(shown, error)
    this.run()
  }

  #failNext(entry: Entry, error: string) {
    if (this.#next !== entry) return
    this.#discardNext()
    this.#host.onFail(entry.slot, error)
    this.run()
  }

  #discardNext() {
    if (this.#next) this.#stage.discard(this.#next.content)
    this.#next = undefined
  }
}
