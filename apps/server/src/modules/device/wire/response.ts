import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SendPlan } from '#core/storage/send.ts'

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

interface QueuedResponse {
  readonly response: ServerResponse
  readonly status: number
  readonly headers: string[]
  readonly body: string
}

let waiting: QueuedResponse[] = []

/**
 * Sends a short response at the end of this event loop turn, batched with other responses. Separate writes would
 * wake the receiver for each. `body` is ASCII.
 */
export function queueResponse(response: ServerResponse, status: number, headers: string[], body: string) {
  if (waiting.push({ response, status, headers, body }) === 1) setImmediate(sendAll)
}

function sendAll() {
  const answers = waiting
  waiting = []
  for (const { response, status, headers, body } of answers)
    if (!response.headersSent && !response.destroyed) response.writeHead(status, headers).end(body, 'latin1')
}

/** Maximum number of delayed downloads. More would take connections from devices that are served. */
const MAX_HELD = 500
let held = 0

/** True for a download request of a component by a DDI client. */
export const isArtifactDownload = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && url.includes('/controller/v1/') && url.includes('/artifacts/')

/** True for a range request with both ends, as sent by clients that read the file like a disk (RAUC streaming). */
export const isPartialDownload = (request: IncomingMessage) =>
  isArtifactDownload(request) && /^bytes=\s*\d+-\d+\s*$/i.test(request.headers.range ?? '')

/**
 * Starts the response to a download that must wait and aborts the connection before the first byte. SWUpdate treats
 * every response at this URL as the image and fails permanently, whatever the status. rauc-hawkbit-updater fails for
 * every status but success. Both resume an aborted download when configured as in docs/guides/connect-swupdate.md and
 * docs/guides/connect-rauc.md. A proxy forwards an aborted response, but turns a closed connection into a 502. `plan`
 * contains the headers; without `plan` the connection is reset, which suffices without a proxy.
 */
export function abortDownload(response: ServerResponse, plan: SendPlan | undefined, holdMs: number) {
  if (response.destroyed || response.headersSent) return void response.destroy()
  if (held >= MAX_HELD) return end(response, plan)
  held += 1
  const timer = setTimeout(() => end(response, plan), holdMs).unref()
  response.once('close', () => {
    held -= 1
    clearTimeout(timer)
  })
}

function end(response: ServerResponse, plan: SendPlan | undefined) {
  const { socket } = response
  if (plan && !plan.range) return void response.writeHead(plan.status, plan.headers).end()
  if (!plan) return void (socket ? socket.resetAndDestroy() : response.destroy())
  response.writeHead(plan.status, { ...plan.headers, connection: 'close' }).flushHeaders()
  socket?.destroySoon()
}
