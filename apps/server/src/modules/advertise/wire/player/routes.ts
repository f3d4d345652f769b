import { DeviceError, notFound } from '#modules/device/wire/response.ts'
import type { ScreenRequest } from '../screen-call.ts'
import { sendAgenda } from './agenda.ts'
import { sendManifest } from './manifest.ts'
import { sendMedia } from './media.ts'
import { openPairing, readPairing } from './pair.ts'
import { handlePlayReport } from './report.ts'
import { handleScreenStatus } from './status.ts'

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
