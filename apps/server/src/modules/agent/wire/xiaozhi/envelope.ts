import type { ServerResponse } from 'node:http'

/** Codes that voice servers understand. Every other code makes a server treat the device as unknown. */
export const RESPONSE_CODE = {
  unauthorized: 401,
  tooLarge: 413,
  failed: 500,
  blank: 10_034,
  deviceUnknown: 10_041,
  deviceUnbound: 10_042,
  agentMissing: 10_053,
  noTemplate: 10_183,
} as const

/**
 * Thrown to end a call of a voice server with this code. The HTTP status stays 200, because clients repeat calls that
 * fail with an HTTP error.
 */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError'
  readonly code: number

  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

/** Sends `data` in the envelope of a success. */
export const sendData = (response: ServerResponse, data: unknown) => send(response, { code: 0, msg: 'success', data })

export const sendRefusal = (response: ServerResponse, { code, message }: CallRefusedError) =>
  send(response, { code, msg: message, data: null })

function send(response: ServerResponse, body: object) {
  const text = Buffer.from(JSON.stringify(body))
  // Closes the connection, because the unread rest of the body would be parsed as the next request.
  if (response.req.destroyed && !response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length })
  response.end(text)
}
