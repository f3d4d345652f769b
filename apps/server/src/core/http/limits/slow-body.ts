import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendRequestTimeout } from './malformed-request.ts'

const BODY_MS = 30_000
/**
 * Lowest upload rate in bytes per second, measured over every 30 seconds. An upload above the rate may last as long as
 * needed.
 */
const MIN_UPLOAD_RATE = 16 * 1024

/**
 * Sends status 408 and closes connections that send a body too slowly: forms have 30 s, uploads have a minimum rate.
 * Node's own limit would also end long uploads.
 */
export function guardSlowBodies(app: FastifyInstance, bodyMs = BODY_MS) {
  app.addHook('onRequest', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    watch(request, bodyMs, /multipart\/form-data|octet-stream/.test(request.headers['content-type'] ?? ''))
  })
}

function watch({ raw }: FastifyRequest, bodyMs: number, isUpload: boolean) {
  // A request injected into the process has no connection that could be slow.
  if (!(raw.socket instanceof Socket)) return
  let before = raw.socket.bytesRead
  const done = () => clearInterval(timer)
  const timer = setInterval(() => {
    // A body that nothing reads has no `end`: a request without a body ends here. A request that got its response
    // before its body ended no longer has a connection.
    if (raw.complete || !(raw.socket as Socket | null)) return done()
    const gained = raw.socket.bytesRead - before
    before = raw.socket.bytesRead
    // A paused stream means that the server reads slowly (back-pressure), not the client.
    if (isUpload && (gained >= MIN_UPLOAD_RATE * (bodyMs / 1000) || raw.isPaused())) return
    done()
    sendRequestTimeout(raw)
  }, bodyMs).unref()
  raw.once('end', done).once('close', done).once('error', done)
}
