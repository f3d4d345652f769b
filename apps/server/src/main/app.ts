import { createServer, type RequestListener } from 'node:http'
import { MAX_BODY } from '@oms/contract/core/endpoint.ts'
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { assertEndpointsDeclared } from '#core/http/implement.ts'
import { serveConsole, isPlayerUrl, servePlayerFiles } from '#core/http/files/console-files.ts'
import { parseBodies } from '#core/http/parse-input.ts'
import { allowCrossOrigin, setSecurityHeaders } from '#core/http/security-headers.ts'
import { sendErrorResponse, handleUnknownPaths } from '#core/http/error-response.ts'
import { decorateClientAddress } from '#core/http/forwarded.ts'
import { serveHealth } from '#core/http/health.ts'
import { sendMalformedResponse, guardSlowBodies } from '#core/http/limits/request-body.ts'
import { mountModule } from '#core/http/mount.ts'
import { logRequests, readRequestId, normalizeUrl, readDeviceUrl } from '#core/http/request-log.ts'
import { createUploadStream } from '#core/http/files/incoming-file.ts'
import type { Services } from '#core/services.ts'
import { isPackageUrl, createPackagePreviewHandler } from '#modules/advertise/ads/package-preview.ts'
import { serveDemoModel } from '#demo/demo-model.ts'
import { createAppOrigins } from '#modules/storage/playback/app-key.ts'
import { serveStorageHook } from '#modules/storage/orders/hook-events.ts'
import type { DeviceHandler } from './devices/handler.ts'
import { modules } from './modules.ts'

const fileSize = Number.MAX_SAFE_INTEGER

/**
 * Builds the server without a port. Tests inject requests; `listen.ts` opens the port. `devices` receives device calls
 * before all console code.
 */
export function buildApp(services: Services, devices?: DeviceHandler): FastifyInstance {
  assertEndpointsDeclared(modules)
  const app = Fastify({
    serverFactory: (consoleSide) => createServer(routeRequests(services, consoleSide, devices)),
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => readRequestId(headers),
    requestIdHeader: false,
    bodyLimit: MAX_BODY,
    // HEAD routes for all GET routes would slow every start. Routes that need HEAD declare it.
    exposeHeadRoutes: false,
    // Serves calls on kept connections during a restart. `connection-limits.ts` closes the connections afterwards.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendErrorResponse(error, request, reply),
    clientErrorHandler: (error, socket) => sendMalformedResponse(error, socket),
    routerOptions: { maxParamLength: 256, caseSensitive: true },
  }) as unknown as FastifyInstance
  app.register(cookie)
  parseBodies(app, MAX_BODY)
  app.register(multipart, {
    // Without a limit, files would be cut silently at `bodyLimit`. The store enforces the limit of each purpose.
    limits: { parts: 30, fields: 20, fieldNameSize: 200, fieldSize: 64 * 1024, files: 1, headerPairs: 50, fileSize },
  })
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) =>
    done(null, createUploadStream(payload)),
  )
  app.setErrorHandler((error, request, reply) => sendErrorResponse(error, request, reply))
  decorateClientAddress(app, services.config.trustProxy)
  setSecurityHeaders(app)
  logRequests(app)
  guardSlowBodies(app)
  serveHealth(app, services, modules)
  serveStorageHook(app, services)
  if (services.config.demo) serveDemoModel(app, services)
  allowCrossOrigin(app, createAppOrigins(services))
  app.register(async (scope) => modules.forEach((module) => mountModule(scope, services, module)))
  serveConsole(app, services)
  handleUnknownPaths(app, modules)
  return app
}

/** Returns the handler that sends requests to the web player, the device calls or the console. */
function routeRequests(
  services: Services,
  consoleSide: RequestListener,
  devices: DeviceHandler | undefined,
): RequestListener {
  const player = servePlayerFiles()
  const packages = createPackagePreviewHandler(services)
  return (request, response) => {
    const url = normalizeUrl(request.url ?? '')
    const deviceUrl = readDeviceUrl(url)
    request.url = deviceUrl ?? url
    if (isPackageUrl(url)) packages(request, response)
    else if (isPlayerUrl(url)) player(request, response)
    else if (deviceUrl === undefined) consoleSide(request, response)
    else if (devices) devices.handle(request, response)
    else response.writeHead(404, { 'content-length': 0 }).end()
  }
}
