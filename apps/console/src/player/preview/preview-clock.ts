/** Clock of the preview. Can be set to any instant and can run faster. */
export class PreviewClock {
  #base = Date.now()
  #since = performance.now()
  #rate = 1

  now() {
    return Math.round(this.#base + (performance.now() - this.#since) * this.#rate)
  }

  get rate() {
    return this.#rate
  }

  set rate(rate: number) {
    this.seek(this.now())
    this.#rate = rate
  }

  seek(instant: number) {
    this.#base = instant
    this.#since = performance.now()
  }
}
