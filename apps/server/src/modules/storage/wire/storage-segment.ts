import { WrongContentError } from '#core/media/media.ts'
import { DiskFull, FileMismatch } from '#core/storage/store.ts'
import { detectCodec, FORMAT_HEAD_BYTES, hasFormat } from '../video/recordings/format.ts'
import { formatObjectKey, type Segment } from '../video/recordings/segment.ts'
import { type WriteOutcome, SegmentWriterBusyError } from '../video/recordings/segment-writer.ts'
import type { UploadTicket } from '../video/upload-ticket.ts'
import type { VideoServices } from '../video/videos.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { readUpload, type PlainRequest } from '#modules/device/wire/request.ts'
import { DeviceError, notFound, sendJson, unauthorized } from '#modules/device/wire/response.ts'

/** HTTP status of each outcome, also in the results of `storage/commit`. */
export const STATUS_BY_OUTCOME = {
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
export async function storeSegmentRow(videos: VideoServices, segment: Segment, now: number): Promise<WriteOutcome> {
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

export function requireUploadTicket(videos: VideoServices, text: string, now: number): UploadTicket {
  const read = videos.uploadTickets.read(text, now)
  if ('ticket' in read) return read.ticket
  if (read.problem === 'expired') throw new DeviceError(410, 'ticket over')
  throw unauthorized('wrong upload permit')
}

/**
 * Returns the segment of an upload ticket with its device. Refuses a device that changed its App account or tenant
 * since.
 */
export function requireOwnedSegment(
  { services }: DeviceServices,
  ticket: UploadTicket,
): { segment: Segment; slot: number } {
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
