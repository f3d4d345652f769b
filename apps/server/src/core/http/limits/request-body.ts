import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'

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

const MAX_DRAINED = 32 * 1024 * 1024
const DRAIN_MS = 10_000

/**
 * Reads and discards the rest of a request body before the response ends. Closing a connection with unread bytes resets
 * it: a proxy then loses the response and marks the server as failed. Reads at most `MAX_DRAINED` bytes for `DRAIN_MS`,
 * then closes the connection.
 */
export function discardUnreadBody(request: IncomingMessage, response: ServerResponse) {
  if (!hasBody(request)) return
  const end = response.end as (this: ServerResponse, ...given: unknown[]) => ServerResponse
  const endLater = (...given: unknown[]) => {
    Object.assign(response, { end })
    if (request.complete || request.destroyed || response.destroyed) return end.apply(response, given)
    const callback = given.find((each) => typeof each === 'function')
    sendContent(response, given)
    drain(request, (isWhole) => {
      // Closes the connection cleanly when the request body was not read to the end.
      if (!isWhole) response.once('finish', () => request.socket.destroySoon())
      end.call(response, callback)
    })
    return response
  }
  Object.assign(response, { end: endLater })
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Sends the content without the end marker. A client that knows the length already has the whole response. */
function sendContent(response: ServerResponse, [chunk, encoding]: unknown[]) {
  if (typeof chunk === 'string') response.write(chunk, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8')
  else if (chunk instanceof Uint8Array) response.write(chunk)
  else response.flushHeaders()
}

/** Calls `done` once with true when the body was read to its end. */
function drain(request: IncomingMessage, done: (isWhole: boolean) => void) {
  let drained = 0
  const count = (chunk: Uint8Array) => {
    drained += chunk.length
    if (drained > MAX_DRAINED) finish(false)
  }
  const timer = setTimeout(() => finish(false), DRAIN_MS)
  const onEnd = () => finish(true)
  const onClose = () => finish(request.complete)
  function finish(isWhole: boolean) {
    clearTimeout(timer)
    request.off('data', count).off('end', onEnd).off('close', onClose)
    done(isWhole)
  }
  // Detaches a reader that stopped and would block the body.
  request.unpipe()
  request.on('data', count).once('end', onEnd).once('close', onClose).resume()
}

type Spoken = readonly [status: number, reason: string, msg: string]

const UNREADABLE: Spoken = [400, 'Bad Request', '请求格式不正确']
/** Messages for requests that Node rejects before a request object exists. */
const BY_CODE: Readonly<Record<string, Spoken>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', '请求头过大，请清除浏览器的 Cookie 后重试'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', '请求内容过大'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', '请求超时，请重试'],
}

/** Sends an error envelope on a connection that does not speak valid HTTP or is too slow, and closes the connection. */
export function sendMalformedResponse(error: Error & { code?: string }, socket: Socket) {
  // After a response has started, further bytes would be read as a part of that response.
  const answering = (socket as Socket & { _httpMessage?: { _headerSent?: boolean } })._httpMessage?._headerSent
  if (error.code === 'ECONNRESET' || !socket.writable || answering) return void socket.destroy()
  const [status, reason, msg] = BY_CODE[error.code ?? ''] ?? UNREADABLE
  const body = JSON.stringify({ code: status, msg, data: null })
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    // Further bytes of the client are not read.
    () => socket.destroy(),
  )
}

/**
 * Sends status 408 on the connection of a request whose body arrives too slowly, and closes the connection. A request
 * that got its response before its body ended no longer has a connection.
 */
export function sendRequestTimeout({ socket }: IncomingMessage) {
  const connection = socket as Socket | null
  if (!connection) return
  sendMalformedResponse(Object.assign(new Error('body too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), connection)
}
