import { UPLOAD_PART_BYTES } from '@oms/contract/core/upload.ts'
import type { PartStore, UploadPart, UploadPlan } from './part-store.ts'
import { DiskFull, type FileStore, type StoredFile } from './store.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** No upload has this id: never created, finished, aborted, or older than a day. */
export class UnknownUploadError extends Error {
  override readonly name = 'UnknownUploadError'
}

/** A part outside the plan, or a part whose digest differs from the stored part of the same index. */
export class PartConflict extends Error {
  override readonly name = 'PartConflict'
}

/** The upload was finished before all parts were received. */
export class UploadIncomplete extends Error {
  override readonly name = 'UploadIncomplete'
  readonly missing: readonly number[]

  constructor(missing: readonly number[]) {
    super(`${missing.length} parts are missing`)
    this.missing = missing
  }
}

export interface UploadState extends UploadPlan {
  readonly parts: readonly UploadPart[]
}

/** Receives files in parts. An acknowledged part survives connection and server failures. */
export class ResumableUploads {
  readonly #files: FileStore
  readonly #parts: PartStore

  constructor(files: FileStore, parts: PartStore) {
    this.#files = files
    this.#parts = parts
  }

  /**
   * Creates an upload. `id` must be new and unguessable. The caller limits `size`; this function checks free disk
   * space.
   */
  async create(plan: Omit<UploadPlan, 'partBytes'> & { readonly partBytes?: number }): Promise<UploadState> {
    const { partBytes = UPLOAD_PART_BYTES, ...rest } = plan
    if (!Number.isSafeInteger(rest.size) || rest.size < 1) throw new RangeError('An upload has at least one byte')
    const free = await this.#files.freeBytes()
    if (free !== null && free < 3 * rest.size) throw new DiskFull(`${free} bytes free for an upload of ${rest.size}`)
    await this.#parts.savePlan({ ...rest, partBytes })
    return { ...rest, partBytes, parts: [] }
  }

  /** Stores a part. Sending the same part again is allowed, because the first response may have been lost. */
  async putPart(
    id: string,
    index: number,
    source: AsyncIterable<Uint8Array>,
    options: { readonly sha256?: string; readonly signal?: AbortSignal } = {},
  ): Promise<UploadPart> {
    const plan = await this.#plan(id)
    const size = computePartSize(plan, index)
    if (size === undefined) throw new PartConflict(`The upload has no part ${index}`)
    const known = (await this.#received(plan)).find((part) => part.index === index)
    const sha256 = options.sha256?.toLowerCase() ?? known?.sha256
    if (known && known.sha256 !== sha256) throw new PartConflict(`Part ${index} is there with other content`)
    return this.#parts.put(id, index, source, sha256 ? { size, sha256 } : { size }, options.signal)
  }

  /** Returns the state that a client needs to resume. */
  async state(id: string): Promise<UploadState> {
    const plan = await this.#plan(id)
    return { ...plan, parts: await this.#received(plan) }
  }

  /**
   * Assembles and stores the file. Parts remain until `discard`, which the caller runs after committing the file's row.
   * After a crash in between, the upload can be finished again.
   */
  async finish(id: string, options: { readonly signal?: AbortSignal } = {}): Promise<StoredFile> {
    const plan = await this.#plan(id)
    const parts = await this.#received(plan)
    const there = new Set(parts.map(({ index }) => index))
    const missing = Array.from({ length: countParts(plan) }, (_, index) => index).filter((index) => !there.has(index))
    if (missing.length > 0) throw new UploadIncomplete(missing)
    const { size, sha256 } = plan
    const expect = sha256 ? { size, sha256 } : { size }
    return this.#files.put(this.#joined(id, parts), { ...options, maxBytes: size, expect })
  }

  /** Deletes the parts of an aborted or finished upload. */
  discard(id: string) {
    return this.#parts.drop(id)
  }

  /** Deletes uploads that received nothing for a day. Returns their number. */
  async sweep(now = Date.now(), keptMs = KEPT_MS) {
    let dropped = 0
    for await (const { id, touched } of this.#parts.uploads()) {
      if (now - touched.getTime() < keptMs) continue
      await this.#parts.drop(id)
      dropped++
    }
    return dropped
  }

  async #plan(id: string) {
    const plan = await this.#parts.plan(id)
    if (!plan) throw new UnknownUploadError('No such upload')
    return plan
  }

  async #received(plan: UploadPlan) {
    return (await this.#parts.list(plan.id)).filter(({ index, size }) => computePartSize(plan, index) === size)
  }

  async *#joined(id: string, parts: readonly UploadPart[]) {
    for (const part of parts) yield* await this.#parts.open(id, part)
  }
}

/** Returns the number of parts of the plan's file. */
export const countParts = ({ size, partBytes }: Pick<UploadPlan, 'size' | 'partBytes'>) => Math.ceil(size / partBytes)

/** Returns the length of a part; only the last part may be shorter. Undefined for a part outside the file. */
export function computePartSize(plan: Pick<UploadPlan, 'size' | 'partBytes'>, index: number) {
  if (!Number.isInteger(index) || index < 0 || index >= countParts(plan)) return undefined
  return Math.min(plan.partBytes, plan.size - index * plan.partBytes)
}
