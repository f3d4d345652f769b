import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'

/**
 * Kinds of failures: `address` (invalid, unknown, refused or forbidden), `time` (a limit passed), `size`,
 * `connection` (lost while the response was read), `cancelled` (by the caller's signal).
 */
type OutboundFailure = 'address' | 'time' | 'size' | 'connection' | 'cancelled'

/** Failure of an outbound request, with a message for people that contains no header and no body. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: OutboundFailure

  constructor(kind: OutboundFailure, message: string) {
    super(message)
    this.kind = kind
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: '域名无法解析',
  EAI_AGAIN: '域名暂时无法解析',
  ECONNREFUSED: '连接被拒绝',
  EHOSTUNREACH: '主机不可达',
  ENETUNREACH: '网络不可达',
  CERT_HAS_EXPIRED: '服务器证书已过期',
  DEPTH_ZERO_SELF_SIGNED_CERT: '服务器证书为自签名',
  SELF_SIGNED_CERT_IN_CHAIN: '服务器证书链不受信任',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '服务器证书链不完整',
  ERR_TLS_CERT_ALTNAME_INVALID: '服务器证书与域名不符',
  EPROTO: '对方不是 HTTPS 服务',
  ERR_SSL_WRONG_VERSION_NUMBER: '对方不是 HTTPS 服务',
}

/** Returns the failure of a socket error. Errors after the first byte of a response are lost connections. */
export function toOutboundError(error: unknown, hasResponse: boolean): OutboundError {
  if (error instanceof OutboundError) return error
  const cause = error instanceof AggregateError ? error.errors[0] : error
  const code = String((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  const words = WORDS[code]
  if (words !== undefined) return new OutboundError('address', words)
  return hasResponse
    ? new OutboundError('connection', '连接中断')
    : new OutboundError('address', code === 'ECONNRESET' ? '连接被对方断开' : `连接失败${code ? `（${code}）` : ''}`)
}

/** An idle connection is closed after this time. Most servers keep idle connections longer. */
const IDLE_MS = 15_000
const OPTIONS = { keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS } as const

/**
 * Connections that stay open between requests, which saves the TCP and TLS handshakes of the next request. All requests of
 * a pool must have the same address policy, because only new connections are checked.
 */
export class ConnectionPool {
  readonly #http = new HttpAgent(OPTIONS)
  readonly #https = new HttpsAgent(OPTIONS)

  agentFor({ protocol }: URL): HttpAgent {
    return protocol === 'https:' ? this.#https : this.#http
  }
}

/** Limits of one request. */
export interface OutboundLimits {
  readonly connectMs: number
  readonly firstByteMs: number
  /** Longest pause between two chunks of the body. */
  readonly idleMs: number
  readonly totalMs: number
  readonly maxBytes: number
}
export const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  idleMs: 60_000,
  totalMs: 120_000,
  maxBytes: 1_000_000,
}

export interface OutboundRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly policy: AddressPolicy
  readonly limits?: Partial<OutboundLimits>
  /** Keeps the connection for later requests of the pool; absent: one connection a request. */
  readonly pool?: ConnectionPool
  /** Closes the connection to the remote server when aborted. */
  readonly signal?: AbortSignal
}

export interface OutboundResponse {
  readonly status: number
  header(name: string): string | undefined
  /** Chunks of the body. Leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Buffer>
  /** Declares that the rest of the body is not needed, so that leaving the loop keeps the connection of a pool. */
  skipRest(): void
  close(): void
}

/**
 * Sends one HTTP request. The host is resolved once, every address is checked against the policy, and the connection
 * goes to the checked address. Redirects are returned, never followed. A request is sent again when the server closed its
 * pooled connection meanwhile. Throws `OutboundError`.
 */
export async function sendOutbound(outbound: OutboundRequest): Promise<OutboundResponse> {
  const url = urlOf(outbound.url)
  assertLiteralAllowed(url, outbound.policy)
  if (outbound.signal?.aborted) throw new OutboundError('cancelled', '已取消')
  const exchange = new Exchange(openRequest(url, outbound), outbound)
  try {
    const response = await exchange.response(outbound.body)
    return {
      status: response.statusCode ?? 0,
      header: (name) => {
        const value = response.headers[name]
        return typeof value === 'string' ? value : value?.[0]
      },
      body: exchange.chunks(response),
      skipRest: () => exchange.skipRest(),
      close: () => exchange.close(),
    }
  } catch (error) {
    if (exchange.hasLostConnection(error)) {
      exchange.close()
      const { pool: _pool, ...fresh } = outbound
      return sendOutbound(fresh)
    }
    throw exchange.failureOf(error, false)
  }
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new OutboundError('address', '地址格式有误')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('address', '地址须以 http:// 或 https:// 开头')
  if (url.username || url.password) throw new OutboundError('address', '地址中不能含有用户名或密码')
  return url
}

