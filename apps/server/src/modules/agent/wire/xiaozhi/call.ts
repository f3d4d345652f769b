import type { IncomingMessage, ServerResponse } from 'node:http'
import { mac } from '@oms/contract/device/device-fields.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { parseRepairedJson, readReport } from '#modules/device/wire/request.ts'

/** A call below `/xiaozhi/`, of a device or a voice server. */
export interface XiaozhiCall {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  /** Scheme and host as the caller sent them. */
  readonly origin: string
  readonly now: number
  readonly query: URLSearchParams
}

/** A call of a voice server with a valid secret. */
export interface ServerCall extends XiaozhiCall {
  /** Tenant of the secret. The platform's secret is valid for the devices of all tenants. */
  readonly serverTenant: number
  /** Address and User-Agent of the voice server. */
  readonly server: { readonly address: string; readonly client: string }
}

/** Returns the JSON object of the body. Any other body counts as an object without fields. */
export async function readObjectBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const { text, isCut } = await readReport(request)
  const found = isCut ? undefined : parseRepairedJson(text)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {}
}

const MAX_SESSION = 50

/** Returns the id of a session as it is stored. */
export const readSessionId = (value: unknown): string => cleanText(value).slice(0, MAX_SESSION)

/** Returns a text without control characters, or an empty text for any other value. */
export const cleanText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, '')
        .trim()
    : ''

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

/** Sends an object without an envelope, with `Content-Length`, which old firmware needs. */
export function sendPlainJson({ response }: XiaozhiCall, body: object, status = 200) {
  const text = Buffer.from(JSON.stringify(body))
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length })
    .end(text)
}

/** Returns the twelve lower-case hex digits of a MAC address in a spelling of the console. Undefined for any other text. */
export const parseMacDigits = (text: string): string | undefined => mac.safeParse(text).data
