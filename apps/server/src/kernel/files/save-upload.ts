import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FilePurpose, StoredFileRow } from '@oms/contract/file.ts'
import { tooLarge, UPLOAD, UPLOAD_MESSAGES, type UploadRule, uploadProblem } from '@oms/contract/upload.ts'
import { inArray } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#db/client.ts'
import { files } from '#db/schema/system.ts'
import type { Ctx } from '../context.ts'
import { invalid } from '../problem.ts'
import { transact } from '../tenancy.ts'
import { displayName, judge } from './kinds.ts'
import { FileTooLarge, type StoredFile } from './store.ts'

const MAX_PIXELS_TEXT = UPLOAD_MESSAGES.pixels
/** What may be attached to a notice: documents and pictures. */
const NOTICE: UploadRule = {
  ...UPLOAD.file,
  extensions: [...UPLOAD.file.extensions, ...UPLOAD.image.extensions],
}
const RULES: Readonly<Record<FilePurpose, UploadRule>> = {
  avatar: UPLOAD.avatar,
  file: UPLOAD.file,
  image: UPLOAD.image,
  notice: NOTICE,
  ticket: UPLOAD.file,
  ticketImage: UPLOAD.image,
  component: UPLOAD.component,
}

export const ruleOf = (purpose: FilePurpose) => RULES[purpose]

/** Refuses a file by its name and announced size, before a byte of it is read. */
export function demandAcceptable(rule: UploadRule, name: string, size = 1) {
  const problem = uploadProblem(rule, { name, size })
  if (problem) throw invalid(problem, 'file')
}

/** Takes the one file of a multipart call: checked by name, streamed and hashed, checked by content, recorded. */
export async function saveUpload(ctx: Ctx, purpose: FilePurpose): Promise<z.input<typeof StoredFileRow>> {
  const { incoming, kernel } = ctx
  if (!incoming) throw invalid('请选择文件', 'file')
  const rule = RULES[purpose]
  const name = displayName(incoming.name)
  try {
    demandAcceptable(rule, incoming.name)
    const stored = await kernel.files.put(incoming.stream, { maxBytes: rule.maxBytes })
    return await recordFile(ctx, { purpose, name, stored })
  } catch (error) {
    // What is left of the body must be read, or the answer would never reach the sender.
    drain(incoming.stream)
    throw error instanceof FileTooLarge ? invalid(tooLarge(rule), 'file') : error
  }
}

const drain = (stream: Readable) => void stream.on('error', () => {}).resume()

interface NewFile {
  readonly purpose: FilePurpose
  readonly name: string
  readonly stored: StoredFile
}

/** Judges stored bytes by their content and writes the row that gives them an id. Bytes without a row are swept. */
export async function recordFile(ctx: Ctx, { purpose, name, stored }: NewFile): Promise<z.input<typeof StoredFileRow>> {
  const rule = RULES[purpose]
  const problem = uploadProblem(rule, { name, size: stored.size })
  if (problem) throw invalid(problem, 'file')
  const verdict = judge(rule, name, stored.head)
  if (!verdict.ok) throw invalid(verdict.msg ?? MAX_PIXELS_TEXT, 'file')
  const id = randomBytes(16).toString('hex')
  const { md5, sha1, sha256, size } = stored
  const { tenantId, uid } = ctx.user
  await transact(ctx, (db) =>
    db.insert(files).values({ id, tenantId, uid, purpose, name, mime: verdict.mime, size, md5, sha1, sha256 }),
  )
  return { id, name, url: fileUrl(id), size, md5, sha1, sha256 }
}

export const fileUrl = (id: string) => `/api/v1/file/${id}`

/** Marks files as used by a saved record: from now on they are not swept. */
export const adoptFiles = (db: Db, ids: readonly string[], now: Date) =>
  ids.length === 0
    ? Promise.resolve()
    : db
        .update(files)
        .set({ usedTime: now.toISOString() })
        .where(inArray(files.id, [...ids]))
        .then(() => undefined)
