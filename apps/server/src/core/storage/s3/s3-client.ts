import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { trimEndMatching, trimStartMatching } from '@oms/contract/core/strip.ts'
import { AwsClient } from 'aws4fetch'
import { XMLParser } from 'fast-xml-parser'
import { type ByteRange, DiskFull, FileMissing } from '#core/storage/store.ts'

export interface S3Config {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  /** Prefix of every key, so that several installations can share a bucket. */
  readonly prefix?: string
  /** True for `endpoint/bucket/key` instead of `bucket.endpoint/key`. Most servers other than Amazon's need it. */
  readonly pathStyle?: boolean
}

export interface S3Object {
  readonly key: string
  readonly size: number
  readonly modified: Date
}

interface Call {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal | undefined
  /** Time in milliseconds during which a failed call is retried. */
  readonly retryMs?: number
}

/**
 * Retry time of writes. A restarting store is unavailable for half a minute, and a failed upload would start from zero.
 */
const WRITE_RETRY_MS = 45_000
const READ_RETRY_MS = 2_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 3_000
const ANSWER_MS = 60_000
const NOT_IMPLEMENTED = 501
const xml = new XMLParser({ parseTagValue: false, processEntities: true })

/** The store returned an error; `code` is the S3 error code. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, what: string) {
    super(`S3 ${what}: ${status} ${code}`)
    this.status = status
    this.code = code
  }
}

/** Client for the S3 calls that file storage needs. Keys are relative to the configured prefix. */
export class S3Client {
  readonly #aws: AwsClient
  readonly #base: string
  readonly #prefix: string

