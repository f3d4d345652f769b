import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { type Api, parseJson } from '../api.ts'
import type { PlayerClock } from '../clock.ts'
import { readSetting, removeSetting, writeSetting } from '../database.ts'
import type { Pairing, PlayerManifest } from '../wire.ts'
import { haveSameContent, keepEarlierVersions, keepNewTakeovers, removeWithdrawn } from './merge-manifests.ts'

const CURRENT = 'manifest'
const PENDING = 'pendingManifest'
const REFUSED = 'refusedSince'
const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const MOMENT_MS = 1000
const DEFAULT_POLL_S = 60
const OFFLINE_POLL_S = 20

interface Version {
  /**
   * ETag of the server's manifest. Empty for a partial or merged manifest, because the server sent no such manifest.
   */
  readonly etag: string
  readonly manifest: PlayerManifest
}

export interface SyncRules {
  /** Returns the chosen rendition of each ad that needs one, in the order of the ads. */
  filesOf(manifest: PlayerManifest, adIds: Iterable<number>): ManifestFile[]
  isStored(file: ManifestFile): boolean
  /** True when the last download of the file failed. The player tries again later. */
  hasFailed(file: ManifestFile): boolean
  /**
   * Returns for how many milliseconds until `to` a screen with this manifest shows ads. With `assumesFiles`, all files
   * count as stored.
   */
  shownMs(manifest: PlayerManifest, to: number, assumesFiles: boolean): number
  onChange(): void
  onPolled(): void
}

/**
 * Polls the manifest. A new manifest replaces the current one when all files due within 24 hours are stored. With
 * failed files it replaces the current one when the screen would then show ads for at least as long as before.
 * Otherwise, and on a screen that shows nothing now, the programs without a stored file keep their earlier version and the others change.
 * When even this mix would show ads for less time, the current manifest plays without its withdrawn programs and ads.
 */
export class ManifestSync {
  readonly #api: Api
  readonly #pairing: Pairing
  readonly #clock: PlayerClock
  readonly #rules: SyncRules
  #current: Version | undefined
  #pending: Version | undefined
  /** Time of the first 401 since the last successful poll; 0 without a 401. */
  #refusedSince = 0
  #timer = 0
  #wanted:
    | { readonly version: Version; readonly until: number; readonly due: number; readonly files: ManifestFile[] }
    | undefined

  constructor(api: Api, pairing: Pairing, clock: PlayerClock, rules: SyncRules) {
    this.#api = api
    this.#pairing = pairing
    this.#clock = clock
    this.#rules = rules
  }

  /** Loads the manifests that were stored before the page was reloaded. */
  async load() {
    const [current, pending, refusedSince] = await Promise.all([
      readSetting<Version>(CURRENT),
      readSetting<Version>(PENDING),
      readSetting<number>(REFUSED),
    ])
    this.#current = current
    this.#pending = pending
    this.#refusedSince = refusedSince ?? 0
  }

