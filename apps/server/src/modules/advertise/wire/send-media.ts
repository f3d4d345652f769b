import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { planSend, type SendableFile } from '#core/storage/send.ts'
import { type ByteRange, FileMissing } from '#core/storage/store.ts'
import { DeviceError } from '#modules/device/wire/response.ts'
import type { ScreenRequest } from './screen-call.ts'

const NOT_MODIFIED = 304

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
