import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { answerError } from '#kernel/answer-error.ts'
import { assertDeclared } from '#kernel/declared.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { answerMalformed } from '#kernel/malformed.ts'
import { mount } from '#kernel/mount.ts'
import { answerUnknown } from '#kernel/not-found.ts'
import { serveOperators } from '#kernel/operators.ts'
import { logRequests } from '#kernel/request-log.ts'
import { setSecurityHeaders } from '#kernel/security-headers.ts'
import { guardSlowBodies } from '#kernel/slow-body.ts'
import { serveConsole } from '#kernel/static.ts'
import { type DeviceHandler, isDeviceUrl } from './device-side/handler.ts'
import { modules } from './modules.ts'

const MIB = 1024 * 1024
const fileSize = Number.MAX_SAFE_INTEGER

/**
 * The whole server without a port: tests inject into it, `server.ts` listens on it. Calls of devices go to `devices`
 * before anything of the console sees them.
 */
export function buildApp(kernel: Kernel, devices?: DeviceHandler): FastifyInstance {
  assertDeclared(modules)
  const app = Fastify({
    serverFactory: (consoleSide) =>
      createServer((request, response) => {
        if (!isDeviceUrl(request.url ?? '')) consoleSide(request, response)
        else if (devices) devices.handle(request, response)
        else response.writeHead(404, { 'content-length': 0 }).end()
      }),
    loggerInstance: kernel.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Drawn from a pool of random bytes: a call of its own for eight of them is dearer than all they are for.
    genReqId: () => randomUUID().replaceAll('-', '').slice(0, 16),
    requestIdHeader: false,
    trustProxy: trusted(kernel.config.trustProxy),
    bodyLimit: MIB,
    // A second route for each that reads would be made at every start; the few that need HEAD say so.
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket),
    routerOptions: { maxParamLength: 256, caseSensitive: true },
  }) as unknown as FastifyInstance
  app.register(cookie)
  app.register(formbody, { bodyLimit: MIB })
  app.register(multipart, {
    // Without a limit of its own a file would be cut silently at `bodyLimit`; each purpose has its limit in the store.
    limits: { parts: 30, fields: 20, fieldNameSize: 200, fieldSize: 64 * 1024, files: 1, headerPairs: 50, fileSize },
  })
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  setSecurityHeaders(app)
  logRequests(app)
  guardSlowBodies(app)
  serveOperators(app, kernel, modules)
  app.register(async (scope) => modules.forEach((module) => mount(scope, kernel, module)))
  serveConsole(app)
  answerUnknown(app, modules)
  return app
}

/** The first `hops` proxies in front of this server may say whom they speak for. */
const trusted = (hops: number | false) => (hops === false ? false : (_address: string, hop: number) => hop < hops)
