import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ZodError } from 'zod'
import { planSend, type SendableFile } from '#core/storage/send.ts'
import { type ByteRange, FileMissing } from '#core/storage/store.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { SLOT_FLAG } from '#modules/device/fleet/slots.ts'
import { identifyDevice, isDeviceEnabled } from '#modules/device/wire/identify.ts'
import { readBearerToken, requireJsonObject, readBodyText } from '#modules/device/wire/request.ts'
import { unauthorized, badRequest, DeviceError } from '#modules/device/wire/response.ts'
import type { ReportingDevice } from '../plays/ingest.ts'

const NOT_MODIFIED = 304

/** One call of a player before authentication. */
export interface ScreenRequest {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  readonly origin: string
  readonly now: number
  readonly search: string | undefined
}

type Caller = Pick<ScreenRequest, 'side' | 'request' | 'ip' | 'now'>

/**
 * Returns the slot of the calling screen. Accepts the player's token, the device token and the device's certificate, and
 * counts the call.
 */
export function requireScreenSlot({ side, request, ip, now }: Caller, sn: string): number {
  const { slots } = side.services.fleet
  const slot = requireAuthenticatedDeviceSlot({ side, request }, sn)
  side.limits.takeDevice(slot, now, slots)
  side.presence.saw(slot, ip, now)
  return slot
}

/** Returns the slot of the calling screen without counting the call. */
export function requireAuthenticatedDeviceSlot(
  { side, request }: Pick<ScreenRequest, 'side' | 'request'>,
  sn: string,
): number {
  const { services } = side
  const { slots } = services.fleet
  const token = readBearerToken(request)
  if (token.length > 256) throw unauthorized('wrong device token')
  const slot = slots.find(sn)
  if (slot < 0) throw unauthorized('unknown serial')
  if (services.adDelivery.index.hasToken(slot, token)) {
    if (isDeviceEnabled(services, slot)) return slot
    throw unauthorized('device disabled')
  }
  const tenant = { id: slots.tenants[slot]!, isDefault: true }
  return identifyDevice(services, tenant, sn, token === '' ? side.certificates?.of(request) : { kind: 'target', token })
}

/** Returns the ids of the device in a slot. */
export function readDeviceIds({ services }: DeviceServices, slot: number) {
  const { ids, tenants, models } = services.fleet.slots
  return { deviceId: ids[slot]!, tenantId: tenants[slot]!, modelId: models[slot]! }
}

/** Returns the device in a slot, with a flag that is true when its plays may belong to a former tenant. */
export function readReportingDevice(side: DeviceServices, slot: number): ReportingDevice {
  const hasMoved = (side.services.fleet.slots.flags[slot]! & SLOT_FLAG.moved) !== 0
  return { ...readDeviceIds(side, slot), hasMoved }
}

/** Returns the error that names the first wrong field of a body. */
export const toFieldError = (error: ZodError) =>
  badRequest(`${error.issues[0]?.path.join('.') || 'body'} has a value that is not allowed`)

/** Returns the serial number of a body. */
export function requireSerial({ sn }: Readonly<Record<string, unknown>>): string {
  if (typeof sn !== 'string' || sn === '') throw badRequest('sn is missing')
  return sn
}

/**
 * Returns the body of a call as an object. Invalid JSON is refused and not repaired, unlike JSON in reports of updates.
 */
export async function readJsonBody({ request }: Pick<ScreenRequest, 'request'>): Promise<Record<string, unknown>> {
  const text = await readBodyText(request)
  try {
    return requireJsonObject(JSON.parse(text))
  } catch {
    throw badRequest('the body must be a JSON object')
  }
}

/** A file of a screen with the function that reads its bytes. */
export interface MediaSource extends SendableFile {
  /** sha256 of the stored file. */
  readonly stored: string
  /** Opens the bytes of the range, or of the whole file without a range. Called after the download was admitted. */
  open(range: ByteRange | undefined): Promise<AsyncIterable<Buffer>>
}

const notAvailable = () => new DeviceError(503, 'the file is not available', 300)

/** Returns a stored file as a source. */
export const createStoredMediaSource = (
  { side }: Pick<ScreenRequest, 'side'>,
  { sha256, size, mime }: Pick<SendableFile, 'sha256' | 'size' | 'mime'>,
): MediaSource => ({
  sha256,
  stored: sha256,
  size,
  mime,
  name: sha256,
  open: (range) => side.services.files.openRead(sha256, range),
})

/** Quotes the entity tags of a request. garlic-player sends them without quotes. */
export function quoteEntityTags(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const quote = <T>(tag: T) => (typeof tag === 'string' && /^[\w.-]+$/.test(tag) ? `"${tag}"` : tag)
  return { ...headers, 'if-none-match': quote(headers['if-none-match']), 'if-range': quote(headers['if-range']) }
}

/**
 * Sends the bytes of a file within the limits of downloads. `headers` replace the headers of a stored file. Returns true
 * when the player has the file: the response contained the last byte or confirmed the player's copy (304).
 */
export async function sendMediaFile(
  { side, request, response, now }: ScreenRequest,
  slot: number,
  source: MediaSource,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { method = 'GET' } = request
  const plan = planSend({ method, headers: quoteEntityTags(request.headers) }, source)
  if (!plan.range) {
    side.limits.takeDevice(slot, now, side.services.fleet.slots)
    // A HEAD of a file that the store lacks has the status of its GET.
    if (method === 'HEAD' && !(await side.services.files.stat(source.stored))) throw notAvailable()
    response.writeHead(plan.status, { ...plan.headers, ...headers }).end()
    return plan.status === NOT_MODIFIED
  }
  side.media.take(slot, now)
  const { start, end } = plan.range
  const isWhole = start === 0 && end === source.size - 1
  side.media.begin()
  try {
    const bytes = await source.open(isWhole ? undefined : plan.range)
    response.writeHead(plan.status, { ...plan.headers, ...headers })
    await pipeline(bytes, (chunks: AsyncIterable<Buffer>) => side.media.paced(chunks), response)
    return end === source.size - 1
  } catch (error) {
    if (error instanceof FileMissing) throw notAvailable()
    throw error
  } finally {
    side.media.end()
  }
}
