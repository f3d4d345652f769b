import type { IncomingMessage, ServerResponse } from 'node:http'

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
