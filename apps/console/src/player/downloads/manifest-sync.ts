import type { ManifestFile } from '@oms/contract/ad-engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/ad-engine/playing.ts'
import { type Api, parseJson } from '../api.ts'
import type { PlayerClock } from '../clock.ts'
import { readSetting, removeSetting, writeSetting } from '../database.ts'
import type { Pairing, PlayerManifest } from '../wire.ts'

const CURRENT = 'manifest'
const PENDING = 'pendingManifest'
const REFUSED = 'refusedSince'
const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const DEFAULT_POLL_S = 60
const OFFLINE_POLL_S = 20

interface Version {
  readonly etag: string
  readonly manifest: PlayerManifest
}

export interface SyncRules {
  /** Returns the chosen rendition of each ad that needs one, in the order of the ads. */
  filesOf(manifest: PlayerManifest, adIds: Iterable<number>): ManifestFile[]
  isStored(file: ManifestFile): boolean
  /** True when the download of the file failed for now. */
  hasFailed(file: ManifestFile): boolean
  /** True when a screen with this manifest would show an ad now. */
  isPlayable(manifest: PlayerManifest): boolean
  /**
   * Returns the milliseconds until `to` in which a screen with this manifest shows an ad. With `assumesFiles` all files
   * count as stored.
   */
  shownMs(manifest: PlayerManifest, to: number, assumesFiles: boolean): number
  onChange(): void
  onPolled(): void
}

/**
 * Polls the manifest. A new manifest replaces the current one when all files due within 24 hours are stored. With failed
 * files it replaces the current one when a new takeover is due within an hour, or when the screen then shows ads no
 * shorter than before. Until then the current manifest plays without its withdrawn programs and ads.
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

  /** Reads the manifests that an earlier page stored. */
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

  get appliedEtag() {
    return this.#current?.etag.replace(/^W\/|"/g, '') ?? ''
  }

  /** The current and the pending manifest. Their files must not be removed. */
  get versions(): PlayerManifest[] {
    return [this.#current, this.#pending].flatMap((each) => (each ? [each.manifest] : []))
  }

  /** Files of the newest manifest: those due within 24 hours in the order of their first play, then the others. */
  wanted(): readonly ManifestFile[] {
    return this.#wantedOf(this.#pending ?? this.#current)?.files ?? []
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

  /** Replaces the current manifest by the pending one when the screen shows no less afterwards. */
  swap() {
    const pending = this.#pending
    if (!pending) return
    if (this.#current && this.#rules.isPlayable(this.#current.manifest) && !this.#isComplete(pending, this.#current))
      return
    this.#current = pending
    this.#pending = undefined
    void writeSetting(CURRENT, pending)
      .then(() => removeSetting(PENDING))
      .catch(() => undefined)
    this.#rules.onChange()
  }

  /**
   * True when the files of the next 24 hours are stored, or when the missing ones failed and the pending manifest fills
   * the time without them. Removes withdrawn content from the current manifest when failed files delay the pending one.
   */
  #isComplete(pending: Version, current: Version) {
    const { files, due } = this.#wantedOf(pending)!
    const missing = files.slice(0, due).filter((file) => !this.#rules.isStored(file))
    if (missing.length === 0) return true
    if (!missing.every((file) => this.#rules.hasFailed(file))) return false
    const kept = removeWithdrawn(current.manifest, pending.manifest)
    if (this.#fillsTime(pending.manifest, kept)) return true
    if (kept !== current.manifest) this.#keepPart({ ...current, manifest: kept })
    return false
  }

  /**
   * True when the pending manifest shows a new takeover within an hour, or shows ads as long as it would with all files,
   * or as long as the current one.
   */
  #fillsTime(pending: PlayerManifest, current: PlayerManifest) {
    const now = this.#clock.now()
    if (this.#rules.shownMs(keepNewTakeovers(pending, current), now + HOUR_MS, false) > 0) return true
    const to = now + DAY_MS
    const shown = this.#rules.shownMs(pending, to, false)
    const planned = this.#rules.shownMs(pending, to, true)
    return shown >= Math.min(planned, this.#rules.shownMs(current, to, false))
  }

  #keepPart(current: Version) {
    this.#current = current
    void writeSetting(CURRENT, current).catch(() => undefined)
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
        ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
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
    // The plan of the current manifest may have ended since the last attempt, with or without a network.
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

/**
 * Returns the current manifest without the programs that the pending manifest lacks, and without the ads that the pending
 * programs list and the pending manifest lacks. An ad that a new version of a program replaced stays. Returns the same
 * object when nothing is withdrawn.
 */
function removeWithdrawn(current: PlayerManifest, pending: PlayerManifest): PlayerManifest {
  const programIds = new Set(pending.programs.map(({ id }) => id))
  const withdrawnAds = new Set(pending.programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  for (const { id } of pending.ads) withdrawnAds.delete(id)
  const programs = current.programs.filter(({ id }) => programIds.has(id))
  const ads = current.ads.filter(({ id }) => !withdrawnAds.has(id))
  const isUnchanged = programs.length === current.programs.length && ads.length === current.ads.length
  return isUnchanged ? current : { ...current, programs, ads }
}

/** Returns the pending manifest with only those takeovers whose version the current manifest does not contain. */
function keepNewTakeovers(pending: PlayerManifest, current: PlayerManifest): PlayerManifest {
  const versions = new Map(current.programs.map(({ id, verNo }) => [id, verNo]))
  const isNewTakeover = ({ id, verNo, insertMode }: PlayerManifest['programs'][number]) =>
    insertMode > 0 && versions.get(id) !== verNo
  return { ...pending, programs: pending.programs.filter(isNewTakeover) }
}
