import type { Readable } from 'node:stream'

/** What a resumable upload is to become; kept beside its parts, so any process can go on with it. */
export interface UploadPlan {
  readonly id: string
  readonly size: number
  readonly partBytes: number
  /** Digest of the whole file, when the sender could compute it. */
  readonly sha256?: string | undefined
}

export interface UploadPart {
  readonly index: number
  readonly sha256: string
  readonly size: number
}

/** Where parts wait until the file is complete. An upload's id comes from the server, never from a client. */
export interface PartStore {
  savePlan(plan: UploadPlan): Promise<void>
  plan(id: string): Promise<UploadPlan | null>
  /** Resolves when the part is safe; a part that is too long, too short or altered leaves nothing behind. */
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
  /** Every upload there is, with the time of its last part. */
  uploads(): AsyncIterable<{ readonly id: string; readonly touched: Date }>
}

export const PLAN = 'plan.json'
const PART_NAME = /^(\d{1,6})\.([0-9a-f]{64})$/
const UPLOAD_ID = /^[A-Za-z0-9_-]{8,64}$/

/** The digest is part of the name, so a list of parts says what they hold without reading them. */
export const partName = ({ index, sha256 }: Pick<UploadPart, 'index' | 'sha256'>) => `${index}.${sha256}`

export function partOf(name: string, size: number): UploadPart | undefined {
  const match = PART_NAME.exec(name)
  return match ? { index: Number(match[1]), sha256: match[2] as string, size } : undefined
}

/** One part an index, in order; a race of two senders may have left two, of which either was verified. */
export function inOrder(parts: readonly UploadPart[]) {
  const byIndex = new Map(parts.map((part) => [part.index, part]))
  return [...byIndex.values()].sort((a, b) => a.index - b.index)
}

/** Ids become folder names and object keys. */
export function assertUploadId(id: string) {
  if (!UPLOAD_ID.test(id)) throw new TypeError('Not an upload id')
}

export function planOf(text: string): UploadPlan | null {
  const plan = JSON.parse(text) as Partial<UploadPlan> | null
  if (typeof plan?.id !== 'string' || typeof plan.size !== 'number' || typeof plan.partBytes !== 'number') return null
  return plan as UploadPlan
}
