import { hash } from 'node:crypto'
import { trimEndMatching, trimStartMatching } from '@oms/contract/core/strip.ts'
import { createHmacFunction } from '#core/crypto/one-shot-hmac.ts'
import type { S3Config } from '#core/storage/s3/s3-bucket.ts'

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
