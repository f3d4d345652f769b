import type { FastifyInstance, FastifyRequest } from 'fastify'

const BODY_MS = 30_000
/**
 * Lowest upload rate in bytes per second, measured over every 30 seconds. An upload above the rate may last as long as
 * needed.
 */
const MIN_UPLOAD_RATE = 16 * 1024

/**
 * Closes connections that send a body too slowly: forms have 30 s, uploads have a minimum rate. Node's own limit would
 * also end long uploads.
 */
export function guardSlowBodies(app: FastifyInstance) {
  app.addHook('onRequest', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    watch(request, /multipart\/form-data|octet-stream/.test(request.headers['content-type'] ?? ''))
  })
}

function watch({ raw }: FastifyRequest, isUpload: boolean) {
  let before = raw.socket.bytesRead
  const timer = setInterval(() => {
    const gained = raw.socket.bytesRead - before
    before = raw.socket.bytesRead
    // A paused stream means that the server reads slowly (back-pressure), not the client.
    if (isUpload && (gained >= MIN_UPLOAD_RATE * (BODY_MS / 1000) || raw.isPaused())) return
    raw.destroy()
  }, BODY_MS).unref()
  const done = () => clearInterval(timer)
  raw.once('end', done).once('close', done).once('error', done)
}
