import { hash } from 'node:crypto'
import { queueResponse } from './batch-responses.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

const JSON_TYPE = 'application/json'

/** Error that ends the call. `words` are for the engineer of the client. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly status: number
  readonly retryAfter: number | undefined
  /** Reason of a refused authentication, only for the operator's log. */
  readonly reason: RefusalReason | undefined

  constructor(status: number, words: string, retryAfter?: number, reason?: RefusalReason) {
    super(words)
    this.status = status
    this.retryAfter = retryAfter
    this.reason = reason
  }
}

export type RefusalReason =
  | 'no credential'
  | 'unknown tenant'
  | 'unknown serial'
  | 'serial of another tenant'
  | 'serial in another case'
  | 'device disabled'
  | 'tenant disabled'
  | 'device tokens switched off'
  | 'wrong device token'
  | 'wrong gateway token'
  | 'wrong certificate'
  | 'bad serial'
  | 'no model for registration'
  | 'device quota reached'
  | 'no such open task'
  | 'wrong upload permit'

/** Returns the same error for every reason, because a reason would reveal which serials exist. */
export const unauthorized = (reason: RefusalReason) =>
  new DeviceError(401, 'unknown device or wrong token', undefined, reason)
export const actionClosed = () => new DeviceError(410, 'this action is closed')
export const notFound = (what: string) => new DeviceError(404, `no such ${what}`)
export const badRequest = (words: string) => new DeviceError(400, words)

/** True for a client that accepts CBOR and not JSON. */
export const acceptsOnlyCbor = (accept = '') => accept.includes('cbor') && !/json|\*/.test(accept)

/** Sends JSON. Sends 304 when the client has the same version, and 406 when the client does not accept JSON. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, body: object) {
  if (acceptsOnlyCbor(request.headers.accept)) return sendProblem(response, 406, 'responses are JSON')
  const text = Buffer.from(JSON.stringify(body))
  const wanted = request.headers['if-none-match']
  if (wanted !== undefined && request.method === 'GET' && status === 200) {
    const etag = `"${hash('sha1', text)}"`
    if (wanted.replaceAll('W/', '').includes(etag)) return void response.writeHead(304, { etag }).end()
    response.setHeader('etag', etag)
  }
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': text.length }).end(text)
}

/** Sends an empty success response. Update clients accept only 200 for their reports. */
export const sendEmpty = (response: ServerResponse, status = 200) =>
  queueResponse(response, status, ['content-length', '0'], '')

export function sendProblem(response: ServerResponse, status: number, words: string, retryAfter?: number) {
  if (response.headersSent) return void response.destroy()
  const text = Buffer.from(JSON.stringify({ status, message: words }))
  const headers: Record<string, string | number> = { 'content-type': JSON_TYPE, 'content-length': text.length }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  if (status === 401) headers['www-authenticate'] = 'TargetToken, GatewayToken, Bearer'
  response.writeHead(status, headers).end(text)
}

export const CONTROL_CHARACTERS = /\p{Cc}/gu

/** Removes control characters from a device's text and cuts the text to this length. Lists and objects have no text. */
export const sanitizeDeviceText = (value: unknown, length: number): string =>
  (typeof value === 'object' ? '' : String(value ?? ''))
    .toWellFormed()
    .replaceAll(CONTROL_CHARACTERS, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed()
