import type { ManifestAd, ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { Api } from './api.ts'
import { Availability } from './downloads/availability.ts'
import type { PlayerClock } from './clock.ts'
import { isShellCached, nextReloadTime } from './daily-reload.ts'
import { isWithinDownloadWindow } from './downloads/download-window.ts'
import { Downloads, QUOTA_EXCEEDED } from './downloads/downloads.ts'
import { ManifestSync } from './downloads/manifest-sync.ts'
import { MediaStore } from './downloads/media-store.ts'
import { computeShownMs } from './downloads/shown-time.ts'
import { createMessagePicture } from './pages/message-picture.ts'
import { computeSlotEnd, Playback, type PlaySlot } from './playback.ts'
import { Plays } from './reports/plays.ts'
import { ReportQueue } from './reports/report-queue.ts'
import { ReportSender } from './reports/report-sender.ts'
import { readFreeBytes, detectPlayableCodecs, readScreenSize } from './reports/screen-facts.ts'
import { Stage } from './stage.ts'
import { type ScreenStatus, StatusSender } from './reports/status.ts'
import type { Pairing, PlayerManifest } from './wire.ts'

const STORE_CLOCK_MS = 5_000
/** Reason of a failed download: the file does not fit into the storage, and its programs keep their earlier version. */
const QUOTA_EXCEEDED_EARLIER = 'quota earlier'
/** Hash in the URL of this script. The list of screens shows the hash as the version of the player. */
const SCRIPT_HASH = /-(\w{8})\.js$/.exec((document.currentScript as HTMLScriptElement | null)?.src ?? '')?.[1] ?? 'dev'

/** The player of a paired screen. */
export class PlayerApp {
  readonly #clock: PlayerClock
  readonly #media: MediaStore
  readonly #available: Availability
  readonly #sync: ManifestSync
  readonly #downloads: Downloads
  readonly #sender: ReportSender
  readonly #plays: Plays
  readonly #playback: Playback
  readonly #status: StatusSender
  #isMuted = false
  #reloadAt = Infinity
  /** Version of the manifest whose first content is reported. */
  #reportedEtag = ''

  static async start(root: HTMLElement, api: Api, clock: PlayerClock, pairing: Pairing) {
    const [media, queue] = await Promise.all([MediaStore.open(), ReportQueue.open()])
    const app = new PlayerApp({ api, clock, pairing, media, queue, open: await queue.openRows() }, root)
    await app.#sync.load()
    app.#run()
  }

  private constructor(
    parts: {
      api: Api
      clock: PlayerClock
      pairing: Pairing
      media: MediaStore
      queue: ReportQueue
      open: Awaited<ReturnType<ReportQueue['openRows']>>
    },
    root: HTMLElement,
  ) {
    const { api, clock, pairing, media, queue, open } = parts
    this.#clock = clock
    this.#media = media
    this.#available = new Availability(
      media,
      () => navigator.onLine && api.isReachable,
      (file) => this.#downloads.hasNoRoom(file),
    )
    const { fileOf } = this.#available
    this.#sync = new ManifestSync(api, pairing, clock, this.#syncRules())
    this.#downloads = new Downloads(api, pairing, media, this.#downloadRules())
    this.#sender = new ReportSender(api, pairing, queue)
    this.#plays = new Plays({ clock, queue, sn: pairing.sn, fileOf, onRow: () => this.#sender.onRow() }, open)
    const stage = new Stage(createMessagePicture('暂无播放内容', pairing.sn))
    root.append(stage.root)
    this.#playback = new Playback(this.#playbackHost(), stage)
    this.#status = new StatusSender(api, pairing, () => this.#readStatus())
  }

  #run() {
    this.#clock.onStep = (ms) => this.#playback.onStep(ms)
    this.#planReload()
    this.#playback.run()
    this.#status.onChange()
    void this.#sync.poll()
    setInterval(() => {
      void this.#clock.store().catch(() => undefined)
      if (this.#clock.detectJump()) void this.#sync.poll()
      // With content, the reload waits for the end of a play. A screen without content has no plays.
      if (!this.#playback.slot) this.#reloadWhenDue()
    }, STORE_CLOCK_MS)
    window.addEventListener('online', () => void this.#sync.poll())
    // With a service worker, packages can play and the screen can restart without a network.
    navigator.serviceWorker?.addEventListener('controllerchange', () => this.#onChange())
    document.addEventListener('visibilitychange', () => {
      document.title = document.hidden ? '页面被遮挡' : '广告播放'
      this.#playback.run()
      this.#status.onChange()
    })
  }

  #syncRules() {
    return {
      filesOf: (...args: Parameters<Availability['filesOf']>) => this.#available.filesOf(...args),
      isStored: (file: ManifestFile) => this.#media.isReady(file),
      hasFailed: (file: ManifestFile) => this.#downloads.hasFailed(file),
      shownMs: (manifest: PlayerManifest, to: number, assumesFiles: boolean) => {
        const now = this.#clock.now()
        return computeShownMs(manifest, now, to, this.#available.computeState(manifest, now, assumesFiles))
      },
      onChange: () => this.#onChange(),
      onPolled: () => {
        this.#downloads.kick()
        this.#sender.onReachable()
        this.#status.onReachable()
        void this.#media.removeUnneeded(this.#neededFiles()).catch(() => undefined)
      },
    }
  }

  #downloadRules() {
    return {
      wanted: () => this.#sync.wanted(),
      isAllowed: () => {
        const { download, zone } = this.#sync.versions.slice(-1)[0] ?? {}
        return isWithinDownloadWindow(download?.window, zone ?? 'UTC', this.#clock.now()) || !this.#playback.slot
      },
      kbps: () => this.#sync.versions.slice(-1)[0]?.download?.kbps ?? 0,
      hasFreeSpace: async (size: number) => ((await readFreeBytes()) ?? Infinity) >= size,
      makeRoom: () => this.#freeSpace(),
      onNoRoom: () => this.#sync.rechooseFiles(),
      onChange: () => this.#onChange(),
    }
  }

  #playbackHost() {
    return {
      now: () => this.#clock.now(),
      rate: () => 1,
      volume: () => (this.#sync.manifest?.volume ?? 100) / 100,
      manifest: () => this.#sync.manifest,
      state: () => this.#available.stateOf(this.#sync.manifest!, this.#clock.now()),
      fileOf: this.#available.fileOf,
      read: (file: Parameters<MediaStore['read']>[0]) => this.#media.read(file),
      packageSearch: () => '',
      onMuted: () => {
        this.#isMuted = true
        this.#status.onChange()
      },
      onBegin: (slot: PlaySlot) => {
        this.#plays.begin(slot)
        this.#verify(slot.ad)
        this.#reportNewContent()
      },
      onEnd: (slot: PlaySlot, shownMs: number, error?: string) => {
        this.#plays.end(shownMs, error)
        if (error !== undefined) this.#onFail(slot)
        else this.#available.clear(slot.ad)
        this.#reportNewContent()
        this.#reloadWhenDue()
      },
      onFail: (slot: PlaySlot, error: string) => {
        this.#plays.fail(slot, error)
        this.#onFail(slot)
      },
    }
  }

  /**
   * Reports the content that follows a change of the manifest. The report of the change itself still contains the earlier
   * content, because its last item plays to its end.
   */
  #reportNewContent() {
    const etag = this.#sync.appliedEtag
    if (etag === this.#reportedEtag) return
    this.#reportedEtag = etag
    this.#status.onNewContent()
  }

  /**
   * Counts a failed ad. At the third failure the player skips the ad for an hour; a damaged file is downloaded again.
   */
  #onFail(slot: PlaySlot) {
    const rests = this.#available.fail(slot.ad, this.#clock.now(), computeSlotEnd(slot))
    if (rests) this.#status.onChange()
    this.#verify(slot.ad, rests)
  }

  /**
   * Compares the stored file of an ad with its hashes, and downloads a damaged file again. Without `isRepeated`,
   * compares a file only when an earlier page stored it, and only once. A damaged chunk may still be playable.
   */
  #verify(ad: ManifestAd, isRepeated = false) {
    const file = this.#available.fileOf(ad)
    if (!file || (!isRepeated && this.#media.isVerified(file))) return
    void this.#media.verify(file).then((isRight) => {
      if (isRight) return
      this.#available.clear(ad)
      this.#onChange()
      this.#downloads.kick()
    })
  }

  /** Removes the files that no manifest needs. Resolves to false when none was removed. */
  #freeSpace() {
    return this.#media.removeUnneeded(this.#neededFiles(), true).catch(() => false)
  }

  /** Downloads files without room again when the files of an earlier manifest leave. */
  #useFreedRoom() {
    if (this.#downloads.isFull) void this.#freeSpace().then((isMade) => isMade && this.#downloads.retryQuotaFailures())
  }

  /** Applies a changed manifest, changed files or a refusal by the server. */
  #onChange() {
    this.#planReload()
    this.#sync.swap()
    this.#useFreedRoom()
    this.#playback.run()
    this.#status.onChange()
  }

  /** Reloads the page after 04:00, but only when the service worker can start the page without a network. */
  #reloadWhenDue() {
    if (this.#clock.now() >= this.#reloadAt && isShellCached()) location.reload()
  }

  #planReload() {
    const zone = this.#sync.manifest?.zone
    if (zone !== undefined && this.#reloadAt === Infinity) this.#reloadAt = nextReloadTime(zone, this.#clock.now())
  }

  #neededFiles() {
    const files = this.#sync.versions.flatMap((each) => this.#available.neededFiles(each))
    return new Set(files.map(({ sha256 }) => sha256))
  }

  /**
   * Returns the failed downloads. Files that do not fit have a separate reason while their programs keep their earlier
   * version.
   */
  #failedDownloads() {
    const { keepsEarlier } = this.#sync
    return this.#downloads.failed().map(({ sha256, reason }) => ({
      sha256,
      reason: keepsEarlier && reason === QUOTA_EXCEEDED ? QUOTA_EXCEEDED_EARLIER : reason,
    }))
  }

  async #readStatus(): Promise<ScreenStatus> {
    const wanted = this.#sync.wanted()
    const resting = this.#available.resting(this.#clock.now())
    const manifest = this.#sync.manifest
    const broken = (manifest?.ads ?? []).flatMap((ad) =>
      resting.includes(ad.id) ? (this.#available.fileOf(ad) ?? []) : [],
    )
    const { slot } = this.#playback
    return {
      playerVersion: `web ${SCRIPT_HASH}`,
      ...readScreenSize(),
      codecs: [...detectPlayableCodecs()],
      appliedEtag: this.#sync.appliedEtag,
      readyFiles: wanted.filter((file) => this.#media.isReady(file)).length,
      totalFiles: wanted.length,
      failed: [...this.#failedDownloads(), ...broken.map(({ sha256 }) => ({ sha256, reason: 'play' }))].slice(0, 20),
      freeBytes: (await readFreeBytes()) ?? null,
      clockOffsetMs: Math.round(this.#clock.offset()),
      clockState: this.#clock.state() > 0 ? 1 : 0,
      offlineReady: isShellCached() ? 1 : 0,
      // Browsers allow sound after a touch or a key press.
      muted: this.#isMuted && navigator.userActivation?.hasBeenActive !== true ? 1 : 0,
      covered: document.hidden ? 1 : 0,
      nowPlaying: slot
        ? { programId: slot.program.id, itemId: slot.item.id, adId: slot.ad.id, since: slot.start }
        : null,
    }
  }
}
