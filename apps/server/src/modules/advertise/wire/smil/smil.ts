import { crc32 } from 'node:zlib'
import { MAX_REPORTS, type PlayReport } from '@oms/contract/advertise/device-calls.ts'
import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { SMIL_PLAYER } from '@oms/contract/advertise/screen.ts'
import type { Services } from '#core/services.ts'
import { planSend } from '#core/storage/send.ts'
import { FileMissing } from '#core/storage/store.ts'
import { isDeviceEnabled } from '#modules/device/wire/identify.ts'
import { hasEntityTag, readRawHeader, readReport } from '#modules/device/wire/request.ts'
import { DeviceError, notFound, unauthorized, sendEmpty, badRequest } from '#modules/device/wire/response.ts'
import { PlayWriterBusyError } from '../../plays/play-writer.ts'
import { MAX_LOG_BYTES, readSmilLog, InvalidLogError } from '../../plays/smil-log.ts'
import type { ScreenStatus } from '../../screens/screen-status.ts'
import {
  type ScreenRequest,
  createStoredMediaSource,
  type MediaSource,
  quoteEntityTags,
  sendMediaFile,
  readReportingDevice,
  readDeviceIds,
} from '../screen-call.ts'
import { computeSmilEtag, formatSmilIndex, mediaName, renderSmilIndex, toMediaKey, findMediaKey } from './smil-index.ts'
import { computeWidgetSize, createTextWidget, readWidget, renderTextPage } from './text-widget.ts'

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
const MAX_CHECKSUMS = 1000
const CREATED = 201
const MAX_KNOWN_SCREENS = 100_000
/** Milliseconds after which the files of an unchanged index are stored again, in case a write was lost. */
const REPEAT_MS = 600_000
/** `GAPI/1.0 (UUID:…; NAME:…) garlic-linux/v0.6.0 (MODEL:Garlic)`, or `ADAPI/1.0 …` of IAdea. */
const AGENT = /\bUUID:\s*([\w-]{1,64})[^)]*\)\s*([\w./-]{1,40})?/
/**
 * True unless the first player of the screen still uses the address. The files of another player do not count for a new
 * or a returning player. A second player that meets another process loses its files too, because the row has only the UUID
 * of the first player; later plays and requests count again.
 */
const IS_REPLACING = `not (smil_replaced = 0 and smil_uuid in ('', $2))`

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

/** `PUT log/playlog-{uuid}.xml`: stores the plays of a log. The first log of a player has no plays. */
async function handlePlayLog(call: ScreenRequest, slot: number) {
  const { side, request, response, now } = call
  const { text, isCut } = await readReport(request, MAX_LOG_BYTES)
  if (isCut) throw new DeviceError(413, 'body too large')
  const device = readReportingDevice(side, slot)
  const { ingest, index } = side.services.adDelivery
  try {
    const { plays, isWhole } = readSmilLog(text)
    const reports = await ingest.smilReports(device, plays, { zone: index.setOf(slot).zone, now })
    for (let at = 0; at < reports.length; at += MAX_REPORTS) {
      const batch = reports.slice(at, at + MAX_REPORTS)
      const { rejected } = await ingest.take(device, batch, now)
      const refused = new Set(rejected.map(({ reportId }) => reportId))
      const stored = batch.filter(({ reportId }) => !refused.has(reportId))
      recordMedia(call, slot, listPlayedMedia(call, slot, stored))
    }
    // The player keeps a log that is not accepted and sends it again. The complete plays of the log are stored only
    // once.
    if (!isWhole) throw badRequest('the body is no whole play log')
  } catch (error) {
    if (error instanceof InvalidLogError) throw badRequest(error.message)
    throw error instanceof PlayWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  }
  sendEmpty(response, CREATED)
}

/** Returns the keys of the played files that the manifest of the screen still contains. */
function listPlayedMedia({ side }: ScreenRequest, slot: number, plays: readonly Partial<PlayReport>[]): string[] {
  const { index } = side.services.adDelivery
  const played = new Set(plays.map(({ adId, adVer }) => `${adId}:${adVer}`))
  const shown = index.manifestOf(slot).schedule.ads.filter(({ id, verNo }) => played.has(`${id}:${verNo}`))
  const size = index.smilSizeOf(slot)
  return shown.flatMap((ad) => findMediaKey(ad, size) ?? [])
}

interface StoredList {
  readonly etag: string
  readonly at: number
}

/** Last index of each screen whose files were stored. A request every minute must not store the same files again. */
const storedLists = new WeakMap<ScreenStatus, Map<number, StoredList>>()

interface RequestedIndex {
  /** ETag of the index with the address of the screen. */
  readonly etag: string
  /** ETag of the manifest. */
  readonly appliedEtag: string
  readonly playerVersion: string
  readonly media: readonly string[]
}

/** Records that a player requested its index, and the files of the index. */
function recordIndex(call: ScreenRequest, slot: number, { etag, media, ...report }: RequestedIndex) {
  const { status } = call.side.services.adDelivery
  const base = buildReport(call, slot)
  const isStored = checkStored(status, base.deviceId, { etag, at: call.now })
  status.take({ ...base, ...report, ...(!isStored && { media }) })
}

/** Records files that a player has. The status of a screen is written at most once a minute. */
function recordMedia(call: ScreenRequest, slot: number, held: readonly string[]) {
  if (held.length > 0) call.side.services.adDelivery.status.take({ ...buildReport(call, slot), held })
}

function buildReport({ side, now }: ScreenRequest, slot: number) {
  const { deviceId, tenantId } = readDeviceIds(side, slot)
  // A device without a screen has no SMIL address.
  return { deviceId, tenantId, at: now, playerKind: SMIL_PLAYER, isScreen: true }
}

/** Returns true when the files of the index were stored recently. Otherwise marks them as stored and returns false. */
function checkStored(status: ScreenStatus, deviceId: number, list: StoredList): boolean {
  const lists = storedLists.get(status) ?? new Map<number, StoredList>()
  storedLists.set(status, lists)
  const known = lists.get(deviceId)
  if (known?.etag === list.etag && list.at - known.at < REPEAT_MS) return true
  if (lists.size >= MAX_KNOWN_SCREENS) lists.clear()
  lists.set(deviceId, list)
  return false
}

/** UUID of the last request of each screen, so that each player is stored once. */
const lastUuids = new Map<number, string>()
const UPDATE = `update ad_screens set smil_uuid = case when smil_uuid = '' then $2 else smil_uuid end,
  smil_replaced = case when smil_uuid in ('', $2) then 0 else 1 end,
  held_media = case when ${IS_REPLACING} then '{}' else held_media end,
  ready_files = case when ${IS_REPLACING} then 0 else ready_files end where device_id = $1`

/**
 * Stores which player uses the address of a screen, and returns its version. The header is not trusted: another player
 * is served too, and the console shows the change of the player.
 */
function recordPlayer({ database, fleet, log }: Services, slot: number, header: string | undefined): string {
  const [, uuid = '', version = ''] = AGENT.exec((header ?? '').slice(0, 512)) ?? []
  const deviceId = fleet.slots.ids[slot]!
  if (uuid !== '' && lastUuids.get(deviceId) !== uuid) {
    if (lastUuids.size >= MAX_KNOWN_SCREENS) lastUuids.clear()
    lastUuids.set(deviceId, uuid)
    database.pool
      .query(UPDATE, [deviceId, uuid])
      .catch((err: unknown) => log.warn({ err }, 'player of a screen not stored'))
  }
  return version
}
