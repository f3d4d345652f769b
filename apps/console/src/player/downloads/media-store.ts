import { type ManifestFile, MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'
import { OBJECT_STORES, transact } from '../database.ts'
import { readFreeBytes } from '../reports/screen-facts.ts'
import { computeSha256 } from './sha256.ts'

const KEEP_FREE = 200 * 1024 * 1024

const rangeOf = (file: string) => IDBKeyRange.bound([file, 0], [file, Infinity])
const chunkSize = ({ size }: ManifestFile, index: number) => Math.min(MEDIA_CHUNK, size - index * MEDIA_CHUNK)

/** Stores media in IndexedDB in chunks. Only chunks with the right hash are written; a chunk counts after the commit. */
export class MediaStore {
  /** Indexes of the stored chunks, by the sha256 of the file. */
  readonly #stored = new Map<string, Set<number>>()
  /** Files that an earlier page stored and whose hashes this page has not compared yet. */
  readonly #unverified = new Set<string>()

  static async open() {
    const store = new MediaStore()
    const keys = await transact(OBJECT_STORES.chunks, 'readonly', (rows) => rows.getAllKeys())
    for (const [file, index] of keys as [string, number][]) store.#indexesOf(file).add(index)
    for (const file of store.#stored.keys()) store.#unverified.add(file)
    return store
  }

  #indexesOf(file: string) {
    const known = this.#stored.get(file) ?? new Set<number>()
    this.#stored.set(file, known)
    return known
  }

  isReady({ sha256, chunks }: ManifestFile) {
    return chunks.length > 0 && (this.#stored.get(sha256)?.size ?? 0) >= chunks.length
  }

  /** False for a file that an earlier page stored, until this page has compared its chunks with their hashes. */
  isVerified({ sha256 }: ManifestFile) {
    return !this.#unverified.has(sha256)
  }

  /** Returns the index of the first chunk that is not stored; -1 when the file is ready. */
  firstMissing({ sha256, chunks }: ManifestFile) {
    const known = this.#stored.get(sha256)
    return chunks.findIndex((_, index) => !known?.has(index))
  }

  /** Stores a chunk. Returns false when its size or hash is wrong. */
  async put(file: ManifestFile, index: number, data: ArrayBuffer) {
    if (data.byteLength !== chunkSize(file, index) || (await computeSha256(data)) !== file.chunks[index]) return false
    await transact(OBJECT_STORES.chunks, 'readwrite', (rows) => rows.put(new Blob([data]), [file.sha256, index]))
    this.#indexesOf(file.sha256).add(index)
    return true
  }

  /** Returns the whole file. Removes the file and throws when the browser lost a chunk. */
  async read(file: ManifestFile): Promise<Blob> {
    const parts = await transact(
      OBJECT_STORES.chunks,
      'readonly',
      (rows) => rows.getAll(rangeOf(file.sha256)) as IDBRequest<Blob[]>,
    )
    const whole = new Blob(parts, { type: file.mime })
    if (whole.size === file.size) return whole
    await this.remove(file.sha256)
    throw new Error('chunks are missing')
  }

  /** Compares the stored chunks with their hashes. Removes a damaged file and returns false. */
  async verify(file: ManifestFile): Promise<boolean> {
    this.#unverified.delete(file.sha256)
    try {
      const whole = await this.read(file)
      for (const [index, hash] of file.chunks.entries()) {
        const chunk = whole.slice(index * MEDIA_CHUNK, index * MEDIA_CHUNK + chunkSize(file, index))
        if ((await computeSha256(await new Response(chunk).arrayBuffer())) !== hash)
          throw new Error('a chunk is damaged')
      }
      return true
    } catch {
      await this.remove(file.sha256).catch(() => undefined)
      return false
    }
  }

  async remove(file: string) {
    this.#stored.delete(file)
    await transact(OBJECT_STORES.chunks, 'readwrite', (rows) => rows.delete(rangeOf(file)) as IDBRequest<unknown>)
  }

  /** Removes files that no manifest needs when storage is short. Returns true when a file was removed. */
  async removeUnneeded(needed: ReadonlySet<string>, isFull = false): Promise<boolean> {
    let hasRemoved = false
    for (const file of [...this.#stored.keys()].filter((each) => !needed.has(each))) {
      if (!isFull && ((await readFreeBytes()) ?? Infinity) >= KEEP_FREE) break
      await this.remove(file)
      hasRemoved = true
    }
    return hasRemoved
  }
}
