import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import type { AuthenticatedSession, NoSession } from '#core/auth/session-types.ts'

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
  { rate, config, sessions }: Services,
  request: FastifyRequest,
  { ticket, cookie }: Secrets,
  look: () => Promise<AuthenticatedSession | NoSession>,
) {
  const isKnown = sessions.isKnown(ticket, cookie)
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
