import type { PlayerClock } from './clock.ts'

const TIMEOUT_MS = 30_000
const BASE = '/device/v1/ad/'

interface Options {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly timeoutMs?: number
}

/** Client of the calls below `/device/v1/ad/`. Every response with `X-OMS-Time` sets the clock. */
export class Api {
  /** False after a call without a response, until the next response. */
  isReachable = false
  readonly #clock: PlayerClock

  constructor(clock: PlayerClock) {
    this.#clock = clock
  }

  /** Sends one request. Rejects only when no response arrives. The timeout covers the headers and the body. */
  async call(path: string, { method, token, headers, json, timeoutMs = TIMEOUT_MS }: Options = {}) {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    try {
      const sentAt = performance.now()
      const response = await fetch(BASE + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        headers: {
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        signal: abort.signal,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      })
      const receivedAt = performance.now()
      const time = response.headers.get('x-oms-time')
      if (time !== null) this.#clock.sample(Number(time), sentAt, receivedAt)
      const body = await response.arrayBuffer()
      // A proxy without its server responds with 502 or 504: the server itself is not reachable.
      this.isReachable = response.status !== 502 && response.status !== 504
      return { status: response.status, headers: response.headers, body }
    } catch (error) {
      this.isReachable = false
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

export const parseJson = <T>(body: ArrayBuffer) => JSON.parse(new TextDecoder().decode(body)) as T

/** Returns the milliseconds of `Retry-After`, between 1 s and 10 min. */
export function readRetryAfterMs(headers: Headers, fallbackMs: number) {
  const seconds = Number(headers.get('retry-after'))
  if (!(seconds > 0)) return fallbackMs
  return Math.min(Math.max(seconds, 1), 600) * 1000
}
