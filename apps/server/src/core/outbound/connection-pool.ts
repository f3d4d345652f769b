import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'

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
