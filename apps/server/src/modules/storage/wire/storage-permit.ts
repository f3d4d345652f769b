import { type RefusalReason, RECORDING_TYPE_CODE, findRefusalReason } from '../video/permit-rules.ts'
import { findContentType, formatObjectKey } from '../video/recordings/segment.ts'
import { UPLOAD_TICKET_LIFETIME_SECONDS } from '../video/upload-ticket.ts'
import { badRequest, DeviceError } from '#modules/device/wire/response.ts'
import { computeNextCheck } from './next-check.ts'
import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { type AnnouncedSegment, readChannel, readSegments } from './storage-body.ts'

/** A shorter segment of a continuous recording only costs requests. */
const MIN_CONTINUOUS_MS = 4000

/** First recordings of the current event of a channel. */
const events = new Map<number, { readonly eventNo: number; readonly startMs: number }>()
const MAX_EVENTS = 200_000

interface Upload {
  readonly ticket: string
  readonly method: 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Handles `storage/permit`: returns for each announced segment the upload address, or the reason of its refusal.
 * Responds 403 when every segment is refused. Queries the database only once per process, for packages with a limit
 * per day.
 */
export async function handleStoragePermit(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, sn, body, now, deviceId, tenantId } = call
  const channel = readChannel(body)
  const segments = readSegments(body)
  const starts = segments.map(({ startMs }) => startMs)
  await side.services.videos.loadDayLimits(slot, channel, starts, now).catch((err: unknown) => {
    side.services.log.warn({ err }, 'bytes of the day not read')
    throw new DeviceError(503, 'busy', 30)
  })
  const upload = segments.map((segment) => permitOne(call, channel, segment))
  const reasons = upload.filter((each) => typeof each === 'string')
  const first = reasons.length === upload.length ? reasons[0] : undefined
  side.services.videos.status.asked({ slot, deviceId, channel, tenantId }, first ?? 'recording', now)
  const nextCheck = computeNextCheck(sn, first)
  if (first !== undefined) return { status: 403, body: { reason: first, nextCheck }, isAscii: true }
  const listed = upload.map((each) => (typeof each === 'string' ? { reason: each } : each))
  return { status: 200, body: { upload: listed, nextCheck }, isAscii: true }
}

function permitOne(call: PlainCall, channel: number, segment: AnnouncedSegment): Upload | RefusalReason {
  const { side, slot, now, deviceId, tenantId } = call
  const { videos } = side.services
  const facts = videos.factsAt(slot, channel, segment.startMs, now)
  const { startMs, durationMs, bytes, eventNo } = segment
  const eventStartMs = eventNo === 0 ? startMs : eventStart(slot * 64 + channel, segment)
  const recording = { startMs, durationMs, bytes, isEvent: eventNo > 0, eventStartMs }
  const reason = findRefusalReason(facts, recording, now)
  const { span } = facts
  if (reason !== undefined || !span) return reason ?? 'none'
  const { recordType } = span.terms
  if (
    recordType === RECORDING_TYPE_CODE.continuous &&
    segment.format !== 3 &&
    durationMs < MIN_CONTINUOUS_MS &&
    !segment.isFinal
  )
    throw badRequest(
      `a continuous segment lasts at least ${MIN_CONTINUOUS_MS} ms; the last one of a session says final`,
    )
  const owner = { deviceId, tenantId, ownerId: videos.index.ownerOf(slot), entitlementId: span.entitlementId }
  const days = { day: videos.dayOf(startMs), expireDay: facts.expireDay }
  const { text, ticket } = videos.uploadTickets.create({ ...segment, ...owner, ...days, channel, recordType }, now)
  if (span.terms.dayLimitMb > 0) videos.permitted(ticket, now)
  return addressOf(call, text, ticket)
}

function eventStart(key: number, { eventNo, startMs }: AnnouncedSegment) {
  const known = events.get(key)
  if (known?.eventNo === eventNo) return Math.min(known.startMs, startMs)
  if (events.size >= MAX_EVENTS) events.clear()
  events.set(key, { eventNo, startMs })
  return startMs
}

function addressOf(
  { side, origin, now }: PlainCall,
  text: string,
  ticket: Parameters<typeof formatObjectKey>[0] & { bytes: number },
): Upload {
  const { media } = side.services.videos
  const contentType = findContentType(ticket.format)
  if (media.kind === 'local') {
    const url = `${origin}/device/v1/storage/segment/${text}`
    return { ticket: text, method: 'PUT', url, headers: { 'content-type': contentType } }
  }
  const { bytes } = ticket
  const url = media.putUrl(formatObjectKey(ticket), {
    bytes,
    contentType,
    seconds: UPLOAD_TICKET_LIFETIME_SECONDS,
    now,
  })
  return { ticket: text, method: 'PUT', url, headers: { 'content-type': contentType, 'content-length': String(bytes) } }
}
