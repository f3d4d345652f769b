import type { Readable } from 'node:stream'

/** Plan of a resumable upload. Stored with the parts, so that any process can continue the upload. */
export interface UploadPlan {
  readonly id: string
  readonly size: number
  readonly partBytes: number
  /** Digest of the whole file when the client could compute it. */
  readonly sha256?: string | undefined
}

export interface UploadPart {
  readonly index: number
  readonly sha256: string
  readonly size: number
}

/** Stores parts until the file is complete. The server creates the upload id, never the client. */
export interface PartStore {
  savePlan(plan: UploadPlan): Promise<void>
  plan(id: string): Promise<UploadPlan | null>
  /** Stores a part and resolves when it is safe on disk. Deletes a part that is too long, too short or altered. */
  put(
    id: string,
    index: number,
    source: AsyncIterable<Uint8Array>,
    expect: { readonly size: number; readonly sha256?: string },
    signal?: AbortSignal,
  ): Promise<UploadPart>
  list(id: string): Promise<UploadPart[]>
  open(id: string, part: UploadPart): Promise<Readable>
  drop(id: string): Promise<void>
  /** Returns all uploads with the time of their last part. */
  uploads(): AsyncIterable<{ readonly id: string; readonly touched: Date }>
}

export const PLAN_FILE_NAME = 'plan.json'
const PART_NAME = /^(\d{1,6})\.([0-9a-f]{64})$/
const UPLOAD_ID = /^[A-Za-z0-9_-]{8,64}$/

/** Returns the name of a part. The name contains the digest, so that a list of parts needs no reading of contents. */
export const formatPartName = ({ index, sha256 }: Pick<UploadPart, 'index' | 'sha256'>) => `${index}.${sha256}`

export function parsePartName(name: string, size: number): UploadPart | undefined {
  const match = PART_NAME.exec(name)
  return match ? { index: Number(match[1]), sha256: match[2] as string, size } : undefined
}

/** Returns one part per index in order. Two concurrent clients may have stored two verified parts of one index. */
export function sortParts(parts: readonly UploadPart[]) {
  const byIndex = new Map(parts.map((part) => [part.index, part]))
  return [...byIndex.values()].sort((a, b) => a.index - b.index)
}

/** Validates an upload id, because ids become folder names and object keys. */
export function assertUploadId(id: string) {
  if (!UPLOAD_ID.test(id)) throw new TypeError('Not an upload id')
}

export function parsePlan(text: string): UploadPlan | null {
  const plan = JSON.parse(text) as Partial<UploadPlan> | null
  if (typeof plan?.id !== 'string' || typeof plan.size !== 'number' || typeof plan.partBytes !== 'number') return null
  return plan as UploadPlan
}
