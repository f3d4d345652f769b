import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendRequestTimeout } from '#core/http/limits/request-body.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { CONTROL_CHARACTERS, DeviceError, badRequest } from './response.ts'

/** Larger than any known report. Logs of SWUpdate have some kilobytes. */
const MAX_BODY = 256 * 1024
const BODY_WITHIN_MS = 30_000
const SWEEP_MS = 5_000

/**
 * Start times of the bodies being read. All bodies share one timer, because a timer per body would cost more than
 * reading a usual body.
 */
const underWay = new Map<IncomingMessage, number>()
let sweeper: NodeJS.Timeout | undefined

/** Returns the whole body as text. Aborts slow or endless bodies. */
export async function readBodyText(request: IncomingMessage): Promise<string> {
  const { text, isCut } = await readReport(request)
  if (isCut) throw new DeviceError(413, 'body too large')
  return text
}

export interface ReadText {
  readonly text: string
  /** True when the body exceeded the limit; `text` is its beginning. */
  readonly isCut: boolean
}

/**
 * Returns the body as text, or its beginning above the limit: a failure report with a long log is still a failure.
 * Uses listeners instead of an iterator, because every device request runs this code.
 */
export function readReport(request: IncomingMessage, maxBytes = MAX_BODY): Promise<ReadText> {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers
  if (encoding !== 'identity' || type.includes('cbor'))
    return Promise.reject(new DeviceError(415, 'the body must be JSON without compression'))
  sweeper ??= setInterval(cutSlow, SWEEP_MS).unref()
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    let size = 0
    underWay.set(request, performance.now())
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) return void chunks.push(chunk)
      chunks.push(chunk.subarray(0, Math.max(0, chunk.length - (size - maxBytes))))
      // Reads and discards the rest of the body, so that the client can read the response.
      request.off('data', take).resume()
      finish(true)
    }
    const finish = (isCut: boolean) =>
      done({ text: (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8'), isCut })
    request
      .on('data', take)
      .on('end', () => finish(false))
      .on('error', fail)
      .on('close', () => {
        underWay.delete(request)
        if (!request.complete) fail(new DeviceError(400, 'the body was cut'))
      })
  })
}

function cutSlow() {
  const since = performance.now() - BODY_WITHIN_MS
  for (const [request, started] of underWay) {
    if (started > since) return
    sendRequestTimeout(request)
  }
}

/** Minimum rate of an upload, and the additional time for pauses. */
const UPLOAD_BYTES_PER_MS = 1
const UPLOAD_PAUSE_MS = 30_000

/**
 * Yields the body of an upload. Throws 408 when the upload is slower than the minimum rate. When the reader stops
 * early, the rest of the body is read and discarded for a while. Otherwise a client that sends its whole body before
 * reading would get a connection reset instead of the response.
 */
export async function* readUpload(request: IncomingMessage): AsyncGenerator<Buffer> {
  const started = performance.now()
  let received = 0
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {})
  const timer = setInterval(() => {
    if (performance.now() - started <= UPLOAD_PAUSE_MS + received / UPLOAD_BYTES_PER_MS) return
    request.once('error', () => {}).socket.setTimeout(UPLOAD_PAUSE_MS, () => request.destroy())
    late.reject(new DeviceError(408, 'the upload took too long'))
  }, SWEEP_MS)
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), late.promise])
      if (next.done) return
      received += next.value.length
      yield next.value
    }
  } finally {
    clearInterval(timer)
    void chunks.return?.()
    if (!request.complete) {
      request.resume()
      setTimeout(() => request.destroy(), UPLOAD_PAUSE_MS).unref()
    }
  }
}

/** Parses a JSON object. Clients put raw line ends into strings when they report a failure; such text is repaired. */
export async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  return requireJsonObject(parseRepairedJson(await readBodyText(request)))
}

export function requireJsonObject(found: unknown): Record<string, unknown> {
  if (found === undefined) throw badRequest('the body is not JSON')
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw badRequest('the body must be a JSON object')
  return found as Record<string, unknown>
}

/** Parses JSON, repaired if necessary; undefined when the text is not JSON. */
export const parseRepairedJson = (text: string): unknown => json(text) ?? json(repairJson(text))

const LONE_SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
/** Replaces lone surrogates, which the database cannot store, by U+FFFD. */
const wellFormed = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)

function json(text: string): unknown {
  try {
    return LONE_SURROGATE_ESCAPE.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces control characters by spaces and escapes backslashes that start no valid escape. */
const repairJson = (text: string) =>
  text
    .replaceAll(CONTROL_CHARACTERS, ' ')
    .replace(/^\ufeff/, '')
    .replaceAll(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (found) => (found === '\\' ? '\\\\' : found))

/**
 * Returns the first header with this name. Avoids `headers`, whose first access parses all headers into an object.
 */
export function readRawHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]!
    if (each.length === name.length && each.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}

/** The token of `Authorization: Bearer …`; empty when there is none. */
export const readBearerToken = (request: IncomingMessage) =>
  (/^bearer\s(.+)$/i.exec(readRawHeader(request, 'authorization') ?? '')?.[1] ?? '').trim()

/** Returns true when a list of entity tags contains this tag, with or without quotes. */
export const hasEntityTag = (header: string | undefined, etag: string) =>
  header !== undefined && header.split(',').some((each) => each.trim().replace(/^W\//, '').replaceAll('"', '') === etag)

/** One call of `/device/v1/…` before authentication. */
export interface PlainRequest {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  /** `http://host` from the request's Host header. */
  readonly origin: string
  readonly now: number
}

/** An authenticated call of `/device/v1/…`. */
export interface PlainCall extends PlainRequest {
  /** Slot of the device in the fleet index. */
  readonly slot: number
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly sn: string
  readonly body: Readonly<Record<string, unknown>>
  /** Body as received when not completely parsed. Only `report` is called with such a body. */
  readonly raw?: string | undefined
}

/** Response of a route; 204 without a body. Routes throw `DeviceError` to refuse a call. */
export interface PlainResponse {
  readonly status: number
  readonly body?: object
  /** True when the body has only ASCII characters: the response is then sent together with others. */
  readonly isAscii?: true
}

type PlainRoute = (call: PlainCall) => Promise<PlainResponse>

const routes = new Map<string, PlainRoute>()

/** Adds `POST /device/v1/<name>`. The caller is authenticated by `sn` and its token before the route runs. */
export function addPlainRoute(name: string, route: PlainRoute) {
  routes.set(name, route)
}

export const findPlainRoute = (name: string) => routes.get(name)
