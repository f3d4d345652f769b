import { tooMany } from '#core/http/api-error.ts'
import { Semaphore } from '#core/process/concurrency.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { isApiToken } from '#core/auth/api-tokens.ts'
import type { AuthenticatedSession, NoSession } from '#core/auth/session-types.ts'

const MAX_KEYS = 50_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Limits calls per minute by key with a token bucket: a burst of one minute's calls is allowed, the refill is even.
 * Counters belong to this process; with several processes the effective limit is multiplied by their number.
 */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  /** Uses a monotonic clock. If the system clock were set back by a day, all callers would be blocked for a day. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes one call of `key`, or throws HTTP 429 with the seconds to wait. */
  take(key: string, perMinute: number) {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    if (bucket.tokens < 1) throw tooMany(Math.ceil(((1 - bucket.tokens) * 60) / perMinute))
    bucket.tokens -= 1
    if (!this.#buckets.has(key)) this.#make(key, bucket)
  }

  /** Takes one call of `key` and returns true. Returns false when no call is left. */
  tryTake(key: string, perMinute: number): boolean {
    try {
      this.take(key, perMinute)
      return true
    } catch {
      return false
    }
  }

  /** Returns one call of `key` to its bucket, for a call that turned out not to count. */
  giveBack(key: string, perMinute: number) {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.tokens = Math.min(perMinute, bucket.tokens + 1)
  }

  #make(key: string, bucket: Bucket) {
    // The oldest buckets are full again, so removing one changes no limit.
    if (this.#buckets.size >= MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value as string)
    this.#buckets.set(key, bucket)
  }
}

/** Share of the database connections that the calls of one account may use at once. */
const SHARE = 0.7
const MAX_WAITING = 500
const WAIT_MS = 30_000
const RETRY_SECONDS = 5

interface Slots {
  readonly semaphore: Semaphore
  /** Number of running and waiting calls. The entry of the account is deleted at 0. */
  calls: number
}

/**
 * Limits the calls of one account that run at once. Further calls wait in the order of their arrival. One session with
 * hundreds of simultaneous calls would otherwise fill the queue for database connections, and the calls of all other
 * people would fail.
 */
export class AccountSlots {
  readonly #maxRunning: number
  readonly #byUid = new Map<number, Slots>()

  /** `poolSize`: connections of this process to the database. */
  constructor(poolSize: number) {
    this.#maxRunning = Math.max(1, Math.floor(poolSize * SHARE))
  }

  /** Runs a task of an account. Rejects with HTTP 429 when too many calls wait, or when the call waits 30 s. */
  async run<T>(uid: number, task: () => Promise<T>): Promise<T> {
    const slots = this.#byUid.get(uid) ?? this.#create(uid)
    slots.calls += 1
    try {
      const release = await slots.semaphore.acquire()
      try {
        return await task()
      } finally {
        release()
      }
    } finally {
      slots.calls -= 1
      if (slots.calls === 0) this.#byUid.delete(uid)
    }
  }

  #create(uid: number): Slots {
    const limits = { maxTaken: this.#maxRunning, maxWaiting: MAX_WAITING, waitMs: WAIT_MS }
    const slots = { semaphore: new Semaphore({ ...limits, overloaded: () => tooMany(RETRY_SECONDS) }), calls: 0 }
    this.#byUid.set(uid, slots)
    return slots
  }
}

interface Secrets {
  readonly ticket: string | undefined
  readonly cookie: string | undefined
}

/** Factor for limits by address, because a whole office may share one address. */
const ADDRESS_FACTOR = 4

/**
 * Looks up a session. A request without a session cached in this process counts against its address before the database
 * is read. The count is reverted when the session turns out to be valid.
 */
export async function limitUnknownSessions(
  { rate, config, sessions, apiTokens }: Services,
  request: FastifyRequest,
  { ticket, cookie }: Secrets,
  look: () => Promise<AuthenticatedSession | NoSession>,
) {
  const isKnown = isApiToken(ticket) ? apiTokens.isKnown(ticket) : sessions.isKnown(ticket, cookie)
  const [key, perMinute] =
    ticket || cookie
      ? ([`t:${request.clientAddress}`, config.rate.api] as const)
      : ([`i:${request.clientAddress}`, config.rate.api * ADDRESS_FACTOR] as const)
  if (!isKnown) rate.take(key, perMinute)
  const found = await look()
  if (found.user) {
    if (!isKnown) rate.giveBack(key, perMinute)
  } else if (isKnown) rate.take(key, perMinute)
  return found
}

/**
 * Counts one call against the general limit of the session, before permissions are checked. Parts of uploads do not
 * count.
 */
export function limitSession({ rate, config }: Services, { body }: Endpoint, user: User) {
  if (body !== 'binary') rate.take(sessionKey(user), config.rate.api)
}

/** Counts one call against the operation's own limit: by session, or by address without a session. */
export function limitOperation(services: Services, request: FastifyRequest, endpoint: Endpoint, user: User | null) {
  const own = operationLimit(services, endpoint)
  const caller = user ? sessionKey(user) : `i:${request.clientAddress}`
  if (own) services.rate.take(`${caller} ${endpoint.method} ${endpoint.path}`, own)
}

const sessionKey = ({ sessionId }: User) => `s:${sessionId}`

function operationLimit({ config }: Services, { access, body, kind, perMinute }: Endpoint) {
  if (perMinute) return access === 'public' ? Math.max(perMinute, config.rate.login) : perMinute
  if (body === 'multipart') return config.rate.upload
  return kind === 'export' ? config.rate.export : undefined
}
