import type { Socket } from 'node:net'

type Spoken = readonly [status: number, reason: string, msg: string]

const UNREADABLE: Spoken = [400, 'Bad Request', '请求格式不正确']
/** What Node gives up on before there is a request, in words for a person. */
const BY_CODE: Readonly<Record<string, Spoken>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', '请求头过大，请清除浏览器的 Cookie 后重试'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', '请求内容过大'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', '请求超时，请重试'],
}

/** Answers a connection that does not speak HTTP, or too slowly, in the envelope of every other answer, and ends it. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket) {
  // Once an answer is on its way, more bytes would be taken for a part of it.
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
    // What the caller still sends is not read any more.
    () => socket.destroy(),
  )
}
