import type { IncomingMessage } from 'node:http'
import { readClientAddress } from '#core/http/forwarded.ts'
import { readRequestId } from '#core/http/request-log.ts'
import type { Services } from '#core/services.ts'
import type { RefusalReason } from './response.ts'

/** Log lines per minute, address and reason: a device with a wrong token repeats its requests for ever. */
const LINES = 10
const MINUTE_MS = 60_000
const MAX_KEYS = 10_000

/** Paths whose next part is a credential: an upload ticket, the key of a SMIL player, a signed firmware link. */
const BEFORE_CREDENTIAL = /^(\/device\/v1\/(?:storage\/segment|ad\/smil)|\/xiaozhi\/otaMag\/download)\/+[^/]+/
/** Serials have at most 64 characters. A longer part may be a credential that was sent to a wrong path. */
const LONG_PART = /[^/%]{65,}/g

/** Replaces credentials in a path by `***`. Tenant and serial stay readable. */
export const maskCredentials = (path: string) => path.replace(BEFORE_CREDENTIAL, '$1/***').replace(LONG_PART, '***')

/** Logs why callers get 401. The response never contains the reason. */
export class RefusalLog {
  readonly #services: Pick<Services, 'log' | 'config'>
  readonly #lines = new Map<string, number>()
  #since = 0

  constructor(services: Pick<Services, 'log' | 'config'>) {
    this.#services = services
  }

  note(request: IncomingMessage, reason: RefusalReason) {
    const { log, config } = this.#services
    const now = Date.now()
    if (now - this.#since > MINUTE_MS || this.#lines.size > MAX_KEYS) {
      this.#lines.clear()
      this.#since = now
    }
    const ip = readClientAddress(request, config.trustProxy)
    const key = `${ip} ${reason}`
    const lines = (this.#lines.get(key) ?? 0) + 1
    this.#lines.set(key, lines)
    if (lines > LINES) return
    const path = maskCredentials((request.url ?? '').split('?', 1)[0]!).slice(0, 200)
    const reqId = readRequestId(request.headers)
    log.warn({ reason, ip, path, reqId }, lines === LINES ? 'device refused; more like this follow' : 'device refused')
  }
}
