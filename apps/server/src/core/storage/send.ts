import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sanitizeFileName } from './file-type.ts'
import { type ByteRange, FileMissing, type FileStore } from './store.ts'

/** Facts of a stored file from its row. */
export interface SendableFile {
  readonly sha256: string
  readonly size: number
  readonly name: string
  readonly mime: string
  /** Time of the last change in milliseconds, for clients that send `If-Modified-Since` or `If-Range` with a date. */
  readonly modifiedAt?: number
}

export interface SendRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface SendPlan {
  readonly status: 200 | 206 | 304 | 412 | 416
  readonly headers: Readonly<Record<string, string>>
  /** Bytes to send; `null` for a response without a body. */
  readonly range: ByteRange | null
}

/** Image types that a browser may display inline. All other files are downloads. */
const INLINE = new Set(['image/png', 'image/jpeg'])

/** Plans a download without opening the file. A request for several ranges gets the whole file. */
export function planSend({ method, headers }: SendRequest, file: SendableFile): SendPlan {
  const etag = `"${file.sha256}"`
  const modified = file.modifiedAt === undefined ? undefined : new Date(file.modifiedAt).toUTCString()
  const dated: Readonly<Record<string, string>> = modified === undefined ? {} : { 'last-modified': modified }
  const common = { ...buildSafeHeaders(file), etag, ...dated, 'accept-ranges': 'bytes' }
  const ifMatch = joinHeader(headers['if-match'])
  if (ifMatch !== undefined && !matches(ifMatch, etag)) return { status: 412, headers: common, range: null }
  const ifNoneMatch = joinHeader(headers['if-none-match'])
  const isUnchanged =
    ifNoneMatch === undefined
      ? Date.parse(modified ?? '') <= Date.parse(joinHeader(headers['if-modified-since']) ?? '')
      : matches(ifNoneMatch, etag)
  if (isUnchanged) return { status: 304, headers: common, range: null }
  const range = wantedRange(headers, [etag, modified], file.size)
  if (range === 'none') {
    const unsatisfied = { ...common, 'content-range': `bytes */${file.size}`, 'content-length': '0' }
    return { status: 416, headers: unsatisfied, range: null }
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  const length = { 'content-type': typeOf(file), 'content-length': String(end - start + 1) }
  const body = method === 'HEAD' || file.size === 0 ? null : { start, end }
  if (!range) return { status: 200, headers: { ...common, ...length }, range: body }
  const partial = { ...common, ...length, 'content-range': `bytes ${start}-${end}/${file.size}` }
  return { status: 206, headers: partial, range: body }
}

/** Sends a stored file. Rejects with `FileMissing` while another response is still possible. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: FileStore,
  file: SendableFile,
  headers: Readonly<Record<string, string>> = {},
) {
  const plan = planSend(request, file)
  if (request.method === 'HEAD' && !(await store.stat(file.sha256))) throw new FileMissing('No such file')
  const whole = plan.range && plan.range.start === 0 && plan.range.end === file.size - 1
  const body = plan.range ? await store.openRead(file.sha256, whole ? undefined : plan.range) : undefined
  reply.code(plan.status).headers({ ...plan.headers, ...headers })
  // Fastify's HEAD routes keep the stated length only for a stream.
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : body)
}

/** Returns headers for all responses with uploaded bytes: a browser may save the content but must not run it. */
export function buildSafeHeaders({ name, mime }: Pick<SendableFile, 'name' | 'mime'>) {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=31536000, immutable',
    'content-disposition': formatContentDisposition(INLINE.has(mime) ? 'inline' : 'attachment', name),
  }
}

/** Returns the `content-disposition` value with both name forms: plain for old clients, RFC 5987 for all characters. */
export function formatContentDisposition(kind: 'inline' | 'attachment', name: string) {
  const shown = sanitizeFileName(name)
  const plain = shown.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(shown).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Returns the MIME type when the product stores this type, otherwise the generic binary type. */
const typeOf = ({ mime }: SendableFile) =>
  /^[\w.+-]+\/[\w.+-]+(; charset=[\w-]+)?$/.test(mime) ? mime : 'application/octet-stream'

/** Returns the requested range, `undefined` for the whole file, or `none` when the range is outside the file. */
function wantedRange(
  headers: SendRequest['headers'],
  validators: readonly (string | undefined)[],
  size: number,
): ByteRange | undefined | 'none' {
  const text = joinHeader(headers.range)
  const ifRange = joinHeader(headers['if-range'])
  if (text === undefined || (ifRange !== undefined && !validators.includes(ifRange.trim()))) return undefined
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(text)
  if (!match || (!match[1] && !match[2])) return undefined
  const first = match[1] ? Number(match[1]) : undefined
  const last = match[2] ? Number(match[2]) : undefined
  if (first === undefined) {
    const count = Math.min(last as number, size)
    return count === 0 ? 'none' : { start: size - count, end: size - 1 }
  }
  if (last !== undefined && last < first) return undefined
  return first >= size ? 'none' : { start: first, end: Math.min(last ?? size - 1, size - 1) }
}

/** Compares entity tags. Some clients send them without quotes. */
const matches = (list: string, etag: string) =>
  list.split(',').some((tag) => tag.trim() === '*' || `"${tag.replaceAll(/^\s*W\/|["\s]/g, '')}"` === etag)

const joinHeader = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)
