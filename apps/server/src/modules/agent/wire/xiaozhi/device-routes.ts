import { DeviceError } from '#modules/device/wire/response.ts'
import { handleActivation } from './boot/activate.ts'
import { downloadFirmware } from './boot/firmware-link.ts'
import type { XiaozhiCall } from './call.ts'
import { handleBootRequest } from './boot/ota.ts'

const PARTS = new Set(['ota', 'otaMag'])

/** True for a call of a device, given the parts of its path below `/xiaozhi/`. */
export const isDevicePath = ([first = '']: readonly string[]) => PARTS.has(first)

/**
 * CORS headers that permit calls from other origins, because the web client of the voice server runs on another origin.
 */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Content-Type, Device-Id, Client-Id, Activation-Version, Serial-Number',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
}

/** Routes one call of a device. */
export async function routeDeviceCall(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
  const { request, response } = call
  const [name, second, third] = path
  for (const [header, value] of Object.entries(CORS)) response.setHeader(header, value)
  if (request.method === 'OPTIONS') return response.writeHead(204).end()
  if (name === 'ota' && path.length === 1) return handleBootRequest(call)
  if (name === 'ota' && second === 'activate' && path.length === 2) {
    if (request.method !== 'POST') throw new DeviceError(405, 'POST only')
    return handleActivation(call)
  }
  return downloadFirmware(call, second === 'download' && path.length === 3 ? third! : '')
}
