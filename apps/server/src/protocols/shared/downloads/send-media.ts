import { pipeline } from 'node:stream/promises'
import type { ManifestFile } from '@oms/contract/ad-engine/manifest.ts'
import { planSend } from '#core/storage/send.ts'
import { FileMissing } from '#core/storage/store.ts'
import { DeviceError } from '../response.ts'
import type { ScreenRequest } from '../access/screen-call.ts'

/** Sends the bytes of a file within the limits of downloads. `headers` replace those of a stored file. */
export async function sendMediaFile(
  { side, request, response, now }: ScreenRequest,
  slot: number,
  { sha256, size, mime }: Pick<ManifestFile, 'sha256' | 'size' | 'mime'>,
  headers: Readonly<Record<string, string>> = {},
) {
  const { method = 'GET' } = request
  const plan = planSend({ method, headers: request.headers }, { sha256, size, mime, name: sha256 })
  if (!plan.range) {
    side.limits.takeDevice(slot, now, side.services.fleet.slots)
    return void response.writeHead(plan.status, { ...plan.headers, ...headers }).end()
  }
  side.media.take(slot, now)
  const { start, end } = plan.range
  const isWhole = start === 0 && end === size - 1
  side.media.begin()
  try {
    const source = await side.services.files.openRead(sha256, isWhole ? undefined : plan.range)
    response.writeHead(plan.status, { ...plan.headers, ...headers })
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => side.media.paced(chunks), response)
  } catch (error) {
    if (error instanceof FileMissing) throw new DeviceError(503, 'the file is not available', 300)
    throw error
  } finally {
    side.media.end()
  }
}
