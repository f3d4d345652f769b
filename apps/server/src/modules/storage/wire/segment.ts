import { WrongContentError } from '#core/media/media.ts'
import { DiskFull, FileMismatch } from '#core/storage/store.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { readUpload, type PlainRequest, type PlainCall, type PlainResponse } from '#modules/device/wire/request.ts'
import { DeviceError, notFound, sendJson, unauthorized, badRequest } from '#modules/device/wire/response.ts'
import { type WriteOutcome, SegmentWriterBusyError } from '../video/segment-writer.ts'
import { detectCodec, FORMAT_HEAD_BYTES, hasFormat, formatObjectKey, type Segment } from '../video/segment.ts'
import type { UploadTicket } from '../video/upload-ticket.ts'
import type { VideoServices } from '../video/videos.ts'
import { requireObject } from './body.ts'

const MAX_DONE = 100
/** Objects that one call reads at once. */
const MAX_CONCURRENT_READS = 8
/**
 * The response is sent within this time, before usual HTTP clients give up. A slow store delays only its own upload
 * tickets.
 */
const WITHIN_MS = 20_000

/** HTTP status of each outcome, also in the results of `storage/commit`. */
const STATUS_BY_OUTCOME = {
  stored: 201,
  same: 200,
  deleted: 200,
  other: 409,
  gone: 410,
} as const satisfies Record<WriteOutcome, number>

/** Handles `PUT storage/segment/{ticket}`: stores the bytes of a segment, and then its row. */
export async function putSegment(arrived: PlainRequest, text: string) {
  const { side, request, response, now } = arrived
  if (request.method !== 'PUT') throw new DeviceError(405, 'PUT only')
  const { videos } = side.services
  const { media } = videos
  if (media.kind !== 'local') throw notFound('call')
  const { segment, slot } = requireOwnedSegment(side, requireUploadTicket(videos, text, now))
  side.limits.takeDevice(slot, now, side.services.fleet.slots)
  side.presence.saw(slot, arrived.ip, now)
  assertLength(request.headers['content-length'], segment.bytes)
  let stored = segment
  const accepts = (head: Uint8Array) => {
    stored = detectCodec(segment, head)
    return hasFormat(segment, head)
  }
  const key = formatObjectKey(segment)
  const put = await media
    .put(key, readUpload(request), { bytes: segment.bytes, headBytes: FORMAT_HEAD_BYTES, accepts })
    .catch((error: unknown) => {
      throw problemOf(error)
    })
  if (put === 'other') throw new DeviceError(409, 'this ticket holds other bytes already')
  const outcome = await storeSegmentRow(videos, stored, now)
  const status = outcome === 'stored' && put === 'same' ? 200 : STATUS_BY_OUTCOME[outcome]
  if (status === 409) throw new DeviceError(409, 'another recording has this start')
  if (status === 410) throw new DeviceError(410, 'ticket over')
  sendJson(request, response, status, { status: outcome === 'deleted' ? 'deleted' : 'stored' })
}

/** Stores the row of an object. Removes the object when no row names it. */
async function storeSegmentRow(videos: VideoServices, segment: Segment, now: number): Promise<WriteOutcome> {
  const outcome = await videos.writer.add(segment).catch((error: unknown) => {
    throw error instanceof SegmentWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  })
  if (outcome === 'stored') videos.stored(segment, now)
  else {
    videos.released(segment)
    await videos.media.remove([formatObjectKey(segment)])
  }
  return outcome
}

function requireUploadTicket(videos: VideoServices, text: string, now: number): UploadTicket {
  const read = videos.uploadTickets.read(text, now)
  if ('ticket' in read) return read.ticket
  if (read.problem === 'expired') throw new DeviceError(410, 'ticket over')
  throw unauthorized('wrong upload permit')
}

/**
 * Returns the segment of an upload ticket with its device. Refuses a device that changed its App account or tenant
 * since.
 */
function requireOwnedSegment({ services }: DeviceServices, ticket: UploadTicket): { segment: Segment; slot: number } {
  const { slots } = services.fleet
  const slot = slots.slotOf(ticket.deviceId)
  const isOwned =
    slot >= 0 &&
    slots.tenants[slot] === ticket.tenantId &&
    services.videos.index.ownerOf(slot) === ticket.ownerId &&
    services.videos.index.ownerSince(slot) * 1000 <= ticket.startMs
  if (!isOwned) throw new DeviceError(410, 'ticket over')
  return { segment: { ...ticket, modelId: slots.models[slot]! }, slot }
}

function assertLength(header: string | undefined, bytes: number) {
  if (header === undefined) throw new DeviceError(411, 'Content-Length is missing')
  if (Number(header) !== bytes) throw new DeviceError(413, `the body must have ${bytes} bytes`)
}

function problemOf(error: unknown) {
  if (error instanceof WrongContentError) return new DeviceError(415, 'the content is not of the announced format')
  if (error instanceof FileMismatch) return new DeviceError(400, 'the body was cut')
  return error instanceof DiskFull ? new DeviceError(507, 'no space left') : error
}

/** Result of one upload ticket: like the status of a PUT to the local store. */
type Status = 200 | 201 | 401 | 404 | 409 | 410 | 413 | 415 | 503

/**
 * Handles `storage/commit`: checks objects that a camera stored in the bucket, and stores their rows. The call may be
 * repeated.
 */
export async function handleStorageCommit(call: PlainCall): Promise<PlainResponse> {
  const { done } = call.body
  if (!Array.isArray(done) || done.length === 0 || done.length > MAX_DONE)
    throw badRequest(`done must be a list of 1 to ${MAX_DONE}`)
  const tickets = done.map(readUploadTicketText)
  const statuses: Status[] = []
  const deadline = AbortSignal.timeout(WITHIN_MS)
  let next = 0
  const worker = async () => {
    for (let at = next++; at < tickets.length && !deadline.aborted; at = next++)
      statuses[at] = await commitOne(call, tickets[at]!, deadline)
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, worker))
  return { status: 200, body: { results: tickets.map((ticket, at) => ({ ticket, status: statuses[at] ?? 503 })) } }
}

function readUploadTicketText(each: unknown, at: number): string {
  const { ticket } = requireObject(each, `done[${at}]`)
  if (typeof ticket !== 'string') throw badRequest(`done[${at}].ticket must be a text`)
  return ticket
}

async function commitOne(call: PlainCall, text: string, deadline: AbortSignal): Promise<Status> {
  try {
    const ticket = requireUploadTicket(call.side.services.videos, text, call.now)
    if (ticket.deviceId !== call.deviceId) return 401
    return await checkObject(call, ticket, deadline)
  } catch (error) {
    if (error instanceof DeviceError) return error.status as Status
    call.side.services.log.warn({ err: error }, 'uploaded video not checked')
    return 503
  }
}

async function checkObject(call: PlainCall, ticket: UploadTicket, deadline: AbortSignal): Promise<Status> {
  const { videos } = call.side.services
  const { segment } = requireOwnedSegment(call.side, ticket)
  const key = formatObjectKey(segment)
  const object = await videos.media.peek(key, FORMAT_HEAD_BYTES, deadline)
  // The object is missing when the call is repeated, or when a call with another ticket of the segment has removed the
  // object.
  if (!object) return (await videos.writer.isDone(segment)) ? 200 : 404
  const status = object.size !== segment.bytes ? 413 : hasFormat(segment, object.head) ? undefined : 415
  if (status === undefined)
    return STATUS_BY_OUTCOME[await storeSegmentRow(videos, detectCodec(segment, object.head), call.now)]
  await videos.media.remove([key], deadline)
  return status
}
