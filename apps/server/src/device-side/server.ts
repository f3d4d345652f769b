import { createServer, type Server } from 'node:http'
import { readiness } from '#kernel/operators.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { sendJson, sendProblem } from './answer.ts'
import { type DeviceHandler, isDeviceUrl } from './handler.ts'

/** A process for devices alone: their calls, the two probes, and nothing of the console. */
export function deviceServer(kernel: Kernel, devices: DeviceHandler): Server {
  return createServer((request, response) => {
    const url = request.url ?? ''
    if (isDeviceUrl(url)) return devices.handle(request, response)
    if (url === '/healthz') return sendJson(request, response, 200, { status: 'ok' })
    if (url !== '/readyz') return sendProblem(response, 404, 'no such call')
    readiness(kernel).then(
      ({ ready, checks }) =>
        sendJson(request, response, ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', checks }),
      () => sendProblem(response, 503, 'unavailable'),
    )
  })
}
