import { hash } from 'node:crypto'
import { trimEndMatching, trimStartMatching } from '@oms/contract/core/strip.ts'
import { createHmacFunction } from '#core/crypto/one-shot-hmac.ts'
import { type S3Config, S3Bucket } from '#core/storage/s3/s3-bucket.ts'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { type ByteRange, FileMissing } from '#core/storage/store.ts'
import type { MediaFiles } from './media.ts'

interface Request {
  readonly method: 'GET' | 'PUT'
  readonly key: string
  readonly seconds: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** Headers that the client must send unchanged. The names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Parts of an address that do not depend on the object. */
interface Terms {
  readonly second: number
  readonly seconds: number
  /** Signed headers. */
  readonly names: string
  readonly time: string
  readonly scope: string
  readonly query: string
}

/** Keys of videos need no encoding, which costs more than the test. */
const encodedPath = (path: string) =>
  /^[\w./-]+$/.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')

/**
 * Creates presigned URLs of a bucket synchronously, with AWS Signature Version 4 in the query string. Computes the
 * signing key once a day.
 */
export class S3Presigner {
  readonly #config: S3Config
  readonly #origin: string
  readonly #host: string
  readonly #path: string
  #terms: Terms | undefined
  #day = ''
  #sign: (message: Uint8Array) => Buffer = createHmacFunction(Buffer.alloc(0))

  constructor(config: S3Config) {
    this.#config = config
    const { protocol, host, pathname } = new URL(config.endpoint)
    const root = trimEndMatching(pathname, /\//)
    const prefix = trimEndMatching(trimStartMatching(config.prefix ?? '', /\//), /\//)
    this.#host = config.pathStyle === false ? `${config.bucket}.${host}` : host
    this.#origin = `${protocol}//${this.#host}`
    this.#path = `${config.pathStyle === false ? root : `${root}/${config.bucket}`}/${prefix ? `${prefix}/` : ''}`
  }

  url({ method, key, seconds, now, headers = {} }: Request): string {
    const all: Record<string, string> = { ...headers, host: this.#host }
    const names = Object.keys(all).toSorted()
    const { time, scope, query } = this.#termsOf(now, seconds, names.join(';'))
    const path = encodedPath(this.#path + key)
    const lines = names.map((name) => `${name}:${all[name]}\n`).join('')
    const request = `${method}\n${path}\n${query}\n${lines}\n${names.join(';')}\nUNSIGNED-PAYLOAD`
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', request, 'hex')}`
    const signature = this.#signerOf(time.slice(0, 8))(Buffer.from(text)).toString('hex')
    return `${this.#origin}${path}?${query}&X-Amz-Signature=${signature}`
  }

  /** Returns the parts that all addresses of one second with these signed headers share. */
  #termsOf(now: number, seconds: number, names: string): Terms {
    const second = Math.floor(now / 1000)
    const known = this.#terms
    if (known?.second === second && known.seconds === seconds && known.names === names) return known
    const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
    const scope = `${time.slice(0, 8)}/${this.#config.region}/s3/aws4_request`
    const query = [
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      `X-Amz-Credential=${encodeURIComponent(`${this.#config.accessKey}/${scope}`)}`,
      `X-Amz-Date=${time}`,
      `X-Amz-Expires=${seconds}`,
      `X-Amz-SignedHeaders=${encodeURIComponent(names)}`,
    ].join('&')
    this.#terms = { second, seconds, names, time, scope, query }
    return this.#terms
  }

  #signerOf(day: string) {
    if (day === this.#day) return this.#sign
    const { secretKey, region } = this.#config
    const steps = [day, region, 's3', 'aws4_request']
    const key = steps.reduce<Buffer>(
      (last, step) => createHmacFunction(last)(Buffer.from(step)),
      Buffer.from(`AWS4${secretKey}`),
    )
    this.#day = day
    this.#sign = createHmacFunction(key)
    return this.#sign
  }
}

const MAX_CONCURRENT_REQUESTS = 8
/** Maximum number of objects in one call of DeleteObjects. */
const REMOVED_AT_ONCE = 1000

/**
 * True when the store does not implement the call, or denies it. For DeleteObjects, Ceph requires a permission on the
 * bucket and not only on its objects.
 */
const isUnavailableCall = (error: unknown) =>
  error instanceof S3ServiceException &&
  (error.name === 'NotImplemented' || [403, 405, 501].includes(error.$metadata.httpStatusCode ?? 0))

/** Stores videos in a bucket. Cameras write with presigned addresses. */
export class S3Media implements MediaFiles {
  readonly kind = 's3'
  readonly hasRoom = true
  readonly #s3: S3Bucket
  readonly #presigner: S3Presigner

  constructor(config: S3Config) {
    this.#s3 = new S3Bucket(config)
    this.#presigner = new S3Presigner(config)
  }

  /** Returns the address for one upload of exactly this size and type. */
  putUrl(key: string, object: { bytes: number; contentType: string; seconds: number; now: number }) {
    const headers = { 'content-length': String(object.bytes), 'content-type': object.contentType }
    return this.#presigner.url({ method: 'PUT', key, seconds: object.seconds, now: object.now, headers })
  }

  /** Returns the address for downloads within this time. */
  getUrl(key: string, { seconds, now }: { seconds: number; now: number }) {
    return this.#presigner.url({ method: 'GET', key, seconds, now })
  }

  async peek(key: string, bytes: number, signal?: AbortSignal) {
    if (bytes === 0) {
      const size = await this.#s3.size(key, signal)
      return size === null ? null : { size, head: Buffer.alloc(0) }
    }
    try {
      return await this.#s3.peek(key, bytes, signal)
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  openRead(key: string, range?: ByteRange) {
    return this.#s3.get(key, range)
  }

  async remove(keys: readonly string[], signal?: AbortSignal) {
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE)
      await this.#removeMany(keys.slice(at, at + REMOVED_AT_ONCE), signal)
  }

  /** Removes the objects with one call, or one by one from a store that does not permit that call. */
  async #removeMany(keys: readonly string[], signal?: AbortSignal) {
    try {
      return await this.#s3.removeMany(keys, signal)
    } catch (error) {
      if (!isUnavailableCall(error)) throw error
    }
    for (let at = 0; at < keys.length; at += MAX_CONCURRENT_REQUESTS)
      await Promise.all(keys.slice(at, at + MAX_CONCURRENT_REQUESTS).map((key) => this.#s3.remove(key, signal)))
  }

  async removePrefix(prefix: string, most: number) {
    const keys: string[] = []
    for await (const { key } of this.#s3.list(prefix, Math.min(most, 1000))) if (keys.push(key) === most) break
    await this.remove(keys)
    return keys.length
  }

  list(prefix: string) {
    return this.#s3.list(prefix)
  }

  check() {
    return this.#s3.check()
  }

  async close() {}
}
