type Check = () => Promise<unknown>

/** Checks of the parts of a process. `/readyz` shows the parts; a check that rejects makes the process degraded. */
export class Readiness {
  readonly #checks = new Map<string, Check>()

  get checks(): ReadonlyMap<string, Check> {
    return this.#checks
  }

  add(part: string, check: Check) {
    this.#checks.set(part, check)
  }
}
