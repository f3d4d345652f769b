import type pg from 'pg'
import { claimFileContent } from './local/removal-lock.ts'
import type { ByteRange, FileStore, PutOptions } from './store.ts'

/** A file store whose `put` claims the content before it becomes visible, see `claimFileContent`. */
export class ClaimingStore implements FileStore {
  readonly #store: FileStore
  readonly #pool: pg.Pool

  constructor(store: FileStore, pool: pg.Pool) {
    this.#store = store
    this.#pool = pool
  }

  put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}) {
    return this.#store.put(source, { ...options, beforeVisible: (sha256) => claimFileContent(this.#pool, sha256) })
  }

  openRead(sha256: string, range?: ByteRange) {
    return this.#store.openRead(sha256, range)
  }

  stat(sha256: string) {
    return this.#store.stat(sha256)
  }

  remove(sha256: string) {
    return this.#store.remove(sha256)
  }

  list() {
    return this.#store.list()
  }

  freeBytes() {
    return this.#store.freeBytes()
  }

  check() {
    return this.#store.check()
  }

  sweep(olderThanMs?: number) {
    return this.#store.sweep(olderThanMs)
  }
}
