/** Measures how long an ad is visible. The time in which the page is covered does not count. */
export class VisibleTime {
  #ms = 0
  #since = document.hidden ? undefined : performance.now()

  constructor() {
    document.addEventListener('visibilitychange', this.#follow)
  }

  readonly #follow = () => {
    this.#add()
    this.#since = document.hidden ? undefined : performance.now()
  }

  #add() {
    if (this.#since !== undefined) this.#ms += performance.now() - this.#since
  }

  /** Returns the visible milliseconds. */
  stop() {
    document.removeEventListener('visibilitychange', this.#follow)
    this.#add()
    this.#since = undefined
    return this.#ms
  }
}
