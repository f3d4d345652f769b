/** Tasks remembered after their downloads ended. */
const MAX_KEPT = 20_000

/** Downloads under way in this process, and which files of a task have been sent to their last byte. */
export class Downloads {
  #count = 0
  readonly #byTask = new Map<number, { open: number; readonly otaId: number; readonly done: Set<number> }>()
  readonly #openOf = new Map<number, number>()

  get count() {
    return this.#count
  }

  /** Downloads under way of one version. */
  countOf(otaId: number) {
    return this.#openOf.get(otaId) ?? 0
  }

  isOpen(taskId: number) {
    return (this.#byTask.get(taskId)?.open ?? 0) > 0
  }

  begin(taskId: number, otaId: number) {
    this.#count += 1
    this.#openOf.set(otaId, this.countOf(otaId) + 1)
    if (this.#byTask.size >= MAX_KEPT) for (const id of this.#byTask.keys()) this.forget(id)
    const entry = this.#byTask.get(taskId) ?? { open: 0, otaId, done: new Set<number>() }
    entry.open += 1
    this.#byTask.set(taskId, entry)
  }

  /** Answers how many files of the task are complete now. */
  end(taskId: number, componentId: number, isComplete: boolean): number {
    this.#count -= 1
    const entry = this.#byTask.get(taskId)
    if (!entry) return 0
    entry.open -= 1
    const left = this.countOf(entry.otaId) - 1
    if (left > 0) this.#openOf.set(entry.otaId, left)
    else this.#openOf.delete(entry.otaId)
    if (isComplete) entry.done.add(componentId)
    return entry.done.size
  }

  forget(taskId: number) {
    if (!this.isOpen(taskId)) this.#byTask.delete(taskId)
  }
}
