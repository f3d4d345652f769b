import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

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