  /** The manifest that plays. Undefined without one, and when the server has refused this screen for 24 hours. */
  get manifest(): PlayerManifest | undefined {
    if (this.#refusedSince > 0 && this.#clock.now() - this.#refusedSince > DAY_MS) return undefined
    return this.#current?.manifest
  }

  /** ETag of the manifest whose programs all play. Empty while a partial or merged manifest plays. */
  get appliedEtag() {
    return this.#current?.etag.replace(/^W\/|"/g, '') ?? ''
  }

  /** True while programs keep their earlier version because files of the new manifest are not stored. */
  get keepsEarlier() {
    return this.#current !== undefined && this.#pending !== undefined
  }

  /** The current and the pending manifest. Their files must not be removed. */
  get versions(): PlayerManifest[] {
    return [this.#current, this.#pending].flatMap((each) => (each ? [each.manifest] : []))
  }

  /** Files of the newest manifest: those due within 24 hours in the order of their first play, then the others. */
  wanted(): readonly ManifestFile[] {
    return this.#wantedOf(this.#pending ?? this.#current)?.files ?? []
  }

  /** Chooses the renditions again at the next call of `wanted`. */
  rechooseFiles() {
    this.#wanted = undefined
  }

  #wantedOf(version: Version | undefined) {
    const now = this.#clock.now()
    if (!version) return undefined
    if (this.#wanted?.version === version && now < this.#wanted.until) return this.#wanted
    const { manifest } = version
    const dueAds = new Set<number>()
    for (const { ad } of listSlotsBetween(manifest, now, now + DAY_MS)) if (ad) dueAds.add(ad.id)
    const due = this.#rules.filesOf(manifest, dueAds)
    const all = this.#rules.filesOf(
      manifest,
      manifest.ads.map(({ id }) => id),
    )
    const files = [...new Map([...due, ...all].map((file) => [file.sha256, file])).values()]
    const count = new Set(due.map(({ sha256 }) => sha256)).size
    this.#wanted = { version, until: now + HOUR_MS, due: count, files }
    return this.#wanted
  }

  /**
   * Replaces the current manifest by the pending one when the current one shows nothing or the pending one is
   * complete.
   */
  swap() {
    const pending = this.#pending
    if (!pending) return
    if (this.#current && this.#showsWithin(DAY_MS, this.#current) && !this.#isComplete(pending, this.#current)) return
    this.#current = pending
    this.#pending = undefined
    void writeSetting(CURRENT, pending)
      .then(() => removeSetting(PENDING))
      .catch(() => undefined)
    this.#rules.onChange()
  }

  /** True when a screen with this manifest shows an ad within this time. */
  #showsWithin(ms: number, { manifest }: Version) {
    return this.#rules.shownMs(manifest, this.#clock.now() + ms, false) > 0
  }

  /**
   * True when the files of the next 24 hours are stored, or when the missing ones failed and the pending manifest fills
   * the time without them. Otherwise changes the part of the current manifest that needs no failed file.
   */
  #isComplete(pending: Version, current: Version) {
    const { files, due } = this.#wantedOf(pending)!
    const missing = files.slice(0, due).filter((file) => !this.#rules.isStored(file))
    if (missing.length === 0) return true
    const hasFailed = missing.every((file) => this.#rules.hasFailed(file))
    // A screen that shows nothing now begins with the files that it has.
    if (!hasFailed && this.#showsWithin(MOMENT_MS, current)) return false
    const remaining = removeWithdrawn(current.manifest, pending.manifest)
    if (hasFailed && this.#isShownEnough(pending.manifest, pending.manifest, remaining)) return true
    const mixed = this.#mix(pending.manifest, remaining)
    if (!haveSameContent(mixed, current.manifest)) this.#keepPart(mixed)
    return false
  }

  /**
   * Returns the mix of both manifests. Returns the remaining one when the screen would show the mix too short, and the
   * mix has no new takeover within an hour.
   */
  #mix(pending: PlayerManifest, remaining: PlayerManifest): PlayerManifest {
    const { filesOf, isStored, shownMs } = this.#rules
    const mixed = keepEarlierVersions(pending, remaining, (manifest, { id }) =>
      filesOf(manifest, [id]).every((file) => isStored(file)),
    )
    const takeovers = keepNewTakeovers(mixed, remaining)
    const isMixed =
      this.#isShownEnough(mixed, pending, remaining) || shownMs(takeovers, this.#clock.now() + HOUR_MS, false) > 0
    return isMixed ? mixed : remaining
  }

  /** True when a manifest shows ads at least as long as the pending one with all files, or as the current one. */
  #isShownEnough(manifest: PlayerManifest, pending: PlayerManifest, current: PlayerManifest) {
    const { shownMs } = this.#rules
    const to = this.#clock.now() + DAY_MS
    return shownMs(manifest, to, false) >= Math.min(shownMs(pending, to, true), shownMs(current, to, false))
  }

  #keepPart(manifest: PlayerManifest) {
    this.#current = { etag: '', manifest }
    void writeSetting(CURRENT, this.#current).catch(() => undefined)
    this.#rules.onChange()
  }

  /** Polls now, then at the interval that the server sets. */
  async poll() {
    clearTimeout(this.#timer)
    let seconds = OFFLINE_POLL_S
    let isPolled = false
    try {
      const etag = (this.#pending ?? this.#current)?.etag
      const { status, headers, body } = await this.#api.call(`manifest/${encodeURIComponent(this.#pairing.sn)}`, {
        token: this.#pairing.token,
        ...(etag && { headers: { 'if-none-match': etag } }),
      })
      seconds = Number(headers.get('x-oms-poll')) || DEFAULT_POLL_S
      if (status === 200) await this.#take({ etag: headers.get('etag') ?? '', manifest: parseJson(body) })
      if (status === 200 || status === 304) await this.#setRefused(0)
      if (status === 401 && this.#refusedSince === 0) await this.#setRefused(this.#clock.now())
      isPolled = true
    } catch {
      // There is no network, or a captive portal sent a page. The player continues with its stored manifests.
    }
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.poll(), Math.min(3600, Math.max(5, seconds)) * 1000)
    // The last planned play of the current manifest may have ended since the last poll, also without a network.
    this.swap()
    if (isPolled) this.#rules.onPolled()
  }

  async #take(version: Version) {
    const { format, programs, ads } = version.manifest
    if (format !== 1 || !Array.isArray(programs) || !Array.isArray(ads)) throw new Error('no manifest')
    this.#pending = version
    await writeSetting(PENDING, version)
    this.swap()
    this.#rules.onChange()
  }

  async #setRefused(since: number) {
    if (this.#refusedSince === since) return
    this.#refusedSince = since
    await writeSetting(REFUSED, since)
    this.#rules.onChange()
  }
}
