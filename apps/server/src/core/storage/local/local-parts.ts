import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  assertUploadId,
  sortParts,
  type PartStore,
  PLAN_FILE_NAME,
  formatPartName,
  parsePartName,
  parsePlan,
  type UploadPart,
  type UploadPlan,
} from '#core/storage/part-store.ts'
import { RESERVED_FREE_BYTES, spoolToFile, syncDirectory } from '#core/storage/spool.ts'

const READ_BYTES = 256 * 1024

/** Stores parts in one folder per upload, in a directory shared by all processes. */
export class LocalPartStore implements PartStore {
  readonly #root: string
  readonly #keepFree: number

  constructor(root: string, keepFree = RESERVED_FREE_BYTES) {
    this.#root = root
    this.#keepFree = keepFree
  }

  async savePlan(plan: UploadPlan) {
    const folder = this.#folder(plan.id)
    const { path } = await spoolToFile(folder, bytesOf(JSON.stringify(plan)), { keepFree: this.#keepFree })
    await rename(path, join(folder, PLAN_FILE_NAME))
    await syncDirectory(folder)
    await syncDirectory(this.#root)
  }

  async plan(id: string) {
    const text = await readFile(join(this.#folder(id), PLAN_FILE_NAME), 'utf8').catch(() => null)
    return text === null ? null : parsePlan(text)
  }

  async put(
    id: string,
    index: number,
    source: AsyncIterable<Uint8Array>,
    expect: { readonly size: number; readonly sha256?: string },
    signal?: AbortSignal,
  ) {
    const folder = this.#folder(id)
    const limits = { expect, maxBytes: expect.size, keepFree: this.#keepFree, ...(signal ? { signal } : {}) }
    const { path, file } = await spoolToFile(folder, source, limits)
    const part = { index, sha256: file.sha256, size: file.size }
    await rename(path, join(folder, formatPartName(part)))
    await syncDirectory(folder)
    return part
  }

  async list(id: string) {
    const folder = this.#folder(id)
    const parts: UploadPart[] = []
    for (const name of await readdir(folder).catch(() => [])) {
      const found = await stat(join(folder, name)).catch(() => null)
      const part = found ? parsePartName(name, found.size) : undefined
      if (part) parts.push(part)
    }
    return sortParts(parts)
  }

  async open(id: string, part: UploadPart) {
    return createReadStream(join(this.#folder(id), formatPartName(part)), { highWaterMark: READ_BYTES })
  }

  async drop(id: string) {
    await rm(this.#folder(id), { recursive: true, force: true, maxRetries: 3 })
  }

  async *uploads() {
    for (const id of await readdir(this.#root).catch(() => [])) {
      const found = await stat(join(this.#root, id)).catch(() => null)
      // The modification time of a folder changes with every received part.
      if (found?.isDirectory()) yield { id, touched: found.mtime }
    }
  }

  #folder(id: string) {
    assertUploadId(id)
    return join(this.#root, id)
  }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
