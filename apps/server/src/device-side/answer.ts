import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Larger than any report a client was seen to send; SWUpdate's logs are some kilobytes. */
const MAX_BODY = 256 * 1024
const BODY_WITHIN_MS = 30_000
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
  void response.writeHead(status, { 'content-length': 0 }).end()

export function sendProblem(response: ServerResponse, status: number, words: string, retryAfter?: number) {
  if (response.headersSent) return void response.destroy()
  const text = Buffer.from(JSON.stringify({ status, message: words }))
  const headers: Record<string, string | number> = { 'content-type': JSON_TYPE, 'content-length': text.length }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  if (status === 401) headers['www-authenticate'] = 'TargetToken, GatewayToken, Bearer'
  response.writeHead(status, headers).end(text)
}

/** The whole body as text; a slow or endless one is cut. */
export async function readText(request: IncomingMessage): Promise<string> {
  const late = setTimeout(() => request.destroy(), BODY_WITHIN_MS)
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY) throw new DeviceProblem(413, 'body too large')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    clearTimeout(late)
  }
}

/** A JSON object. Real clients put raw line ends into strings just when they report a failure: those are repaired. */
export async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const found = parsed(await readText(request))
  if (found === undefined) throw wrong('the body is not JSON')
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw wrong('the body must be a JSON object')
  return found as Record<string, unknown>
}

/** What the text says, repaired where need be; undefined: it is no JSON even so. */
export function parsed(text: string): unknown {
  for (const attempt of [text, repaired(text)])
    try {
      return JSON.parse(attempt)
    } catch {
      // The next attempt, if there is one.
    }
  return undefined
}

const CONTROL = /\p{Cc}/gu

/** Control characters become spaces, and backslashes that start no escape stand for themselves. */
const repaired = (text: string) =>
  text
    .replaceAll(CONTROL, ' ')
    .replace(/^\ufeff/, '')
    .replaceAll(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (found) => (found === '\\' ? '\\\\' : found))

/** A text from a device, fit for the database and for people: no control characters, no longer than this. */
export const clean = (value: unknown, length: number): string =>
  String(value ?? '')
    .toWellFormed()
    .replaceAll(CONTROL, ' ')
    .trim()
    .slice(0, length)
