import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FilePurpose, StoredFileRow } from '@oms/contract/system/file.ts'
import {
  formatSizeError,
  UPLOAD,
  UPLOAD_MESSAGES,
  type UploadRule,
  findUploadProblem,
} from '@oms/contract/core/upload.ts'
import { inArray } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { files } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { sanitizeFileName, checkFileType } from './file-type.ts'
import { FileTooLarge, type StoredFile } from './store.ts'

const MAX_PIXELS_TEXT = UPLOAD_MESSAGES.pixels
/** File types allowed as attachments of a notice and as records of a consent: documents and images. */
const DOCUMENT_OR_IMAGE: UploadRule = {
  ...UPLOAD.file,
  extensions: [...UPLOAD.file.extensions, ...UPLOAD.image.extensions],
}
const RULES: Readonly<Record<FilePurpose, UploadRule>> = {
  avatar: UPLOAD.avatar,
  file: UPLOAD.file,
  image: UPLOAD.image,
  notice: DOCUMENT_OR_IMAGE,
  ticket: UPLOAD.file,
  ticketImage: UPLOAD.image,
  component: UPLOAD.component,
  consent: DOCUMENT_OR_IMAGE,
  adImage: UPLOAD.adImage,
  adVideo: UPLOAD.adVideo,
  adAudio: UPLOAD.adAudio,
  adPackage: UPLOAD.adPackage,
  adPoster: UPLOAD.adPoster,
  adProof: UPLOAD.adProof,
  agentDemo: UPLOAD.agentAudio,
  agentAudio: UPLOAD.agentAudio,
  agentVoucher: UPLOAD.agentVoucher,
}

export const findFileRule = (purpose: FilePurpose) => RULES[purpose]

/** Refuses a file by its name and declared size before its first byte is read. */
export function assertAcceptableUpload(rule: UploadRule, name: string, size = 1) {
  const problem = findUploadProblem(rule, { name, size })
  if (problem) throw invalid(problem, 'file')
}

/** Saves the file of a multipart call: checks the name, streams and hashes, checks the content, inserts the row. */
export async function saveUpload(ctx: Ctx, purpose: FilePurpose): Promise<z.input<typeof StoredFileRow>> {
  const { incoming, services } = ctx
  if (!incoming) throw invalid('请选择文件', 'file')
  const rule = RULES[purpose]
  const name = sanitizeFileName(incoming.name)
  try {
    assertAcceptableUpload(rule, incoming.name)
    const stored = await services.files.put(incoming.stream, { maxBytes: rule.maxBytes })
    return await insertFileRow(ctx, { purpose, name, stored })
  } catch (error) {
    // Reads the rest of the body, because otherwise the client would not receive the response.
    drain(incoming.stream)
    throw error instanceof FileTooLarge ? invalid(formatSizeError(rule), 'file') : error
  }
}

const drain = (stream: Readable) => void stream.on('error', () => {}).resume()

interface NewFile {
  readonly purpose: FilePurpose
  readonly name: string
  readonly stored: StoredFile
}

/** Checks the content of stored bytes and inserts the row with their id. Cleanup deletes bytes without a row. */
export async function insertFileRow(
  ctx: Ctx,
  { purpose, name, stored }: NewFile,
): Promise<z.input<typeof StoredFileRow>> {
  const rule = RULES[purpose]
  const problem = findUploadProblem(rule, { name, size: stored.size })
  if (problem) throw invalid(problem, 'file')
  const verdict = checkFileType(rule, name, stored.head)
  if (!verdict.ok) throw invalid(verdict.msg ?? MAX_PIXELS_TEXT, 'file')
  const id = randomBytes(16).toString('hex')
  const { md5, sha1, sha256, size } = stored
  const { tenantId, uid } = ctx.user
  await transact(ctx, (db) =>
    db.insert(files).values({ id, tenantId, uid, purpose, name, mime: verdict.mime, size, md5, sha1, sha256 }),
  )
  return { id, name, url: formatFileUrl(id), size, md5, sha1, sha256 }
}

export const formatFileUrl = (id: string) => `/api/v1/file/${id}`

/** Marks files as used by a saved record, so that cleanup keeps them. */
export const markFilesUsed = (db: Db, ids: readonly string[], now: Date) =>
  ids.length === 0
    ? Promise.resolve()
    : db
        .update(files)
        .set({ usedTime: now.toISOString() })
        .where(inArray(files.id, [...ids]))
        .then(() => undefined)
