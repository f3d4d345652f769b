import {
  IMAGE_EXTENSIONS,
  readFileType,
  formatSizeError,
  type UploadRule,
  findUploadProblem,
} from '@oms/contract/core/upload.ts'
import { TICKET_FILE, TICKET_IMAGE } from '@oms/contract/ticket/ticket-rows.ts'
import { and, eq, gte, isNull, lte, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { sanitizeFileName, checkFileType } from '#core/storage/file-type.ts'
import { FileTooLarge, type StoredFile } from '#core/storage/store.ts'
import {
  readBearerToken,
  readUpload,
  type PlainResponse,
  type PlainRequest,
  type PlainCall,
} from '#modules/device/wire/request.ts'
import { isDeviceEnabled } from '#modules/device/wire/identify.ts'
import { DeviceError, notFound, sendJson, unauthorized, badRequest } from '#modules/device/wire/response.ts'
import { files } from '#core/schema/system.ts'
import {
  createPermit,
  deriveFileId,
  formatFilePrefix,
  MAX_FILES,
  type UploadPermit,
  readPermit,
} from './upload-permit.ts'

/**
 * Maximum number of uploaded files of one device that no ticket uses yet. The job `file-sweep` deletes such files after
 * a day.
 */
const MAX_UNUSED = 20
/** Maximum number of simultaneous uploads of one device in one process. */
const MAX_AT_ONCE = 3
/** First part of the advisory lock that counts and inserts the files of one device. */
const LOCK = 7_302_519

const atOnce = new Map<number, number>()

/** Returns the upload rule and purpose of a ticket's file with this name. */
export function findTicketFileRule(name: string): { rule: UploadRule; purpose: 'ticket' | 'ticketImage' } {
  const isImage = (IMAGE_EXTENSIONS as readonly string[]).includes(readFileType(name))
  return isImage ? { rule: TICKET_IMAGE, purpose: 'ticketImage' } : { rule: TICKET_FILE, purpose: 'ticket' }
}

/**
 * Handles `upload-permit`: allows five uploads within ten minutes. The App may upload with the permit instead of the
 * token.
 */
export async function handleUploadPermit({ side, deviceId, tenantId, origin, now }: PlainCall): Promise<PlainResponse> {
  const { config, database } = side.services
  await assertRoom(database.db, deviceId)
  const { permit, expires } = createPermit(config.secretKey, { deviceId, tenantId }, now)
  return {
    status: 200,
    body: {
      permit,
      expires: new Date(expires).toISOString(),
      url: `${origin}/device/v1/uploads/`,
      maxFiles: MAX_FILES,
      maxBytes: TICKET_FILE.maxBytes,
    },
  }
}

const unusedOf = (deviceId: number) => {
  const prefix = formatFilePrefix(deviceId)
  const own = and(gte(files.id, prefix.padEnd(32, '0')), lte(files.id, prefix.padEnd(32, 'f')))
  return and(own, isNull(files.usedTime), isNull(files.uid))
}

async function assertRoom(db: Db, deviceId: number) {
  const unused = await db.$count(files, unusedOf(deviceId))
  if (unused >= MAX_UNUSED) throw new DeviceError(409, `${MAX_UNUSED} uploaded files wait for a ticket already`)
}

/**
 * Handles `PUT uploads/{1-5}/{name}` with the permit as bearer: stores the body as a file for a ticket of the device.
 */
export async function handleUpload(arrived: PlainRequest, [position = '', name, ...rest]: readonly string[]) {
  const { side, request, response, now } = arrived
  if (request.method !== 'PUT') throw new DeviceError(405, 'PUT only')
  if (name === undefined || rest.length > 0 || !/^[1-9]$/.test(position)) throw notFound('call')
  const permit = permitOf(arrived)
  const { slots } = side.services.fleet
  const slot = slots.slotOf(permit.deviceId)
  if (slot < 0 || slots.tenants[slot] !== permit.tenantId || !isDeviceEnabled(side.services, slot))
    throw unauthorized('wrong upload permit')
  side.limits.takeDevice(slot, now, slots)
  side.presence.saw(slot, arrived.ip, now)
  if (Number(position) > MAX_FILES) throw badRequest(`a permit takes ${MAX_FILES} files`)
  const announced = Number(request.headers['content-length'] ?? 1)
  const { rule } = findTicketFileRule(name)
  if (announced > rule.maxBytes) throw new DeviceError(413, formatSizeError(rule))
  const problem = findUploadProblem(rule, { name, size: announced })
  if (problem) throw badRequest(problem)
  const id = deriveFileId(side.services.config.secretKey, permit, Number(position))
  return sendJson(request, response, 200, await counted(permit.deviceId, () => store(arrived, permit, { id, name })))
}

function permitOf({ side, request, now }: PlainRequest) {
  const permit = readPermit(side.services.config.secretKey, readBearerToken(request), now)
  if (!permit) throw unauthorized('wrong upload permit')
  return permit
}

async function counted<T>(deviceId: number, work: () => Promise<T>): Promise<T> {
  const running = atOnce.get(deviceId) ?? 0
  if (running >= MAX_AT_ONCE) throw new DeviceError(429, 'too many uploads at once', 5)
  atOnce.set(deviceId, running + 1)
  try {
    return await work()
  } finally {
    const left = atOnce.get(deviceId)! - 1
    if (left === 0) atOnce.delete(deviceId)
    else atOnce.set(deviceId, left)
  }
}

async function store(arrived: PlainRequest, permit: UploadPermit, { id, name }: { id: string; name: string }) {
  const { services } = arrived.side
  const [earlier] = await services.database.db.select({ id: files.id }).from(files).where(eq(files.id, id))
  if (!earlier) await assertRoom(services.database.db, permit.deviceId)
  const { rule, purpose } = findTicketFileRule(name)
  const stored = await receiveFile(arrived, rule)
  const shown = sanitizeFileName(name)
  const problem = findUploadProblem(rule, { name, size: stored.size })
  if (problem) throw badRequest(problem)
  const verdict = checkFileType(rule, shown, stored.head)
  if (!verdict.ok) throw badRequest(verdict.msg)
  const { size, md5, sha1, sha256 } = stored
  const facts = { tenantId: permit.tenantId, purpose, name: shown, mime: verdict.mime, size, md5, sha1, sha256 }
  await record(services, permit.deviceId, { id, ...facts })
  return { id, name: shown, size, sha256 }
}

async function receiveFile({ side, request }: PlainRequest, rule: UploadRule): Promise<StoredFile> {
  try {
    return await side.services.files.put(readUpload(request), { maxBytes: rule.maxBytes })
  } catch (error) {
    throw error instanceof FileTooLarge ? new DeviceError(413, formatSizeError(rule)) : error
  }
}

/**
 * Inserts the row of a stored file. The same content sent again is accepted, because the response to the first upload
 * may be lost.
 */
async function record({ database }: Services, deviceId: number, file: typeof files.$inferInsert) {
  await database.db.transaction(async (db) => {
    await db.execute(sql`select pg_advisory_xact_lock(${LOCK}, ${deviceId})`)
    const [earlier] = await db.select({ sha256: files.sha256 }).from(files).where(eq(files.id, file.id))
    if (!earlier) {
      await assertRoom(db, deviceId)
      return void (await db.insert(files).values(file))
    }
    if (earlier.sha256 !== file.sha256) throw new DeviceError(409, 'this position of the permit holds another file')
  })
}

/** Returns uploaded files by their ids, grouped by field of the ticket. Refuses files of another device. */
export async function readUploadedFiles(db: Db, { deviceId, tenantId }: PlainCall, ids: readonly string[]) {
  const sorted: { attachments: string[]; images: string[] } = { attachments: [], images: [] }
  if (ids.length === 0) return sorted
  const rows = await db
    .select({ id: files.id, purpose: files.purpose })
    .from(files)
    .where(and(unusedOf(deviceId), eq(files.tenantId, tenantId)))
  const purposes = new Map(rows.map(({ id, purpose }) => [id, purpose]))
  for (const id of new Set(ids)) {
    const purpose = purposes.get(id)
    if (purpose === undefined) throw badRequest('files names an id that is no unused upload of this device')
    sorted[purpose === 'ticketImage' ? 'images' : 'attachments'].push(id)
  }
  return sorted
}
