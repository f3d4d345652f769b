import { hash } from 'node:crypto'
import { leave } from './leave.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

const JSON_TYPE = 'application/json'

/** An answer that ends the call. `words` are for the engineer at the other end. */
export class DeviceProblem extends Error {
  override readonly name = 'DeviceProblem'
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(status: number, words: string, retryAfter?: number) {
    super(words)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const unauthorized = () => new DeviceProblem(401, 'unknown device or wrong token')
export const gone = () => new DeviceProblem(410, 'this action is closed')
export const missing = (what: string) => new DeviceProblem(404, `no such ${what}`)
export const wrong = (words: string) => new DeviceProblem(400, words)

/** Answers with JSON, and with 304 to a client that has it already. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, body: object) {
  const text = Buffer.from(JSON.stringify(body))
  const wanted = request.headers['if-none-match']
  if (wanted !== undefined && request.method === 'GET' && status === 200) {
    const etag = `"${hash('sha1', text)}"`
    if (wanted.replaceAll('W/', '').includes(etag)) return void response.writeHead(304, { etag }).end()
    response.setHeader('etag', etag)
  }
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': text.length }).end(text)
}

/** Accepted; clients take nothing but 200 for that. */
export const sendEmpty = (response: ServerResponse, status = 200) =>
  leave(response, status, ['content-length', '0'], '')

export function sendProblem(response: ServerResponse, status: number, words: string, retryAfter?: number) {
  if (response.headersSent) return void response.destroy()
  const text = Buffer.from(JSON.stringify({ status, message: words }))
  const headers: Record<string, string | number> = { 'content-type': JSON_TYPE, 'content-length': text.length }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  if (status === 401) headers['www-authenticate'] = 'TargetToken, GatewayToken, Bearer'
  response.writeHead(status, headers).end(text)
}

export const CONTROL = /\p{Cc}/gu

/** A text from a device, fit for the database and for people: no control characters, no longer than this. */
export const clean = (value: unknown, length: number): string =>
  String(value ?? '')
    .toWellFormed()
    .replaceAll(CONTROL, ' ')
    .trim()
    .slice(0, length)