const forbiddenAddress = () =>
  new OutboundError('address', '不能访问内网或保留地址（可由平台以 OMS_OUTBOUND_PRIVATE 放行）')

/** Checks an address in the URL itself, because sockets call `lookup` for names only. */
export function assertLiteralAllowed({ hostname }: URL, policy: AddressPolicy) {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) > 0 && !policy.allows(address)) throw forbiddenAddress()
}

/** Resolves a name to its allowed addresses. */
export function lookupAllowedAddresses(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const allowed = error ? [] : addresses.filter(({ address }) => policy.allows(address))
      const [first] = allowed
      if (error || !first) callback(error ?? forbiddenAddress(), '', 0)
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function openRequest(url: URL, { method = 'GET', headers, body, policy, pool }: OutboundRequest): ClientRequest {
  const options: RequestOptions = {
    method,
    agent: pool?.agentFor(url) ?? false,
    lookup: lookupAllowedAddresses(policy),
    headers: {
      'accept-encoding': 'identity',
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    },
  }
  try {
    return url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
  } catch {
    throw new OutboundError('address', '请求头或地址含有不能发送的字符')
  }
}

/** Time for the rest of a skipped body to arrive; later the connection is closed. */
const REST_MS = 1000

/**
 * One request with its time limits. The first failure closes the connection and is thrown to the reader of the body.
 */
class Exchange {
  readonly #request: ClientRequest
  readonly #limits: OutboundLimits
  readonly #signal: AbortSignal | undefined
  readonly #total: NodeJS.Timeout
  #failure: OutboundError | undefined
  /** True when the rest of the body is read only to keep the connection. */
  #isSkipping = false

  constructor(request: ClientRequest, { limits, signal }: OutboundRequest) {
    this.#request = request
    this.#limits = { ...OUTBOUND_LIMITS, ...limits }
    this.#signal = signal
    this.#total = this.#limit(this.#limits.totalMs, '总时长超过')
    signal?.addEventListener('abort', this.#cancel, { once: true })
  }

  close() {
    this.#forget()
    if (!this.#isSkipping) this.#request.destroy()
  }

  skipRest() {
    this.#isSkipping = this.#request.shouldKeepAlive
  }

  /** Returns whether the server closed a pooled connection before it responded. */
  hasLostConnection(error: unknown): boolean {
    const { code } = error as NodeJS.ErrnoException
    return !this.#failure && this.#request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
  }

  #forget() {
    clearTimeout(this.#total)
    this.#signal?.removeEventListener('abort', this.#cancel)
  }

  failureOf(error: unknown, hasResponse: boolean): OutboundError {
    this.close()
    return this.#failure ?? toOutboundError(error, hasResponse)
  }

  /** Sends the body and waits for the response headers within the limits for the connection and the response. */
  response(body: string | Buffer | undefined) {
    const request = this.#request
    return new Promise<IncomingMessage>((resolve, reject) => {
      let timer = this.#limit(this.#limits.connectMs, '连接超过')
      const connected = () => {
        clearTimeout(timer)
        timer = this.#limit(this.#limits.firstByteMs, '等待响应超过')
      }
      request.on('socket', (socket) => {
        if (request.reusedSocket) connected()
        else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected)
      })
      request.once('response', (response) => {
        clearTimeout(timer)
        resolve(response)
      })
      request.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      request.end(body)
    })
  }

  /** Yields the chunks of a body. The pause limit runs only while this reader waits for the remote server. */
  async *chunks(response: IncomingMessage): AsyncGenerator<Buffer> {
    const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    let size = 0
    try {
      for (;;) {
        const timer = this.#limit(this.#limits.idleMs, '等待数据超过')
        const next = await chunks.next().finally(() => clearTimeout(timer))
        if (next.done) break
        size += next.value.length
        if (size > this.#limits.maxBytes) throw new OutboundError('size', '返回的内容过大')
        yield next.value
      }
      if (this.#failure) throw this.#failure
    } catch (error) {
      throw this.failureOf(error, true)
    } finally {
      this.close()
      if (this.#isSkipping) void this.#readRest(chunks)
    }
  }

  /** Reads the rest of a skipped body, because only a connection without unread data can be used again. */
  async #readRest(chunks: AsyncIterator<Buffer>) {
    const timer = setTimeout(() => this.#request.destroy(), REST_MS).unref()
    try {
      while (!(await chunks.next()).done);
    } catch {
      // The connection is lost, so that there is nothing to keep.
    } finally {
      clearTimeout(timer)
    }
  }

  readonly #cancel = () => this.#fail(new OutboundError('cancelled', '已取消'))

  #limit(ms: number, words: string) {
    return setTimeout(
      () => this.#fail(new OutboundError('time', `${words} ${Math.round(ms / 100) / 10} 秒`)),
      ms,
    ).unref()
  }

  #fail(error: OutboundError) {
    this.#failure ??= error
    this.#request.destroy(error)
  }
}
