import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import { isAllowedAddress } from '../contents/frames.ts'
import type { MediaStore } from './media-store.ts'
import { chooseRendition, needsFile } from './renditions.ts'
import { canPlayCodec, readScreenSize } from '../reports/screen-facts.ts'
import type { PlayerManifest } from '../wire.ts'

const MAX_FAILURES = 3
const REST_MS = 60 * 60_000

const choose = (files: ManifestAd['files']) =>
  chooseRendition({ files }, { ...readScreenSize(), mayPlay: canPlayCodec })

/** Determines which ads the screen can show now. The engine skips the other ads. */
export class Availability {
  readonly #media: MediaStore
  readonly #isOnline: () => boolean
  readonly #hasNoRoom: (file: ManifestFile) => boolean
  readonly #failures = new Map<number, { readonly count: number; readonly until: number }>()
  #state: ScreenState = {}
  #stateKey = ''

  /** `hasNoRoom` returns true for a file for which the browser had no room in the last hour. */
  constructor(media: MediaStore, isOnline: () => boolean, hasNoRoom: (file: ManifestFile) => boolean) {
    this.#media = media
    this.#isOnline = isOnline
    this.#hasNoRoom = hasNoRoom
  }

  /**
   * Returns the rendition that this screen plays: the wanted one, or a stored one while the wanted one is not stored.
   */
  fileOf = (ad: ManifestAd): ManifestFile | undefined => {
    const wanted = this.#wantedFileOf(ad)
    if (!wanted || this.#media.isReady(wanted)) return wanted
    return choose(ad.files.filter((file) => this.#media.isReady(file))) ?? wanted
  }

  /**
   * Returns the rendition that this screen downloads: the best one for which the browser has room. When no rendition
   * has room, returns the best one.
   */
  #wantedFileOf(ad: ManifestAd): ManifestFile | undefined {
    const best = needsFile(ad) ? choose(ad.files) : undefined
    let file = best
    while (file && this.#hasNoRoom(file)) {
      const { size } = file
      file = choose(ad.files.filter((each) => each.size < size))
    }
    return file ?? best
  }

  /** Returns the files that the screen downloads for these ads. */
  filesOf(manifest: PlayerManifest, adIds: Iterable<number>): ManifestFile[] {
    const ads = new Map(manifest.ads.map((ad) => [ad.id, ad]))
    return [...adIds].flatMap((id) => {
      const ad = ads.get(id)
      const file = ad && this.#wantedFileOf(ad)
      return file ? [file] : []
    })
  }

  /** Returns the files that must stay in the browser for this manifest: those to download and those that play. */
  neededFiles({ ads }: PlayerManifest): ManifestFile[] {
    return ads.flatMap((ad) => [this.#wantedFileOf(ad), this.fileOf(ad)].filter((file) => file !== undefined))
  }

  /** Returns the ads that the engine must skip. The object stays the same while its content does not change. */
  stateOf(manifest: PlayerManifest, now: number): ScreenState {
    const state = this.computeState(manifest, now)
    const key = `${state.filesNotReady.join()}|${state.codecsUnsupported.join()}`
    if (key !== this.#stateKey) this.#state = state
    this.#stateKey = key
    return this.#state
  }

  /** Returns the ads that the engine must skip. With `assumesFiles`, all files count as stored. */
  computeState({ ads }: PlayerManifest, now: number, assumesFiles = false) {
    return {
      filesNotReady: ads.filter((ad) => !this.#isAvailable(ad, now, assumesFiles)).map(({ id }) => id),
      codecsUnsupported: ads.filter((ad) => needsFile(ad) && !this.fileOf(ad)).map(({ id }) => id),
    }
  }

  #isAvailable(ad: ManifestAd, now: number, assumesFiles: boolean) {
    const failure = this.#failures.get(ad.id)
    if (failure && now < failure.until) return false
    if (ad.type === AD_TYPE.web) return this.#isOnline() && isAllowedAddress(ad.linkUrl)
    if (ad.type === AD_TYPE.package && !navigator.serviceWorker?.controller) return false
    const file = this.fileOf(ad)
    return !file || assumesFiles || this.#media.isReady(file)
  }

  /** Counts a failed play. Returns true at the third failure: the ad is then skipped for an hour. */
  fail(ad: ManifestAd, now: number, slotEnd: number): boolean {
    const count = (this.#failures.get(ad.id)?.count ?? 0) + 1
    const rests = count >= MAX_FAILURES
    this.#failures.set(ad.id, { count: rests ? 0 : count, until: rests ? now + REST_MS : slotEnd })
    return rests
  }

  /** Resets the failures of an ad that played to its end, or whose file was replaced. */
  clear({ id }: ManifestAd) {
    this.#failures.delete(id)
  }

  resting(now: number) {
    return [...this.#failures].filter(([, { count, until }]) => count === 0 && now < until).map(([id]) => id)
  }
}
