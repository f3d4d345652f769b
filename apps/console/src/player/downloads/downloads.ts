import { type ManifestFile, MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'
import { type Api, readRetryAfterMs } from '../api.ts'
import type { MediaStore } from './media-store.ts'
import type { FailedFile, Pairing } from '../wire.ts'

const FIRST_WAIT_MS = 5_000
const MAX_WAIT_MS = 10 * 60_000
const REST_MS = 60 * 60_000
const MAX_TRIES = 3
/** Reason of a file for which the browser has no room. */
export const QUOTA_EXCEEDED = 'quota'
const CHUNK_TIMEOUT_MS = 10 * 60_000

interface Failure {
  readonly reason: string
  /** `performance.now()` of the next attempt. */
  readonly until: number
}

/** Callbacks of the player that the downloads use. */
export interface DownloadRules {
  /** Files in the order in which they are needed. */
  wanted(): readonly ManifestFile[]
  /** True when downloads may run now. */
  isAllowed(): boolean
  /** KiB a second; 0: no limit. */
  kbps(): number
  /** True when the browser reports room for a file of this size, or reports nothing. */
  hasFreeSpace(size: number): Promise<boolean>
  /** Removes files that are not needed. Returns false when no file could be removed. */
  makeRoom(): Promise<boolean>
  /** Called when the browser had no room for a file: the screen then wants a smaller rendition. */
  onNoRoom(): void
  onChange(): void
}

/** Downloads media one file at a time, in chunks that continue after an interruption. */
export class Downloads {
  readonly #api: Api
  readonly #pairing: Pairing
  readonly #store: MediaStore
  readonly #rules: DownloadRules
  readonly #failures = new Map<string, Failure>()
  readonly #tries = new Map<string, number>()
  #waitMs = FIRST_WAIT_MS
  #isRunning = false
  #wake: () => void = () => {}

  constructor(api: Api, pairing: Pairing, store: MediaStore, rules: DownloadRules) {
    this.#api = api
    this.#pairing = pairing
    this.#store = store
    this.#rules = rules
  }

  /** Starts the downloads, or ends a wait after a network error. A wait for `Retry-After` is not shortened. */
  kick() {
    this.#wake()
    if (!this.#isRunning) void this.#run()
  }

  hasFailed({ sha256 }: ManifestFile) {
    const failure = this.#failures.get(sha256)
    return failure !== undefined && failure.until > performance.now()
  }

  /** True when the browser had no room for the file and the next attempt is not due. */
  hasNoRoom(file: ManifestFile) {
    return this.hasFailed(file) && this.#failures.get(file.sha256)?.reason === QUOTA_EXCEEDED
  }

  /** True when the browser had no room for a file. */
  get isFull() {
    return this.failed().some(({ reason }) => reason === QUOTA_EXCEEDED)
  }

  /** Downloads the files again for which the browser had no room. */
  retryQuotaFailures() {
    for (const [sha256, { reason }] of this.#failures)
      if (reason === QUOTA_EXCEEDED) this.#failures.set(sha256, { reason, until: 0 })
    this.kick()
  }

  /** Returns the failed files of the newest manifest, at most 20. */
  failed(): FailedFile[] {
    const wanted = new Set(this.#rules.wanted().map(({ sha256 }) => sha256))
    const failures = [...this.#failures].filter(([sha256]) => wanted.has(sha256))
    return failures.slice(0, 20).map(([sha256, { reason }]) => ({ sha256, reason }))
  }

  /** Marks a file as failed. The download is tried again after `restMs`, by default an hour. */
  fail({ sha256 }: ManifestFile, reason: string, restMs = REST_MS) {
    this.#failures.set(sha256, { reason, until: performance.now() + restMs })
    if (reason === QUOTA_EXCEEDED) this.#rules.onNoRoom()
    this.#rules.onChange()
  }

  async #run() {
    this.#isRunning = true
    for (;;) {
      const file = this.#rules.wanted().find((each) => !this.#store.isReady(each) && !this.hasFailed(each))
      if (!file || !this.#rules.isAllowed()) break
      if (await this.#stillLacksSpace(file)) {
        this.fail(file, QUOTA_EXCEEDED)
        continue
      }
      let isAsked = true
      const waitMs = await this.#chunk(file).catch(() => {
        isAsked = false
        return this.#backoff()
      })
      if (waitMs > 0) await this.#pause(waitMs, isAsked)
    }
    this.#isRunning = false
  }

  /** True when the browser had no room for the file and still reports none. Such a file is not downloaded in vain. */
  async #stillLacksSpace(file: ManifestFile): Promise<boolean> {
    const isNew = this.#failures.get(file.sha256)?.reason !== QUOTA_EXCEEDED
    if (isNew || this.#store.firstMissing(file) > 0 || (await this.#rules.hasFreeSpace(file.size))) return false
    return !(await this.#rules.makeRoom())
  }

  /** Downloads the next chunk of a file. Returns the milliseconds to wait before the next call. */
  async #chunk(file: ManifestFile): Promise<number> {
    const index = this.#store.firstMissing(file)
    const [from, to] = [index * MEDIA_CHUNK, Math.min(file.size, (index + 1) * MEDIA_CHUNK) - 1]
    const began = performance.now()
    const { status, headers, body } = await this.#api.call(
      `media/${encodeURIComponent(this.#pairing.sn)}/${file.sha256}`,
      {
        token: this.#pairing.token,
        headers: { range: `bytes=${from}-${to}`, 'if-range': `"${file.sha256}"` },
        timeoutMs: CHUNK_TIMEOUT_MS,
      },
    )
    if (status === 429 || status === 503) return readRetryAfterMs(headers, this.#backoff())
    if (status !== 200 && status !== 206) {
      if (status < 500) this.fail(file, `HTTP ${status}`)
      return status < 500 ? 0 : this.#backoff()
    }
    this.#waitMs = FIRST_WAIT_MS
    // A server that ignores `Range` sends the whole file.
    await this.#save(file, index, status === 206 ? body : body.slice(from, to + 1))
    const kbps = this.#rules.kbps()
    return kbps > 0 ? Math.max(0, body.byteLength / 1.024 / kbps - (performance.now() - began)) : 0
  }

  async #save(file: ManifestFile, index: number, data: ArrayBuffer): Promise<void> {
    try {
      if (await this.#store.put(file, index, data)) return this.#stored(file)
      const tries = (this.#tries.get(file.sha256) ?? 0) + 1
      this.#tries.set(file.sha256, tries % MAX_TRIES)
      if (tries >= MAX_TRIES) this.fail(file, 'hash')
    } catch {
      // Storage is full, or the browser refuses to write.
      if (await this.#rules.makeRoom()) return
      // The stored chunks of this file would take the room of the files that fit.
      await this.#store.remove(file.sha256).catch(() => undefined)
      this.fail(file, QUOTA_EXCEEDED)
    }
  }

  #stored(file: ManifestFile) {
    if (!this.#store.isReady(file)) return
    this.#failures.delete(file.sha256)
    this.#tries.delete(file.sha256)
    this.#rules.onChange()
  }

  #backoff() {
    const waitMs = this.#waitMs
    this.#waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
    return waitMs
  }

  #pause(ms: number, isAsked: boolean) {
    return new Promise<void>((done) => {
      const timer = setTimeout(done, ms)
      this.#wake = () => {
        if (isAsked) return
        clearTimeout(timer)
        done()
      }
    })
  }
}
