import { dirname } from 'node:path'
import { syncDirectory } from '#core/storage/spool.ts'

/**
 * Runs fsync on folders with new files. While one round runs, the folders of the next round are gathered, so that a
 * folder with many new files is synced once.
 */
export class FolderSync {
  readonly #top: string
  #folders = new Set<string>()
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(top: string) {
    this.#top = top
  }

  /**
   * Resolves when the entries of this folder survive a power failure. `created` is the topmost folder that was created
   * for this file.
   */
  synced(folder: string, created?: string): Promise<void> {
    this.#folders.add(folder)
    if (created !== undefined)
      for (let each = folder; each.length >= created.length && each !== this.#top; each = dirname(each))
        this.#folders.add(dirname(each))
    this.#next ??= this.#running.then(() => this.#startRound())
    return this.#next
  }

  #startRound() {
    const round = this.#syncAll([...this.#folders])
    this.#folders = new Set()
    this.#next = undefined
    // The callers of a failed round get its error. The next round runs all the same.
    this.#running = round.catch(() => {})
    return round
  }

  async #syncAll(folders: readonly string[]) {
    // A folder that the deletion of a day has removed needs no sync.
    const ignoreGone = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    }
    await Promise.all(folders.map((folder) => syncDirectory(folder).catch(ignoreGone)))
  }
}
