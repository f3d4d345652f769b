import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { trimEndMatching, trimStartMatching } from '@oms/contract/core/strip.ts'
import { type ByteRange, DiskFull, FileMissing } from '#core/storage/store.ts'
import { noteS3Call } from './s3-calls.ts'

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

/**
 * Retry time of writes. A restarting store is unavailable for half a minute, and a failed upload would have to start
 * again.
 */
const WRITE_RETRY_MS = 45_000
const READ_RETRY_MS = 2_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 3_000
/** Limits only the wait for the response headers. A long body may take as long as its reader needs. */
const ANSWER_MS = 60_000

/** Objects of a bucket. Keys are relative to the configured prefix. Throws `FileMissing` and `DiskFull`. */
export class S3Bucket {
  readonly #writes: S3Client
  readonly #reads: S3Client
  readonly #probe: S3Client
  readonly #bucket: string
  readonly #prefix: string

  constructor(config: S3Config) {
    this.#bucket = config.bucket
    this.#prefix = config.prefix ? `${trimEndMatching(trimStartMatching(config.prefix, /\//), /\//)}/` : ''
    this.#writes = createClient(config, WRITE_RETRY_MS)
    this.#reads = createClient(config, READ_RETRY_MS)
    this.#probe = createClient(config, 0)
  }

  async put(key: string, body: Uint8Array, signal?: AbortSignal) {
    await this.#writes.send(new PutObjectCommand({ ...this.#at(key), Body: body }), optionsOf(signal))
  }

  /** Uploads a local file, in parts when the file is large. */
  async upload(key: string, path: string, signal?: AbortSignal) {
    signal?.throwIfAborted()
    const upload = new Upload({ client: this.#writes, params: { ...this.#at(key), Body: createReadStream(path) } })
    const abort = () => void upload.abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await upload.done()
    } catch (error) {
      // A repeated completion does not find the upload when the first one succeeded and its response was lost. Callers
      // check the size.
      if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async get(key: string, range?: ByteRange) {
    const found = await this.#read(key, range)
    // A server that returns another range would cause wrong bytes in the response.
    if (range && !found.contentRange.startsWith(`bytes ${range.start}-${range.end}/`)) {
      found.body.destroy()
      throw new Error(`S3 GET ${key}: wrong range ${found.contentRange}`)
    }
    return found.body
  }

  /** Returns the size and the first bytes of an object that is not empty. */
  async peek(key: string, bytes: number, signal?: AbortSignal) {
    const { body, contentRange } = await this.#read(key, { start: 0, end: bytes - 1 }, signal)
    const head = Buffer.concat(await body.toArray())
    const total = /^bytes 0-\d+\/(\d+)$/.exec(contentRange)?.[1]
    return { size: total === undefined ? head.length : Number(total), head: head.subarray(0, bytes) }
  }

  /** Returns the size in bytes, or null when the object does not exist. */
  async size(key: string, signal?: AbortSignal) {
    try {
      const { ContentLength = 0 } = await this.#reads.send(new HeadObjectCommand(this.#at(key)), optionsOf(signal))
      return ContentLength
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  async remove(key: string, signal?: AbortSignal) {
    try {
      await this.#reads.send(new DeleteObjectCommand(this.#at(key)), optionsOf(signal))
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error
    }
  }

  /**
   * Removes up to 1,000 objects with one call. Throws when the store does not remove one of them. Retries as briefly as
   * `remove`, because a failed removal is repeated later.
   */
  async removeMany(keys: readonly string[], signal?: AbortSignal) {
    const Objects = keys.map((key) => ({ Key: this.#prefix + key }))
    const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Quiet: true, Objects } })
    // Stores from before 2025 require this header and do not know the checksum of the SDK.
    command.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: string; headers: Record<string, string> }
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64')
        return next(args)
      },
      { step: 'build', priority: 'low' },
    )
    const { Errors = [] } = await this.#reads.send(command, optionsOf(signal))
    const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey')
    if (failed) throw new Error(`S3 DELETE ${failed.Key}: ${failed.Code}`)
  }

  async *list(folder: string, pageSize = 1000): AsyncGenerator<S3Object> {
    const query = { Bucket: this.#bucket, Prefix: this.#prefix + folder }
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#reads, pageSize }, query))
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents)
        yield { key: Key.slice(this.#prefix.length), size: Size, modified: LastModified }
  }

  /** Checks endpoint, keys and bucket with one cheap call. */
  async check() {
    await this.#probe.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 }))
  }

  /** Aborts multipart uploads that began before this time and use space. Returns their number. */
  async abortUploads(folder: string, before: number) {
    const query = { Bucket: this.#bucket, Prefix: this.#prefix + folder }
    const { Uploads = [] } = await this.#reads.send(new ListMultipartUploadsCommand(query))
    const stale = Uploads.filter(({ Initiated }) => Initiated && Initiated.getTime() <= before)
    for (const { Key, UploadId } of stale)
      await this.#reads
        .send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId }))
        .catch(() => undefined)
    return stale.length
  }

  async #read(key: string, range?: ByteRange, signal?: AbortSignal) {
    const Range = range && `bytes=${range.start}-${range.end}`
    const found = await this.#reads.send(new GetObjectCommand({ ...this.#at(key), Range }), optionsOf(signal))
    return { body: found.Body as Readable, contentRange: found.ContentRange ?? '' }
  }

  #at = (key: string) => ({ Bucket: this.#bucket, Key: this.#prefix + key })
}

const optionsOf = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})

function createClient(config: S3Config, retryMs: number) {
  const client = new S3Client({
    endpoint: config.endpoint,
    region: config.region,
    forcePathStyle: config.pathStyle !== false,
    credentials: { accessKeyId: config.accessKey, secretAccessKey: config.secretKey },
    // Many S3-compatible stores do not know the optional checksums. The signature covers the body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    retryStrategy: retryFor(retryMs),
    requestHandler: {
      // No limit, because a slow reader of a download uses its connection until the end.
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
  })
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const since = performance.now()
        try {
          const found = await next(args)
          noteS3Call(commandName, true, since)
          return found
        } catch (error) {
          const translated = translateError(error, commandName)
          noteS3Call(commandName, translated instanceof FileMissing, since)
          throw translated
        }
      },
    { step: 'initialize', priority: 'high' },
  )
  return client
}

/**
 * Returns a strategy that retries temporary failures for the given time. The strategy of the SDK would stop after a
 * total number of failures.
 */
function retryFor(ms: number): NonNullable<S3ClientConfig['retryStrategy']> {
  const tokenOf = (count: number, until: number) => ({
    until,
    getRetryCount: () => count,
    getRetryDelay: () => Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2),
  })
  return {
    acquireInitialRetryToken: async () => tokenOf(0, performance.now() + ms),
    async refreshRetryTokenForRetry(token, { errorType }) {
      const next = tokenOf(token.getRetryCount() + 1, (token as ReturnType<typeof tokenOf>).until)
      if (!['TRANSIENT', 'THROTTLING'].includes(errorType) || performance.now() + next.getRetryDelay() > next.until)
        throw new Error('no retry')
      return next
    },
    recordSuccess() {},
  }
}

/** Translates an error of the SDK into `DiskFull` or `FileMissing`. Returns other errors unchanged. */
function translateError(error: unknown, command: string) {
  const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  if (status === 507 || /Quota|InsufficientStorage|StorageFull/.test(name)) return new DiskFull(`S3: ${name}`)
  if (status === 404 && name !== 'NoSuchBucket' && name !== 'NoSuchUpload') return new FileMissing(`S3: ${command}`)
  return error
}
