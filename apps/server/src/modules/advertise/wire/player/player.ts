import { MAX_REPORTS, StatusReport } from '@oms/contract/advertise/device-calls.ts'
import { iterateAgenda } from '@oms/contract/advertise/engine/agenda.ts'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { chooseRendition, createCodecTest } from '@oms/contract/advertise/engine/renditions.ts'
import type { Services } from '#core/services.ts'
import { computeIdlePollSeconds } from '#modules/device/wire/pacing.ts'
import { hasEntityTag, readRawHeader } from '#modules/device/wire/request.ts'
import { queueResponse, DeviceError, notFound, sendJson, badRequest } from '#modules/device/wire/response.ts'
import { PlayWriterBusyError } from '../../plays/play-writer.ts'
import {
  type ScreenRequest,
  readDeviceIds,
  requireScreenSlot,
  requireAuthenticatedDeviceSlot,
  createStoredMediaSource,
  sendMediaFile,
  readReportingDevice,
  readJsonBody,
  requireSerial,
  toFieldError,
} from '../screen-call.ts'
import { openPairing, readPairing } from './pair.ts'

const PATH = '/device/v1/ad/manifest/'
const SERIAL = /^[\w.:-]{1,64}$/
const HOUR_MS = 3_600_000
const MAX_HOURS = 48
/** Maximum number of slots of one response, about 4 MB. A response that reaches the maximum ends earlier (`until`). */
const MAX_SLOTS = 20_000
const MAX_MS = 253_402_214_400_000

/** Routes one call below `/device/v1/ad/`. */
export async function routeAdRequest(call: ScreenRequest, [name = '', ...rest]: readonly string[]): Promise<unknown> {
  const { method } = call.request
  const only = (...methods: string[]) => {
    if (!methods.includes(method ?? '')) throw new DeviceError(405, `${methods.join(' or ')} only`)
  }
  if (name === 'manifest' && rest.length === 1) {
    only('GET')
    return sendManifest(call, rest[0]!)
  }
  if (name === 'agenda' && rest.length === 1) {
    only('GET')
    return sendAgenda(call, rest[0]!)
  }
  if (name === 'media' && rest.length === 2) {
    only('GET', 'HEAD')
    return sendMedia(call, rest[0]!, rest[1]!)
  }
  if (name === 'pair' && rest.length === 0) {
    only('POST')
    return openPairing(call)
  }
  if (name === 'pair' && rest.length === 1) {
    only('GET')
    return readPairing(call, rest[0]!)
  }
  if (rest.length > 0) throw notFound('call')
  if (name === 'report' || name === 'status') only('POST')
  if (name === 'report') return handlePlayReport(call)
  if (name === 'status') return handleScreenStatus(call)
  throw notFound('call')
}

/** Headers that set the player's clock and its next poll. */
function buildTimeHeaders({ side }: Pick<ScreenRequest, 'side'>, slot: number): [string, string, string, string] {
  const { services } = side
  const seconds = computeIdlePollSeconds(services.fleet.slots.ids[slot]!, services.config.ads.pollSeconds)
  return ['x-oms-time', String(Date.now()), 'x-oms-poll', String(Math.min(3600, Math.max(5, seconds)))]
}

/**
 * Responds to `GET manifest/{sn}` synchronously from the cached manifest of the set. Returns false for a URL that
 * the full handler must parse.
 */
export function sendCachedManifest({
  side,
  request,
  response,
  ip,
  now,
}: Omit<ScreenRequest, 'origin' | 'search'>): boolean {
  const sn = (request.url ?? '').slice(PATH.length)
  if (!SERIAL.test(sn)) return false
  sendManifest({ side, request, response, ip, now }, sn)
  return true
}

/** Sends the manifest of a screen, or 304. */
function sendManifest(call: Omit<ScreenRequest, 'origin' | 'search'>, sn: string) {
  const { side, request, response } = call
  const slot = requireScreenSlot(call, sn)
  const { index, status } = side.services.adDelivery
  // A device that requests a manifest is a screen, also when its player never sends a status.
  if (!index.hasScreen(slot)) status.take({ ...readDeviceIds(side, slot), at: call.now, isScreen: false })
  const manifest = index.manifestOf(slot)
  const common = ['etag', `"${manifest.etag}"`, ...buildTimeHeaders(call, slot), 'cache-control', 'no-cache']
  if (index.changedScreens.size > 0 && index.changedScreens.delete(slot)) removePairings(side.services, slot)
  if (hasEntityTag(readRawHeader(request, 'if-none-match'), manifest.etag))
    return queueResponse(response, 304, common, '')
  const isPacked = /\bgzip\b/.test(readRawHeader(request, 'accept-encoding') ?? '')
  const body = isPacked ? manifest.gzip() : manifest.body
  const headers = [...common, 'content-type', 'application/json', 'vary', 'accept-encoding']
  headers.push('content-length', String(body.length))
  if (isPacked) headers.push('content-encoding', 'gzip')
  response.writeHead(200, headers).end(body)
}

