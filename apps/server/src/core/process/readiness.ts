type Check = () => Promise<unknown>

/** Health checks of the file store and the video store of a process. A rejected check makes the process degraded. */
export class Readiness {
  readonly #checks = new Map<string, Check>()
  /** Returns false while the process loads data without which it cannot serve calls. */
  isLoaded = () => true

  get checks(): ReadonlyMap<string, Check> {
    return this.#checks
  }

  add(part: string, check: Check) {
    this.#checks.set(part, check)
  }
}
