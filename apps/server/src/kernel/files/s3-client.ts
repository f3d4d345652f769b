import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { XMLParser } from 'fast-xml-parser'
import { type ByteRange, DiskFull, FileMissing } from './store.ts'

export interface S3Config {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  /** Put before every key, so that several installations can share a bucket. */
  readonly prefix?: string
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; what most servers other than Amazon's want. */
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
}

const ANSWER_MS = 60_000
const xml = new XMLParser({ parseTagValue: false, processEntities: true })

/** The store answered with an error of its own; `code` is S3's word for it. */
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

/** The few calls of S3 that storing files takes. Keys are relative to the configured prefix. */
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
      retries: 3,
      initRetryMs: 100,
    })
    const url = new URL(config.endpoint)
    const root = url.pathname.replace(/\/+$/, '')
    this.#base =
      config.pathStyle === false
        ? `${url.protocol}//${config.bucket}.${url.host}${root}`
        : `${url.protocol}//${url.host}${root}/${config.bucket}`
    this.#prefix = config.prefix ? `${config.prefix.replace(/^\/+|\/+$/g, '')}/` : ''
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal) {
    await this.#call('PUT', key, { body, headers: await digestOf(body), signal })
  }

  async get(key: string, range?: ByteRange) {
    const headers = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const response = await this.#call('GET', key, { headers })
    // A server that answers with another range would have us serve wrong bytes as right ones.
    if (range && !response.headers.get('content-range')?.startsWith(`bytes ${range.start}-${range.end}/`)) {
      await response.body?.cancel()
      throw new S3Error(response.status, 'WrongRange', `GET ${key}`)
    }
    if (!response.body) return Readable.from([])
    return Readable.fromWeb(response.body)
  }

  /** Size in bytes, or null when there is no such object. */
  async size(key: string) {
    try {
      const response = await this.#call('HEAD', key)
      return Number(response.headers.get('content-length') ?? 0)
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  async remove(key: string) {
    try {
      await discard(await this.#call('DELETE', key))
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error
    }
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

  /** Proves address, keys and bucket with one cheap question. */
  async check() {
    await this.#xml('GET', '', { query: { 'list-type': '2', 'max-keys': '1', prefix: this.#prefix } })
  }

  async startMultipart(key: string, signal?: AbortSignal) {
    return textOf((await this.#xml('POST', key, { query: { uploads: '' }, signal })).UploadId)
  }

  /** Answers the part's tag, which completing the upload names again. */
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
    await this.#xml('POST', key, { query: { uploadId }, body, signal })
  }

  async abortMultipart(key: string, uploadId: string) {
    await discard(await this.#call('DELETE', key, { query: { uploadId } }))
  }

  /** Uploads somebody began and neither completed nor aborted; their parts cost space until they are. */
  async unfinished(folder: string) {
    const answer = await this.#xml('GET', '', { query: { uploads: '', prefix: this.#prefix + folder } })
    return listOf(answer.Upload).map((item) => ({
      key: textOf(item.Key).slice(this.#prefix.length),
      uploadId: textOf(item.UploadId),
      since: new Date(textOf(item.Initiated)),
    }))
  }

  /** The root element's content. Some calls answer 200 and an error in the body. */
  async #xml(method: string, key: string, call: Call) {
    const parsed: unknown = xml.parse(await (await this.#call(method, key, call)).text())
    const [name, content] = Object.entries(elementOf(parsed)).find(([tag]) => !tag.startsWith('?')) ?? ['', {}]
    if (name === 'Error') throw new S3Error(200, textOf(elementOf(content).Code), `${method} ${key}`)
    return elementOf(content)
  }

  async #call(method: string, key: string, { query = {}, headers = {}, body, signal }: Call = {}) {
    const path = key === '' ? '' : `/${(this.#prefix + key).split('/').map(encodeURIComponent).join('/')}`
    const search = new URLSearchParams(query).toString().replaceAll('+', '%20')
    // Only the wait for an answer is limited: a long body may take as long as its reader does.
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

async function failure(response: Response, what: string) {
  const text = await response.text()
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? response.statusText
  if (response.status === 507 || /Quota|InsufficientStorage|StorageFull/.test(code)) return new DiskFull(`S3: ${code}`)
  if (response.status === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload')
    return new FileMissing(`S3: ${what}`)
  return new S3Error(response.status, code, what)
}

/** Signed with the request, so the store itself refuses a body that changed on the way. Hashed off the event loop. */
async function digestOf(body: Uint8Array<ArrayBuffer>) {
  const digest = await crypto.subtle.digest('SHA-256', body)
  return { 'x-amz-content-sha256': Buffer.from(digest).toString('hex') }
}

const discard = (response: Response) => response.arrayBuffer()

type Element = Readonly<Record<string, unknown>>
const elementOf = (value: unknown): Element => (typeof value === 'object' && value !== null ? (value as Element) : {})
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const listOf = (value: unknown) =>
  (Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]).map(elementOf)