  constructor(config: S3Config) {
    this.#aws = new AwsClient({
      accessKeyId: config.accessKey,
      secretAccessKey: config.secretKey,
      region: config.region,
      service: 's3',
      // This class retries itself, because its retries also cover an unreachable store.
      retries: 0,
    })
    const url = new URL(config.endpoint)
    const root = trimEndMatching(url.pathname, /\//)
    this.#base =
      config.pathStyle === false
        ? `${url.protocol}//${config.bucket}.${url.host}${root}`
        : `${url.protocol}//${url.host}${root}/${config.bucket}`
    this.#prefix = config.prefix ? `${trimEndMatching(trimStartMatching(config.prefix, /\//), /\//)}/` : ''
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal) {
    await this.#call('PUT', key, { body, headers: await digestOf(body), signal })
  }

  async get(key: string, range?: ByteRange) {
    const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const response = await this.#call('GET', key, { headers })
    // A server that returns another range would cause wrong bytes in the response.
    if (range && !response.headers.get('content-range')?.startsWith(`bytes ${range.start}-${range.end}/`)) {
      await response.body?.cancel()
      throw new S3Error(response.status, 'WrongRange', `GET ${key}`)
    }
    if (!response.body) return Readable.from([])
    return Readable.fromWeb(response.body as ReadableStream)
  }

  /** Returns the size and the first bytes of an object that is not empty. */
  async peek(key: string, bytes: number, signal?: AbortSignal) {
    const response = await this.#call('GET', key, { headers: { range: `bytes=0-${bytes - 1}` }, signal })
    const head = Buffer.from(await response.arrayBuffer())
    const total = /^bytes 0-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
    return { size: total === undefined ? head.length : Number(total), head: head.subarray(0, bytes) }
  }

  /** Returns the size in bytes, or null when the object does not exist. */
  async size(key: string, signal?: AbortSignal) {
    try {
      const response = await this.#call('HEAD', key, { signal })
      return Number(response.headers.get('content-length') ?? 0)
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  async remove(key: string, signal?: AbortSignal) {
    try {
      await discard(await this.#call('DELETE', key, { signal }))
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error
    }
  }

  /**
   * Removes up to 1,000 objects with one call. Throws when the store does not remove one of them. Retries as briefly as
   * `remove`, because a failed removal is repeated later.
   */
  async removeMany(keys: readonly string[], signal?: AbortSignal) {
    const objects = keys.map((key) => `<Object><Key>${escapeXml(this.#prefix + key)}</Key></Object>`)
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const headers = { ...(await digestOf(body)), 'content-md5': createHash('md5').update(body).digest('base64') }
    const answer = await this.#xml('POST', '', { query: { delete: '' }, headers, body, signal, retryMs: READ_RETRY_MS })
    const failed = listOf(answer.Error).find(({ Code }) => textOf(Code) !== 'NoSuchKey')
    if (failed) throw new S3Error(200, textOf(failed.Code), `DELETE ${textOf(failed.Key)}`)
  }

  async *list(folder: string, max = 1000): AsyncGenerator<S3Object> {
    let token = ''
    do {
      const query = { 'list-type': '2', 'max-keys': String(max), prefix: this.#prefix + folder }
      const answer = await this.#xml('GET', '', { query: token ? { ...query, 'continuation-token': token } : query })
      for (const item of listOf(answer.Contents))
        yield {
          key: textOf(item.Key).slice(this.#prefix.length),
          size: Number(textOf(item.Size)),
          modified: new Date(textOf(item.LastModified)),
        }
      token = textOf(answer.IsTruncated) === 'true' ? textOf(answer.NextContinuationToken) : ''
    } while (token)
  }

  /** Checks endpoint, keys and bucket with one cheap call. */
  async check() {
    await this.#xml('GET', '', { query: { 'list-type': '2', 'max-keys': '1', prefix: this.#prefix }, retryMs: 0 })
  }

  async startMultipart(key: string, signal?: AbortSignal) {
    return textOf((await this.#xml('POST', key, { query: { uploads: '' }, signal })).UploadId)
  }

  /** Uploads a part. Returns its ETag, which completing the upload needs. */
  async putPart(
    key: string,
    uploadId: string,
    partNumber: number,
    body: Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
  ) {
    const query = { partNumber: String(partNumber), uploadId }
    const response = await this.#call('PUT', key, { query, body, headers: await digestOf(body), signal })
    await discard(response)
    return response.headers.get('etag') ?? ''
  }

  async completeMultipart(key: string, uploadId: string, etags: readonly string[], signal?: AbortSignal) {
    const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    try {
      await this.#xml('POST', key, { query: { uploadId }, body, signal })
    } catch (error) {
      // A repeated call does not find the upload when the first call succeeded and its response was lost. Callers
      // check the size.
      if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error
    }
  }

  async abortMultipart(key: string, uploadId: string) {
    await discard(await this.#call('DELETE', key, { query: { uploadId } }))
  }

  /** Returns multipart uploads that were neither completed nor aborted. Their parts use space until then. */
  async unfinished(folder: string) {
    const answer = await this.#xml('GET', '', { query: { uploads: '', prefix: this.#prefix + folder } })
    return listOf(answer.Upload).map((item) => ({
      key: textOf(item.Key).slice(this.#prefix.length),
      uploadId: textOf(item.UploadId),
      since: new Date(textOf(item.Initiated)),
    }))
  }

  /** Returns the content of the root element. Some calls return HTTP 200 with an error in the body. */
  async #xml(method: string, key: string, call: Call) {
    const parsed: unknown = xml.parse(await (await this.#call(method, key, call)).text())
    const [name, content] = Object.entries(elementOf(parsed)).find(([tag]) => !tag.startsWith('?')) ?? ['', {}]
    if (name === 'Error') throw new S3Error(200, textOf(elementOf(content).Code), `${method} ${key}`)
    return elementOf(content)
  }

  /** Retries a call while the store is unreachable or returns 5xx or 429. */
  async #call(method: string, key: string, call: Call = {}) {
    const isWrite = method === 'PUT' || method === 'POST'
    const { signal, retryMs = isWrite ? WRITE_RETRY_MS : READ_RETRY_MS } = call
    const until = performance.now() + retryMs
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#callOnce(method, key, call)
      } catch (error) {
        if (!isTemporary(error) || signal?.aborted || performance.now() + pause > until) throw error
        await sleep(pause * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {})
      }
    }
  }

  async #callOnce(method: string, key: string, { query = {}, headers = {}, body, signal }: Call) {
    const path = key === '' ? '' : `/${(this.#prefix + key).split('/').map(encodeURIComponent).join('/')}`
    const search = new URLSearchParams(query).toString().replaceAll('+', '%20')
    // The time limit covers only the wait for the response headers. A long body may take as long as its reader needs.
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(new Error(`S3 ${method} ${key}: no answer`)), ANSWER_MS)
    try {
      const response = await this.#aws.fetch(`${this.#base}${path}${search ? `?${search}` : ''}`, {
        method,
        headers: { ...headers },
        signal: signal ? AbortSignal.any([signal, patience.signal]) : patience.signal,
        ...(body ? { body } : {}),
      })
      if (response.ok) return response
      throw await failure(response, `${method} ${key}`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns true for temporary errors. `fetch` throws a TypeError when the store is unreachable. */
const isTemporary = (error: unknown) =>
  (error instanceof TypeError && error.cause !== undefined) ||
  (error instanceof S3Error && (error.status === 429 || (error.status >= 500 && error.status !== NOT_IMPLEMENTED)))

async function failure(response: Response, what: string) {
  const text = await response.text()
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? response.statusText
  if (response.status === 507 || /Quota|InsufficientStorage|StorageFull/.test(code)) return new DiskFull(`S3: ${code}`)
  if (response.status === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload')
    return new FileMissing(`S3: ${what}`)
  return new S3Error(response.status, code, what)
}

/**
 * Returns the digest that is signed with the request, so that the store refuses an altered body. Hashes off the event
 * loop.
 */
async function digestOf(body: Uint8Array<ArrayBuffer>) {
  const digest = await crypto.subtle.digest('SHA-256', body)
  return { 'x-amz-content-sha256': Buffer.from(digest).toString('hex') }
}

const discard = (response: Response) => response.arrayBuffer()

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

type Element = Readonly<Record<string, unknown>>
const elementOf = (value: unknown): Element => (typeof value === 'object' && value !== null ? (value as Element) : {})
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const listOf = (value: unknown) =>
  (Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]).map(elementOf)
