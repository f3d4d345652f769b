/** Number of tasks kept after their downloads ended. */
const MAX_KEPT = 20_000

interface Entry {
  open: number
  readonly otaId: number
  /** Ids of completely sent components. */
  readonly done: Set<number>
  /** Bytes sent of each component that is read in ranges. */
  readonly pieces: Map<number, number>
  minute: number
  calls: number
}

/** Maximum number of ranges per minute and task: a bundle streamed at 12 MB/s in ranges of 128 KiB. */
const PIECES_PER_MINUTE = 6000

/** Tracks active downloads of this process and the completely sent files of each task. */
export class Downloads {
  #count = 0
  readonly #byTask = new Map<number, Entry>()
  readonly #openOf = new Map<number, number>()

  get count() {
    return this.#count
  }

  /** Counts the active downloads of a version. */
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
    this.#entryOf(taskId, otaId).open += 1
  }

  #entryOf(taskId: number, otaId: number): Entry {
    const known = this.#byTask.get(taskId)
    if (known) return known
    const entry = { open: 0, otaId, done: new Set<number>(), pieces: new Map<number, number>(), minute: 0, calls: 0 }
    this.#byTask.set(taskId, entry)
    return entry
  }

  /** Returns whether the task may fetch another range in this minute. */
  takePiece(taskId: number, otaId: number, now: number): boolean {
    const entry = this.#entryOf(taskId, otaId)
    const minute = Math.floor(now / 60_000)
    if (entry.minute !== minute) Object.assign(entry, { minute, calls: 0 })
    entry.calls += 1
    return entry.calls <= PIECES_PER_MINUTE
  }

  /** Adds the bytes of a range. Returns the bytes of the component sent in ranges so far. */
  sentPiece(taskId: number, componentId: number, bytes: number): number {
    const pieces = this.#byTask.get(taskId)?.pieces
    const sum = (pieces?.get(componentId) ?? 0) + bytes
    pieces?.set(componentId, sum)
    return sum
  }

  /** Ends a download. Returns the number of complete files of the task. */
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
