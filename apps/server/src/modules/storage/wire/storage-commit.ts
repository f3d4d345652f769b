import { detectCodec, FORMAT_HEAD_BYTES, hasFormat } from '../video/recordings/format.ts'
import { formatObjectKey } from '../video/recordings/segment.ts'
import type { UploadTicket } from '../video/upload-ticket.ts'
import { DeviceError, badRequest } from '#modules/device/wire/response.ts'
import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { requireObject } from './storage-body.ts'
import { requireOwnedSegment, STATUS_BY_OUTCOME, storeSegmentRow, requireUploadTicket } from './storage-segment.ts'

const MAX_DONE = 100
/** Objects that one call reads at once. */
const MAX_CONCURRENT_READS = 8
/**
 * The response is sent within this time, before usual HTTP clients give up. A slow store delays only its own upload
 * tickets.
 */
const WITHIN_MS = 20_000

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
