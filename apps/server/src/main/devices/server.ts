import { createServer, type Server, type ServerResponse } from 'node:http'
import { checkReadiness } from '#core/http/health.ts'
import { createMetrics } from '#core/http/metrics.ts'
import { normalizeUrl, readDeviceUrl } from '#core/http/request-log.ts'
import { isPlayerUrl, servePlayerFiles } from '#core/http/files/console-files.ts'
import type { Services } from '#core/services.ts'
import { isPackageUrl, createPackagePreviewHandler } from '#modules/advertise/ads/package-preview.ts'
import { sendJson, sendProblem } from '#modules/device/wire/response.ts'
import type { DeviceHandler } from './handler.ts'

/**
 * Creates the server of a device process: device calls, the web player, the two probes and the metrics, without the
 * console.
 */
export function createDeviceServer(services: Services, devices: DeviceHandler): Server {
  const player = servePlayerFiles()
  const packages = createPackagePreviewHandler(services)
  return createServer((request, response) => {
    const url = normalizeUrl(request.url ?? '')
    const deviceUrl = readDeviceUrl(url)
    request.url = deviceUrl ?? url
    if (deviceUrl !== undefined) return devices.handle(request, response)
    if (isPackageUrl(url)) return packages(request, response)
    if (isPlayerUrl(url)) return player(request, response)
    if (url === '/healthz') return sendJson(request, response, 200, { status: 'ok' })
    if (url === '/metrics' && services.config.metrics) return sendMetrics(services, response)
    if (url !== '/readyz') return sendProblem(response, 404, 'no such call')
    checkReadiness(services).then(
      ({ ready, ...state }) => sendJson(request, response, ready ? 200 : 503, state),
      () => sendProblem(response, 503, 'unavailable'),
    )
  })
}

function sendMetrics(services: Services, response: ServerResponse) {
  Promise.resolve(createMetrics(services))
    .then((metrics) => metrics?.text())
    .then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => sendProblem(response, 503, 'unavailable'),
    )
}
