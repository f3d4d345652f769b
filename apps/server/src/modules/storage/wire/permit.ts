import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { badRequest, DeviceError } from '#modules/device/wire/response.ts'
import {
  type RefusalReason,
  RECORDING_TYPE_CODE,
  findRefusalReason,
  createSampleRecording,
} from '../video/permit-rules.ts'
import { findContentType, formatObjectKey } from '../video/segment.ts'
import { UPLOAD_TICKET_LIFETIME_SECONDS } from '../video/upload-ticket.ts'
import { type AnnouncedSegment, readChannel, readSegments, readTroubles } from './body.ts'

/** A shorter segment of a continuous recording only costs requests. */
const MIN_CONTINUOUS_MS = 4000

/** First recordings of the current event of a channel. */
const events = new Map<number, { readonly eventNo: number; readonly startMs: number }>()
const MAX_EVENTS = 200_000
const MIN_SECONDS = 300
const MAX_SECONDS = 86_400
const HOUR = 3600

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

interface ChannelState {
  readonly channel: number
  readonly state: RefusalReason | 'recording'
  readonly recordType?: number
  /** Seconds since 1970. */
  readonly validUntil?: number
}

/** Handles `storage/state`: returns for each channel of a camera whether and how to record. */
export async function handleStorageState(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, sn, body, now, deviceId, tenantId } = call
  const { videos } = side.services
  for (const { channel, code, text } of readTroubles(body))
    videos.status.reported({ deviceId, channel, tenantId }, { code, text }, now)
  const count = Math.max(1, side.services.fleet.state.models.get(call.modelId)?.cloudChannels ?? 0)
  const channels = Array.from({ length: count }, (_, channel) => channelState(call, channel))
  videos.index.tookState(slot)
  for (const { channel, state } of channels) videos.status.asked({ slot, deviceId, channel, tenantId }, state, now)
  const nextCheck = Math.min(
    ...channels.map(({ channel, state }) => {
      const bounds = videos.index.boundsOf(slot, channel)
      const change = state === 'waiting' ? bounds?.from : state === 'recording' ? bounds?.to : undefined
      return computeNextCheck(sn, state === 'recording' ? undefined : state, change && change - now / 1000)
    }),
  )
  return { status: 200, body: { serverTime: now, channels, nextCheck } }
}

function channelState({ side, slot, now }: PlainCall, channel: number): ChannelState {
  const facts = side.services.videos.factsAt(slot, channel, now, now)
  const reason = findRefusalReason(facts, createSampleRecording(now), now)
  if (reason !== undefined || !facts.span) return { channel, state: reason ?? 'none' }
  const { recordType, preRecord, eventRecord, prolong } = facts.span.terms
  const event = recordType === RECORDING_TYPE_CODE.continuous ? {} : { preRecord, eventRecord, prolong }
  return { channel, state: 'recording', recordType, ...event, validUntil: facts.span.to }
}

/** Seconds until the next request, by the reason of a refusal. */
const BY_REASON: Readonly<Partial<Record<RefusalReason, number>>> = {
  disabled: 6 * HOUR,
  tenant: 6 * HOUR,
  model: 24 * HOUR,
  channel: 24 * HOUR,
  none: 6 * HOUR,
  expired: 6 * HOUR,
  clock: MIN_SECONDS,
  space: 2 * MIN_SECONDS,
}

/** Returns a factor between 0.8 and 1.2 that is always the same for a serial. */
function spreadOf(sn: string) {
  let hash = 0x811c9dc5
  for (let at = 0; at < sn.length; at += 1) hash = Math.imul(hash ^ sn.charCodeAt(at), 0x01000193)
  return 0.8 + (0.4 * ((hash >>> 8) & 0xffff)) / 65_535
}

/**
 * Returns the seconds until the next request of a camera. The value varies by serial, so that cameras do not send their
 * requests together. When a package starts or ends in `changesIn` seconds, the value is at most one second longer than
 * that time, but never below 300 s.
 */
function computeNextCheck(sn: string, reason: RefusalReason | undefined, changesIn = Number.POSITIVE_INFINITY): number {
  const usual = (reason === undefined ? HOUR : (BY_REASON[reason] ?? HOUR)) * spreadOf(sn)
  const wanted = changesIn > 0 ? Math.min(usual, changesIn + 1) : usual
  return Math.round(Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, wanted)))
}
