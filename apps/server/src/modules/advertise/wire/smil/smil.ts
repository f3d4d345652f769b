import { crc32 } from 'node:zlib'
import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { planSend } from '#core/storage/send.ts'
import { FileMissing } from '#core/storage/store.ts'
import { computeSmilEtag, formatSmilIndex, mediaName, renderSmilIndex, toMediaKey } from '../../screens/smil-index.ts'
import { computeWidgetSize, createTextWidget, readWidget, renderTextPage } from '../../text-widget.ts'
import { hasEntityTag, readRawHeader } from '#modules/device/wire/headers.ts'
import { isDeviceEnabled } from '#modules/device/wire/identify.ts'
import type { ScreenRequest } from '../screen-call.ts'
import { createStoredMediaSource, type MediaSource, quoteEntityTags, sendMediaFile } from '../send-media.ts'
import { DeviceError, notFound, unauthorized } from '#modules/device/wire/response.ts'
import { handlePlayLog } from './log.ts'
import { recordIndex, recordMedia } from './held-media.ts'
import { recordPlayer } from './player-agent.ts'

/** Players in browsers have another origin. The key in the address is the credential, so every origin may use it. */
const FOREIGN_ORIGINS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, PUT, POST',
  'access-control-allow-headers': 'content-type, range, if-none-match, if-modified-since',
}
const KEY = /^[a-z2-7]{26}$/
const MEDIA = /^([0-9a-f]{64})\.(png|jpg|webp|mp4|webm|mp3|m4a|wav|bin|wgt)$/
const TEXT = /^text-(\d{1,9})-(\d{1,9})\.wgt$/
const NOT_MODIFIED = 304
const WIDGET = 'wgt'
const WIDGET_TYPE = 'application/widget'
/** A log counts as this many requests: 12 logs a minute. garlic-player sends one log in five minutes. */
const LOG_WEIGHT = 20
/** `Last-Modified` of all media. The content of a media URL never changes, so one early date suits all. */
const MEDIA_TIME = new Date(Date.UTC(2000, 0)).toUTCString()
/** Type of the page that the server makes of a package. */
const PAGE_TYPE = 'text/html'

/** Routes one call below `/device/v1/ad/smil/{key}/`, as unmodified SMIL players send it. The key is the credential. */
export async function routeSmilRequest(call: ScreenRequest, [key = '', ...rest]: readonly string[]): Promise<unknown> {
  const [name = '', file = ''] = rest
  for (const [header, value] of Object.entries(FOREIGN_ORIGINS)) call.response.setHeader(header, value)
  call.response.setHeader('access-control-expose-headers', 'etag')
  if (call.request.method === 'OPTIONS') return void call.response.writeHead(204, PREFLIGHT).end()
  const slot = await requireSlotOfKey(call, key, name === 'log' ? LOG_WEIGHT : 1)
  const { method = '' } = call.request
  if (name === 'log') {
    if (method !== 'PUT' && method !== 'POST') throw new DeviceError(405, 'PUT or POST only')
    return handlePlayLog(call, slot)
  }
  if (method !== 'GET' && method !== 'HEAD') throw new DeviceError(405, 'GET or HEAD only')
  if (name === 'index.smil' && rest.length === 1) return sendIndex(call, slot, key)
  if (name === 'm' && rest.length === 2) return sendMedium(call, slot, file)
  throw notFound('call')
}

async function requireSlotOfKey({ side, now, ip }: ScreenRequest, key: string, weight: number): Promise<number> {
  const { services } = side
  const slot = KEY.test(key) ? await findSlotOfKey(side, key) : -1
  if (slot < 0) throw notFound('screen')
  if (!isDeviceEnabled(services, slot)) throw unauthorized('device disabled')
  side.limits.takeDevice(slot, now, services.fleet.slots, weight)
  side.presence.saw(slot, ip, now)
  return slot
}

/**
 * Returns the slot of a key; -1 for an unknown key. Loads new keys first, because a person may have just created the
 * key.
 */
async function findSlotOfKey({ services, unknownKeys }: ScreenRequest['side'], key: string): Promise<number> {
  const { index } = services.adDelivery
  const slot = index.slotOfSmilKey(key)
  if (slot >= 0 || !(await unknownKeys.sync())) return slot
  return index.slotOfSmilKey(key)
}

