import { queueResponse } from '#modules/device/wire/batch-responses.ts'
import { hasEntityTag, readRawHeader } from '#modules/device/wire/headers.ts'
import { computeIdlePollSeconds } from '#modules/device/wire/poll-interval.ts'
import { readDeviceIds, type ScreenRequest, requireScreenSlot } from '../screen-call.ts'
import { removePairings } from './pairing-rows.ts'

const PATH = '/device/v1/ad/manifest/'
const SERIAL = /^[\w.:-]{1,64}$/

/** Headers that set the player's clock and its next poll. */
export function buildTimeHeaders(
  { side }: Pick<ScreenRequest, 'side'>,
  slot: number,
): [string, string, string, string] {
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
export function sendManifest(call: Omit<ScreenRequest, 'origin' | 'search'>, sn: string) {
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
