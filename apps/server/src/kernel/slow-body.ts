import type { FastifyInstance, FastifyRequest } from 'fastify'

const BODY_MS = 30_000
/** An upload may last as long as it keeps this pace over every 30 seconds. */
const MIN_UPLOAD_RATE = 16 * 1024

/** Cuts callers that drip their body: forms have 30 s, uploads a least rate. Node's own limit would cut long uploads. */
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
    // A paused stream is our own back-pressure, not the caller's slowness.
    if (isUpload && (gained >= MIN_UPLOAD_RATE * (BODY_MS / 1000) || raw.isPaused())) return
    raw.destroy()
  }, BODY_MS).unref()
  const done = () => clearInterval(timer)
  raw.once('end', done).once('close', done).once('error', done)
}
