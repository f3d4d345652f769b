import { createRandomKey } from '#core/api/random-key.ts'

/**
 * Distinguishes the runs of one import dialog, so that the response of an outdated run is ignored. Imports of the
 * same file and settings share one idempotency key, so that a lost response can be requested again.
 */
export class ImportRun {
  #turn = 0
  #key: string | undefined

  /** Starts a run. The returned function tests whether the response belongs to the current file and settings. */
  begin(): () => boolean {
    this.#turn += 1
    const mine = this.#turn
    return () => mine === this.#turn
  }

  /** Marks all earlier runs as outdated after a change of file or settings. */
  outdate() {
    this.#turn += 1
    this.#key = undefined
  }

  get key(): string {
    this.#key ??= createRandomKey()
    return this.#key
  }
}
