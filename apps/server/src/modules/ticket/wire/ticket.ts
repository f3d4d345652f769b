import { randomBytes } from 'node:crypto'
import { findUploadProblem } from '@oms/contract/core/upload.ts'
import { files } from '#core/schema/system.ts'
import { sanitizeFileName, checkFileType } from '#core/storage/file-type.ts'
import type { Services } from '#core/services.ts'
import { ApiError } from '#core/http/api-error.ts'
import { assertRoomForTicket, createTicketFromDevice } from '../create-ticket.ts'
import { DeviceError, badRequest } from '#modules/device/wire/response.ts'
import type { PlainResponse, PlainCall } from '#modules/device/wire/request.ts'
import { findTicketFileRule, readUploadedFiles } from './upload.ts'
import { MAX_FILES } from './upload-permit.ts'

const MAX_CONTENT = 2000
/**
 * Control characters except line ends and tabs. Users do not type them, and PostgreSQL refuses the zero character.
 */
const ODD = /[^\P{Cc}\n\t]|\p{Cs}/gu

/** Returns the text of a field without control characters, cut to this length. */
export const textOf = (value: unknown, most: number) =>
  typeof value === 'string' ? value.replaceAll(ODD, ' ').trim().slice(0, most) : ''

/**
 * Handles `ticket`: creates a ticket from a device or its App. Required: `problemType` 1-3 and `content`. Optional:
 * `account`, `contact`, `priority` 1-4, `source` (1 for the App). `files` holds up to five of `{id}` of an
 * uploaded file or `{name, data}` in base64. The whole body is limited to 256 KB. Returns the ticket's number.
 */
export async function handleTicketReport(call: PlainCall): Promise<PlainResponse> {
  const { side, deviceId, tenantId, sn, body } = call
  const problemType = Number(body.problemType)
  if (![1, 2, 3].includes(problemType)) throw badRequest('problemType must be 1, 2 or 3')
  const content = textOf(body.content, MAX_CONTENT)
  if (content === '') throw badRequest('content is missing')
  const priority = body.priority === undefined ? 2 : Number(body.priority)
  if (![1, 2, 3, 4].includes(priority)) throw badRequest('priority must be 1 to 4')
  const sent = filesIn(body.files)
  try {
    // A refused ticket must not leave files in the store, so the limit is checked before the files are stored.
    if (sent.inline.length > 0) await assertRoomForTicket(side.services.database.db, sn)
    const uploaded = await readUploadedFiles(side.services.database.db, call, sent.ids)
    const kept = await keep(side.services, tenantId, sent.inline)
    const { feedbackNo } = await createTicketFromDevice(side.services, {
      deviceId,
      tenantId,
      sn,
      problemType,
      content,
      priority,
      attachments: [...uploaded.attachments, ...kept.attachments],
      images: [...uploaded.images, ...kept.images],
      account: textOf(body.account, 50),
      contact: textOf(body.contact, 50),
      source: Number(body.source) === 1 ? 1 : 4,
    })
    return { status: 200, body: { feedbackNo } }
  } catch (error) {
    throw error instanceof ApiError ? new DeviceError(409, error.message) : error
  }
}

interface Sent {
  readonly name: string
  readonly bytes: Buffer
}

/** Returns the files of a ticket: sent in the body, and uploaded before with a permit. */
function filesIn(value: unknown) {
  const sent: { inline: Sent[]; ids: string[] } = { inline: [], ids: [] }
  if (value === undefined || value === null) return sent
  if (!Array.isArray(value) || value.length > MAX_FILES)
    throw badRequest(`files must be a list of at most ${MAX_FILES}`)
  for (const each of value as unknown[]) {
    const { id, name, data } = (each ?? {}) as { id?: unknown; name?: unknown; data?: unknown }
    if (typeof id === 'string') sent.ids.push(id)
    else if (typeof name === 'string' && typeof data === 'string')
      sent.inline.push({ name, bytes: Buffer.from(data, 'base64') })
    else throw badRequest('a file is {id} or {name, data}')
  }
  return sent
}

/** Stores the files under the rules of console uploads, without an owner account. */
async function keep({ files: store, database }: Services, tenantId: number, sent: readonly Sent[]) {
  const kept: { attachments: string[]; images: string[] } = { attachments: [], images: [] }
  for (const { name: given, bytes } of sent) {
    const { rule, purpose } = findTicketFileRule(given)
    const problem = findUploadProblem(rule, { name: given, size: bytes.length })
    if (problem) throw new DeviceError(400, problem)
    const name = sanitizeFileName(given)
    const verdict = checkFileType(rule, name, bytes)
    if (!verdict.ok) throw new DeviceError(400, verdict.msg ?? 'not a picture')
    const { md5, sha1, sha256, size } = await store.put([bytes].values() as unknown as AsyncIterable<Uint8Array>)
    const id = randomBytes(16).toString('hex')
    await database.db.insert(files).values({ id, tenantId, purpose, name, mime: verdict.mime, size, md5, sha1, sha256 })
    kept[purpose === 'ticketImage' ? 'images' : 'attachments'].push(id)
  }
  return kept
}