interface Question {
  readonly from: number
  readonly hours: number
  readonly screen: Parameters<typeof chooseRendition>[1]
}

/** `GET agenda/{sn}?from&hours`: the slots of the manifest as a list, for players without the schedule engine. */
function sendAgenda(call: ScreenRequest, sn: string) {
  const { side, request, response } = call
  const slot = requireScreenSlot(call, sn)
  const { from, hours, screen } = questionOf(call)
  const { schedule, etag } = side.services.adDelivery.index.manifestOf(slot)
  const files = new Map(schedule.ads.map((ad) => [ad.id, { type: ad.type, ...fileOf(ad, screen) }]))
  let until = from + hours * HOUR_MS
  const slots = []
  for (const { verNo: ver, hold, start, ms, programId, itemId, adId, adVer } of iterateAgenda(schedule, from, until)) {
    if (slots.length >= MAX_SLOTS) {
      until = start
      break
    }
    const ids = { programId, ver, itemId, adId, adVer }
    slots.push({ start, ms, ...ids, ...files.get(adId), ...(hold && { hold }) })
  }
  sendJson(request, response, 200, { etag, zone: schedule.zone, from, until, slots, ads: schedule.ads })
}

/** Returns the rendition for the screen; nothing for texts, web addresses, and codecs that the screen cannot play. */
function fileOf(ad: ManifestAd, screen: Question['screen']) {
  const file = chooseRendition(ad, screen)
  return file && { file: file.sha256, mime: file.mime, size: file.size }
}

/** Reads the query: the span, and the size and codecs of the screen (absent: 1920×1080, every codec). */
function questionOf({ now, search }: ScreenRequest): Question {
  const query = new URLSearchParams(search)
  const numberOf = (name: string, fallback: number, [min, max]: readonly [number, number]) => {
    const text = query.get(name)
    const value = text === null ? fallback : Number(text)
    if ((text !== null && !/^\d{1,15}$/.test(text)) || value < min || value > max)
      throw badRequest(`${name} must be ${min} to ${max}`)
    return value
  }
  const codecs = (query.get('codecs') ?? '').split(',').filter((codec) => codec.trim() !== '')
  return {
    from: numberOf('from', now, [0, MAX_MS]),
    hours: numberOf('hours', 1, [1, MAX_HOURS]),
    screen: {
      width: numberOf('width', 1920, [1, 32_767]),
      height: numberOf('height', 1080, [1, 32_767]),
      mayPlay: createCodecTest(codecs),
    },
  }
}

/** `GET` and `HEAD media/{sn}/{sha256}`: a file of the screen's manifest, whole or a range. */
async function sendMedia(call: ScreenRequest, sn: string, sha256: string) {
  const { side } = call
  const slot = requireAuthenticatedDeviceSlot(call, sn)
  const file = side.services.adDelivery.index.manifestOf(slot).files.get(sha256)
  if (!file) throw notFound('file')
  side.presence.saw(slot, call.ip, call.now)
  await sendMediaFile(call, slot, createStoredMediaSource(call, file))
}

/** `POST report`: stores played ads. The player removes all reports of a successful call from its queue. */
async function handlePlayReport(call: ScreenRequest) {
  const { side, request, response, now } = call
  const body = await readJsonBody(call)
  const slot = requireScreenSlot(call, requireSerial(body))
  const { reports } = body
  if (!Array.isArray(reports)) throw badRequest('reports must be a list')
  if (reports.length > MAX_REPORTS) throw new DeviceError(413, `at most ${MAX_REPORTS} reports`)
  const { ingest } = side.services.adDelivery
  const reply = await ingest.take(readReportingDevice(side, slot), reports, now).catch((error: unknown) => {
    throw error instanceof PlayWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  })
  sendJson(request, response, 200, reply)
}

/** `POST status`: stores the status of a screen. */
async function handleScreenStatus(call: ScreenRequest) {
  const { side, request, response, now } = call
  const body = await readJsonBody(call)
  const slot = requireScreenSlot(call, requireSerial(body))
  const { data, error } = StatusReport.safeParse(body)
  if (!data) throw toFieldError(error)
  const { deviceId, tenantId } = readDeviceIds(side, slot)
  const { status, index } = side.services.adDelivery
  status.take({ ...data, deviceId, tenantId, at: now, isScreen: index.hasScreen(slot) })
  sendJson(request, response, 200, {})
}

/** Removes the open pairings of a screen after its player received the token. */
function removePairings({ database, fleet, log }: Services, slot: number) {
  database.pool
    .query('delete from ad_pairings where device_id = $1', [fleet.slots.ids[slot]!])
    .catch((err: unknown) => log.warn({ err }, 'pairing not removed'))
}
