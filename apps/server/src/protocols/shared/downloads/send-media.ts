import { pipeline } from 'node:stream/promises'
import { planSend, type SendableFile } from '#core/storage/send.ts'
import { type ByteRange, FileMissing } from '#core/storage/store.ts'
import { DeviceError } from '../response.ts'
import type { ScreenRequest } from '../access/screen-call.ts'

/** A file of a screen with the function that reads its bytes. */
export interface MediaSource extends SendableFile {
  /** Called after the request got a place among the downloads. Undefined: the whole file. */
  open(range: ByteRange | undefined): Promise<AsyncIterable<Buffer>>
}

/** Returns a stored file as a source. */
export const createStoredSource = (
  { side }: Pick<ScreenRequest, 'side'>,
  { sha256, size, mime }: Pick<SendableFile, 'sha256' | 'size' | 'mime'>,
): MediaSource => ({
  sha256,
  size,
  mime,
  name: sha256,
  open: (range) => side.services.files.openRead(sha256, range),
})

/** Sends the bytes of a file within the limits of downloads. `headers` replace those of a stored file. */
export async function sendMediaFile(
  { side, request, response, now }: ScreenRequest,
  slot: number,
  source: MediaSource,
  headers: Readonly<Record<string, string>> = {},
) {
  const { method = 'GET' } = request
  const plan = planSend({ method, headers: request.headers }, source)
  if (!plan.range) {
    side.limits.takeDevice(slot, now, side.services.fleet.slots)
    return void response.writeHead(plan.status, { ...plan.headers, ...headers }).end()
  }
  side.media.take(slot, now)
  const { start, end } = plan.range
  const isWhole = start === 0 && end === source.size - 1
  side.media.begin()
  try {
    const bytes = await source.open(isWhole ? undefined : plan.range)
    response.writeHead(plan.status, { ...plan.headers, ...headers })
    await pipeline(bytes, (chunks: AsyncIterable<Buffer>) => side.media.paced(chunks), response)
  } catch (error) {
    if (error instanceof FileMissing) throw new DeviceError(503, 'the file is not available', 300)
    throw error
  } finally {
    side.media.end()
  }
}