async function sendIndex(call: ScreenRequest, slot: number, key: string) {
  const { side, request, response, origin, now } = call
  const { index } = side.services.adDelivery
  const set = index.setOf(slot)
  const manifest = index.render(set)
  const smilIndex = await renderSmilIndex(set, manifest, now, index.smilSizeOf(slot))
  const base = `${origin}/device/v1/ad/smil/${key}/`
  const etag = computeSmilEtag(smilIndex, base)
  const playerVersion = recordPlayer(side.services, slot, readRawHeader(request, 'user-agent'))
  recordIndex(call, slot, { etag, appliedEtag: manifest.etag, playerVersion, media: smilIndex.media })
  const common = {
    etag: `"${etag}"`,
    'last-modified': new Date(smilIndex.at).toUTCString(),
    'cache-control': 'no-cache',
  }
  const tags = readRawHeader(request, 'if-none-match')
  // garlic-player sends the ETag without quotes. A player that knows no ETag repeats the time that it received.
  const isKnown =
    tags === undefined
      ? readRawHeader(request, 'if-modified-since') === common['last-modified']
      : hasEntityTag(tags, etag)
  if (isKnown) return void response.writeHead(304, common).end()
  const body = Buffer.from(formatSmilIndex(smilIndex, base))
  const headers = { ...common, 'content-type': 'application/smil+xml', 'content-length': body.length }
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body)
}

async function sendMedium(call: ScreenRequest, slot: number, name: string) {
  const manifest = call.side.services.adDelivery.index.manifestOf(slot)
  const text = TEXT.exec(name)
  if (text) {
    const ad = manifest.schedule.ads.find(({ id, verNo }) => id === Number(text[1]) && verNo === Number(text[2]))
    if (!ad?.text) throw notFound('file')
    if (sendBytes(call, name, createTextWidget(renderTextPage(ad.text)))) recordMedia(call, slot, [toMediaKey(name)])
    return
  }
  const [, sha256 = '', extension = ''] = MEDIA.exec(name) ?? []
  const file = manifest.files.get(sha256)
  if (!file || !isNameOf(file, extension)) throw notFound('file')
  const source = extension === WIDGET ? createWidgetSource(call, name, file) : createStoredMediaSource(call, file)
  // Players cache only responses without an attachment header.
  const headers = { ...FOREIGN_ORIGINS, 'content-disposition': 'inline', 'last-modified': MEDIA_TIME }
  if (await sendMediaFile(call, slot, source, headers)) recordMedia(call, slot, [toMediaKey(name)])
}

/**
 * True when the SMIL index of a screen names a file with this extension. A page of a package exists only as a widget.
 */
const isNameOf = (file: ManifestFile, extension: string) =>
  file.mime.startsWith(PAGE_TYPE) ? extension === WIDGET : mediaName(file) === `${file.sha256}.${extension}`

/** Returns the widget of a package. Its page is read as a stream, so that no request holds a whole page in memory. */
function createWidgetSource({ side }: ScreenRequest, name: string, { sha256, size }: { sha256: string; size: number }) {
  const { files } = side.services
  const total = computeWidgetSize(size)
  const open: MediaSource['open'] = async (range = { start: 0, end: total - 1 }) => {
    // With a cached checksum, a missing page would otherwise be noticed only after the status line was sent.
    if (!(await files.stat(sha256))) throw new FileMissing('No such file')
    const crc = await findChecksum(sha256, () => files.openRead(sha256))
    return readWidget({ size, crc }, range, (part) => files.openRead(sha256, part))
  }
  return { sha256: name, stored: sha256, size: total, mime: WIDGET_TYPE, name, open }
}

const MAX_CHECKSUMS = 1000
const checksums = new Map<string, Promise<number>>()

/** Returns the CRC-32 of a stored page, which a zip file needs before its bytes. Concurrent calls read the page once. */
function findChecksum(sha256: string, open: () => Promise<AsyncIterable<Buffer>>): Promise<number> {
  const known = checksums.get(sha256)
  if (known) return known
  if (checksums.size >= MAX_CHECKSUMS) checksums.clear()
  const reading = computeChecksum(open)
  checksums.set(sha256, reading)
  reading.catch(() => checksums.delete(sha256))
  return reading
}

async function computeChecksum(open: () => Promise<AsyncIterable<Buffer>>) {
  let crc = 0
  for await (const chunk of await open()) crc = crc32(chunk, crc)
  return crc
}

/**
 * Sends a widget that was created for this request, whole or a range. Returns true when the player has the widget: the
 * response contains the last byte or confirms the player's copy (304).
 */
function sendBytes({ request, response }: ScreenRequest, name: string, bytes: Buffer): boolean {
  const { method = 'GET' } = request
  const plan = planSend(
    { method, headers: quoteEntityTags(request.headers) },
    { sha256: name, size: bytes.length, mime: WIDGET_TYPE, name },
  )
  const headers = { ...plan.headers, ...FOREIGN_ORIGINS, 'content-disposition': 'inline', 'last-modified': MEDIA_TIME }
  response.writeHead(plan.status, headers)
  response.end(plan.range ? bytes.subarray(plan.range.start, plan.range.end + 1) : undefined)
  return plan.status === NOT_MODIFIED || plan.range?.end === bytes.length - 1
}
